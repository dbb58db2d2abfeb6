package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// shared is a file that archives and packages have beside the binary.
type shared struct {
	name string // with its folder, in an archive
	data []byte
}

// shells have the names of the completion scripts, by the shell.
var shells = map[string]string{"bash": "tracecheck.bash", "zsh": "_tracecheck", "fish": "tracecheck.fish", "powershell": "tracecheck.ps1"}

// describe collects the files beside the binary. The manual pages and completion
// scripts are what the command says of itself.
func (r *release) describe(host string) error {
	for _, pattern := range []string{
		"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "deploy/monitor.yaml", "deploy/tracecheck-monitor.service",
		"docs/*.md", "docs/schema/*.json",
	} {
		names, err := fs.Glob(os.DirFS(r.source), pattern)
		if err != nil || len(names) == 0 {
			return fmt.Errorf("no file fits %s (%v)", pattern, err)
		}
		for _, name := range names {
			if err := r.copied(name); err != nil {
				return err
			}
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script, err := exec.Command(host, "completion", shell).Output()
		if err != nil {
			return err
		}
		r.add("completions/"+shells[shell], script)
	}
	return r.manuals(host)
}

func (r *release) add(name string, data []byte) { r.share = append(r.share, shared{name, data}) }

func (r *release) copied(name string) error {
	data, err := os.ReadFile(filepath.Join(r.source, name))
	if err == nil {
		r.add(name, data)
	}
	return err
}

// manuals adds a manual page for the program, and one for each command.
func (r *release) manuals(host string) error {
	help := func(args ...string) (string, error) {
		text, err := exec.Command(host, append([]string{"help"}, args...)...).Output()
		return string(text), err
	}
	top, err := help()
	if err != nil {
		return err
	}
	page := manual("tracecheck", r.version, r.made, top)
	r.add("man/tracecheck.1", page)
	for line := range strings.Lines(top) {
		// A command's line is indented by two, with its summary beside it.
		name, _, ok := strings.Cut(strings.TrimPrefix(line, "  "), "  ")
		if !ok || !strings.HasPrefix(line, "  ") || strings.HasPrefix(name, " ") {
			continue
		}
		text, err := help(name)
		if err != nil {
			return fmt.Errorf("help of %s: %w", name, err)
		}
		r.add("man/tracecheck-"+name+".1", manual("tracecheck-"+name, r.version, r.made, text))
	}
	return nil
}

// zipped is compressed with gzip, without a name and a time.
func zipped(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one of gzip's
	_, _ = w.Write(data)                                  // a buffer takes all
	_ = w.Close()
	return b.Bytes()
}
