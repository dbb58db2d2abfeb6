package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSeveralFiles(t *testing.T) {
	noLeak(t)
	a := write(t, "a.jsonl", []byte(node("a1")+"\n"+node("a2")+"\n"))
	b := write(t, "b.jsonl", []byte(node("b1"))) // no line end
	empty := write(t, "empty.jsonl", nil)
	c := write(t, "c.jsonl", []byte("\n"+node("c2")+"\n"))
	r := open(t, strings.NewReader(node("in1")+"\n"), 0, a, b, stdinName, empty, c)
	got, err := drain(t, r)
	if err != nil {
		t.Fatal(err)
	}
	wantEvents(t, got, "a.jsonl:1 a1", "a.jsonl:2 a2", "b.jsonl:1 b1", "1 in1", "c.jsonl:2 c2")
}

// The error belongs to the file that has it, and what comes after it is not
// read.
func TestErrorInSecondFile(t *testing.T) {
	a := write(t, "a.jsonl", []byte(node("a1")))
	b := write(t, "b.jsonl", []byte(node("b1")+"\nnonsense\n"+node("b3")))
	c := write(t, "c.jsonl", []byte(node("c1")))
	got, err := drain(t, open(t, nil, 0, a, b, c))
	wantUnusable(t, err, b, 2, "nonsense")
	wantEvents(t, got, "a.jsonl:1 a1", "b.jsonl:1 b1")
}

func TestOpenChecksAllNames(t *testing.T) {
	good := write(t, "good.jsonl", []byte(node("a")))
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.jsonl")
	tests := []struct {
		name  string
		names []string
		opts  Options
		want  []string
	}{
		{"missing", []string{good, missing}, Options{}, []string{missing, "no such file", "check"}},
		{"directory", []string{good, dir}, Options{}, []string{dir, "directory"}},
		{"stdin twice", []string{stdinName, good, stdinName}, Options{}, []string{`"-"`, "twice"}},
		{"empty name", []string{""}, Options{}, []string{`""`}},
		{"none", nil, Options{}, []string{"no trace"}},
		{"bad limit", []string{good}, Options{MaxLine: -1}, []string{"--max-line"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			noLeak(t)
			test.opts.Stdin = unread{t}
			r, err := Open(test.names, test.opts)
			if err == nil {
				r.Close()
			}
			wantOther(t, err, test.want...)
		})
	}
}

// unread fails the test if it is read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("standard input was read")
	return 0, os.ErrInvalid
}

func TestFileVanishes(t *testing.T) {
	const n = 60_000 // too much to be read ahead
	a := write(t, "a.jsonl", updates(n))
	b := write(t, "b.jsonl", []byte(node("b1")))
	r := open(t, nil, 0, a, b)
	if err := os.Remove(b); err != nil {
		t.Fatal(err)
	}
	got, err := drain(t, r)
	wantOther(t, err, b, "no such file")
	if len(got) != n {
		t.Errorf("%d events before the error, want %d", len(got), n)
	}
}

func TestProgress(t *testing.T) {
	data := updates(1000)
	packed := gzipBytes(t, data)
	a, b := write(t, "a.jsonl", data), write(t, "b.jsonl.gz", packed)
	r := open(t, nil, 0, a, b)
	want := int64(len(data) + len(packed))
	if _, total := r.Progress(); total != want {
		t.Errorf("total is %d, want %d", total, want)
	}
	if _, err := drain(t, r); err != nil {
		t.Fatal(err)
	}
	if read, _ := r.Progress(); read != want {
		t.Errorf("read %d, want %d", read, want)
	}

	r = open(t, strings.NewReader(node("a")), 0, a, stdinName)
	if _, total := r.Progress(); total != -1 {
		t.Errorf("total with standard input is %d, want -1", total)
	}
}
