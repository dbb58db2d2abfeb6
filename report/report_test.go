package report

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tracecheck/postmortem/coverage"
	"tracecheck/validators"
)

func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func TestMain(m *testing.M) {
	flag.Bool("update", false, "rewrite testdata: look at the difference before you keep it")
	flag.Parse()
	os.Exit(m.Run())
}

// golden compares what write writes with testdata/NAME.txt.
func golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".txt")
	if updating() {
		if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got\n%s\nwant, as in %s,\n%s", got.Bytes(), file, want)
	}
}

func TestText(t *testing.T) {
	for name, c := range textCases() {
		t.Run(name, func(t *testing.T) {
			golden(t, name, func(w io.Writer) error { return Text(w, c.result, c.opts) })
		})
	}
}

// A full disk must not pass for a printed verdict.
func TestWriteFails(t *testing.T) {
	r := &validators.Result{Version: 1, Verdict: validators.Conforming, Violations: []validators.Violation{}}
	s := []*validators.Spec{tinySpec()}
	d, c := &Document{Result: r, Specs: s}, &coverage.Report{}
	for name, write := range map[string]func(io.Writer) error{
		"Text":         func(w io.Writer) error { return Text(w, r, TextOptions{}) },
		"JSON":         func(w io.Writer) error { return JSON(w, r) },
		"Specs":        func(w io.Writer) error { return Specs(w, s, TextOptions{}) },
		"Spec":         func(w io.Writer) error { return Spec(w, s[0], TextOptions{}) },
		"Part":         func(w io.Writer) error { return Part(w, s[0], TextOptions{}) },
		"SpecsJSON":    func(w io.Writer) error { return SpecsJSON(w, s) },
		"HTML":         func(w io.Writer) error { return HTML(w, d) },
		"JUnit":        func(w io.Writer) error { return JUnit(w, d) },
		"SARIF":        func(w io.Writer) error { return SARIF(w, d) },
		"GitHub":       func(w io.Writer) error { return GitHub(w, d) },
		"Coverage":     func(w io.Writer) error { return Coverage(w, c, TextOptions{}) },
		"CoverageJSON": func(w io.Writer) error { return CoverageJSON(w, c) },
		"CoverageHTML": func(w io.Writer) error { return CoverageHTML(w, c) },
	} {
		if err := write(fullDisk{}); err == nil {
			t.Errorf("%s does not say that it failed", name)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	err := JSON(&b, &validators.Result{Version: 1, Verdict: validators.Violated, Violations: []validators.Violation{{
		ID: "5f", Kind: validators.OfTransition, Rule: "Next", Line: 3, FirstLine: 3, LastLine: 3,
		Nearest: []validators.Near{{Action: "A", Failed: []string{"<< a, b >> \\in S & x"}}},
		History: []validators.Event{{File: "f", Line: 1, Raw: []byte(`{"kind": "node"}`)}},
	}}})
	const want = `{"version":1,"verdict":"violation","events":0,"steps":0,"streams":0,"violations":[` +
		`{"id":"5f","stream":"","spec":"","kind":"transition","rule":"Next","file":"","line":3,"first_line":3,"last_line":3,"message":"",` +
		`"nearest":[{"action":"A","actor":"","failed":["<< a, b >> \\in S & x"]}],` +
		`"history":[{"file":"f","line":1,"event":{"kind":"node"}}]}]}` + "\n"
	if err != nil || b.String() != want {
		t.Errorf("got  %s\nwant %s (%v)", b.String(), want, err)
	}
}
