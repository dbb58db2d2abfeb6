package local

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracecheck/monitor/checkpoint"
)

// syncedVariable names the file into which a process saves that is traced.
const syncedVariable = "TRACECHECK_TEST_SYNCED"

var (
	writes  = regexp.MustCompile(`pwrite64\((\d+), .*, \d+, (\d+)\)? `)
	syncs   = regexp.MustCompile(`^(\d+) +(?:fdatasync|fsync)\((\d+)`)
	resumed = regexp.MustCompile(`^(\d+) +<\.\.\. (?:fdatasync|fsync) resumed`)
)

// What TestLostWrites assumes is so: a first page of a file is written when all
// pages that were written before are synced, and is synced before any other is
// written.
func TestWritesAreSynced(t *testing.T) {
	if path := os.Getenv(syncedVariable); path != "" {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := goesOn(t, s, "a")
		for n := range 6 {
			save(t, p, &checkpoint.Change{Head: fmt.Append(nil, n), Streams: slices.Values([]checkpoint.Stream{stream(fmt.Sprint(n), state(n, n))})})
		}
		return
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace")
	}
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	cmd := exec.Command(strace, "-f", "-s", "0", "-e", "trace=pwrite64,fdatasync,fsync", "-o", seen, os.Args[0], "-test.run=^TestWritesAreSynced$")
	cmd.Env = append(os.Environ(), syncedVariable+"="+filepath.Join(dir, "checkpoints"))
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "PTRACE") || strings.Contains(string(out), "ptrace") {
			t.Skipf("nothing can be traced here: %s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	type file struct{ pages, first bool } // that were written and not synced
	open := map[string]*file{}
	syncing := map[string]string{} // by thread: the file
	firsts := 0
	of := func(fd string) *file {
		if open[fd] == nil {
			open[fd] = &file{}
		}
		return open[fd]
	}
	for line := range strings.Lines(string(text)) {
		if m := syncs.FindStringSubmatch(line); m != nil {
			if syncing[m[1]] = m[2]; !strings.Contains(line, "unfinished") {
				*of(m[2]) = file{}
			}
			continue
		}
		if m := resumed.FindStringSubmatch(line); m != nil { // strace states no file once more
			*of(syncing[m[1]]) = file{}
			continue
		}
		m := writes.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		f := of(m[1])
		at, _ := strconv.Atoi(m[2])
		if f.first {
			t.Errorf("something is written while a first page is not synced: %s", line)
		}
		if at >= 2*pageSize {
			f.pages = true
			continue
		}
		if f.pages {
			t.Errorf("a first page is written while others are not synced: %s", line)
		}
		f.first = true
		firsts++
	}
	for fd, f := range open {
		if f.first || f.pages {
			t.Errorf("what was written at last is not synced (file %s)", fd)
		}
	}
	if firsts < 6 {
		t.Errorf("the test shows nothing: %d first pages were written\n%s", firsts, text)
	}
}
