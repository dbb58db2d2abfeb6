package validatorstest

import (
	"context"
	"path/filepath"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

// EachCase yields the lines of all case files below the folder specs, with the options of
// the case. A line that is not part of the trace is blank.
func EachCase(t *testing.T, specs string, use func(path string, lines []string, opts validators.Options)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(specs, "*/testdata/*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	for _, path := range paths {
		c := readCase(t, path)
		var lines []string
		for i := range c.lines {
			for len(lines) < c.lines[i].number-1 {
				lines = append(lines, "")
			}
			lines = append(lines, c.lines[i].text)
		}
		use(path, lines, validators.Options{Attach: c.attach, Deadline: c.deadline})
	}
}

// Source yields the lines' events one by one. Blank lines have a number, too.
func Source(t testing.TB, lines []string) func(ctx context.Context, do func([]trace.Event) error) error {
	return func(ctx context.Context, do func([]trace.Event) error) error {
		for i, text := range lines {
			if text == "" {
				continue
			}
			var d trace.Decoder
			var ev trace.Event
			if err := d.Decode([]byte(text), trace.Pos{File: "t", Line: i + 1}, &ev); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if err := do([]trace.Event{ev}); err != nil {
				return err
			}
		}
		return nil
	}
}

// Events decodes lines, which are numbered from 1. Blank lines have a number,
// too.
func Events(t testing.TB, lines ...string) []trace.Event {
	t.Helper()
	var d trace.Decoder
	events := make([]trace.Event, 0, len(lines))
	for i, line := range lines {
		if line == "" {
			continue
		}
		var ev trace.Event
		if err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &ev); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		events = append(events, ev)
	}
	return events
}

// Judge judges the lines.
func Judge(t testing.TB, opts validators.Options, lines ...string) *validators.Result {
	t.Helper()
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Push(Events(t, lines...)); err != nil {
		t.Fatal(err)
	}
	return r.Finish()
}
