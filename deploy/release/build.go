package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// release is what the platforms share.
type release struct {
	source, out, work string
	version           string    // without the v
	made              time.Time // of the commit
	share             []shared  // files beside the binary
}

// prepare makes what is the same on each platform.
func (r *release) prepare(trial bool) error {
	host := filepath.Join(r.work, "tracecheck")
	if err := r.build(platform{runtime.GOOS, runtime.GOARCH}, host); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(host)
	if err != nil {
		return err
	}
	r.version = strings.TrimPrefix(info.Main.Version, "v")
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	if !trial && (setting["vcs.modified"] == "true" || strings.HasPrefix(r.version, "0.0.0-")) {
		return fmt.Errorf("the version is %s: commit all changes and tag the commit, or pass -trial", info.Main.Version)
	}
	if r.made, err = time.Parse(time.RFC3339, setting["vcs.time"]); err != nil {
		return fmt.Errorf("no commit is stamped for %s: make the release in a clone of the repository", r.source)
	}
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	return r.describe(host)
}

// leftOut are tags that leave out what no command uses: the library's own manual pages.
const leftOut = "urfave_cli_no_docs"

// build builds the command for a platform. Functions are aligned to 8 bytes, not to 32, which
// makes the binary smaller.
func (r *release) build(p platform, to string) error {
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	return r.do(append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS="),
		"go", "build", "-buildvcs=true", "-trimpath", "-pgo=cmd/tracecheck/tracecheck.pgo", "-ldflags=-s -w -funcalign=8", "-tags", leftOut, "-o", to, "./cmd/tracecheck")
}

// do runs a command in the source's folder.
func (r *release) do(env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.source, env, os.Stderr, os.Stderr
	return cmd.Run()
}
