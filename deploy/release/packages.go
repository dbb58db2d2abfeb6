package main

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

//go:embed nfpm.yaml
var contents []byte

// packages writes a deb and an rpm.
func (r *release) packages(p platform, binary string) error {
	stage, err := r.stage(filepath.Dir(binary))
	if err != nil {
		return err
	}
	vars := map[string]string{"ARCH": p.arch, "VERSION": r.version, "STAGE": stage}
	config, err := nfpm.ParseWithEnvMapping(bytes.NewReader(contents), func(name string) string { return vars[name] })
	if err != nil {
		return err
	}
	for _, c := range config.Contents {
		c.Source = os.Expand(c.Source, func(name string) string { return vars[name] })
	}
	for _, format := range []string{"deb", "rpm"} {
		info, err := config.Get(format)
		if err != nil {
			return err
		}
		info.MTime = r.made
		packager, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		if err := nfpm.PrepareForPackager(info, format); err != nil {
			return err
		}
		var b bytes.Buffer
		if err := packager.Package(info, &b); err != nil {
			return err
		}
		if err := r.write(packager.ConventionalFileName(info), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// stage writes the files of the packages beside the binary. A package's binary is in
// /usr/bin, its schemas are in /usr/share, and its manual pages are compressed.
func (r *release) stage(dir string) (string, error) {
	for _, f := range r.share {
		switch {
		case strings.HasPrefix(f.name, "man/"):
			f = shared{"man.gz/" + filepath.Base(f.name) + ".gz", zipped(f.data)}
		case strings.HasPrefix(f.name, "deploy/"):
			f.data = bytes.ReplaceAll(f.data, []byte("/usr/local/bin/"), []byte("/usr/bin/"))
			f.data = bytes.ReplaceAll(f.data, []byte("../docs/schema/"), []byte("/usr/share/tracecheck/schema/"))
		}
		to := filepath.Join(dir, f.name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, f.data, 0o644); err != nil {
			return "", err
		}
		if err := os.Chmod(to, 0o644); err != nil { // whatever the umask
			return "", err
		}
	}
	return dir, nil
}
