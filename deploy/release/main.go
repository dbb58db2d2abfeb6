// Command release makes the files of a release of tracecheck, from the tree that it lies in.
// Each platform gets an archive with the static binary, and Linux also packages and an image.
// Each binary has a bill of materials. Checksums follow.
//
//	go -C deploy/release run . -o ../../dist
//
// The version is what Go stamps: the tag of the commit. The same commit makes the
// same files.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// platforms are those of a release. Each has a binary that needs no C library.
var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

func main() {
	out := flag.String("o", "", "write the files to the new or empty folder `DIR`")
	source := flag.String("source", "../..", "the tree of tracecheck is in `DIR`")
	only := flag.String("only", "", "make these `PLATFORMS` alone, such as linux/amd64,darwin/arm64")
	trial := flag.Bool("trial", false, "allow a tree with changes that are not committed, or a commit without a tag")
	flag.Parse()
	if err := run(*source, *out, *only, *trial); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(source, out, only string, trial bool) error {
	if out == "" || flag.NArg() > 0 {
		return errors.New("want -o DIR, and no argument")
	}
	if left, err := os.ReadDir(out); err == nil && len(left) > 0 {
		return fmt.Errorf("%s is not empty: name another folder, or delete it", out)
	}
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "tracecheck-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &release{source: source, out: out, work: work}
	if err := r.prepare(trial); err != nil {
		return err
	}
	for _, p := range chosen {
		if err := r.make(p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return writeChecksums(out)
}

func choose(only string) ([]platform, error) {
	if only == "" {
		return platforms, nil
	}
	var chosen []platform
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown platform %q: want some of %v", name, platforms)
		}
		chosen = append(chosen, platforms[i])
	}
	return chosen, nil
}

// make makes all files of a platform.
func (r *release) make(p platform) error {
	binary := filepath.Join(r.work, p.os+"_"+p.arch, "tracecheck")
	if p.os == "windows" {
		binary += ".exe"
	}
	if err := r.build(p, binary); err != nil {
		return err
	}
	name := fmt.Sprintf("tracecheck_%s_%s_%s", r.version, p.os, p.arch)
	if err := r.archive(p, name, binary); err != nil {
		return err
	}
	if err := r.materials(name, binary); err != nil {
		return err
	}
	if p.os != "linux" {
		return nil
	}
	if err := r.image(p, name, binary); err != nil {
		return err
	}
	return r.packages(p, binary)
}
