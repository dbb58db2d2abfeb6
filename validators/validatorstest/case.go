package validatorstest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

// A case is a text file: a trace in format 1, and after a step's last line
// what is expected of it:
//
//	# by CreateSlot                     the actions that explain it, in order
//	# want transition Next: Scheduler: State(t) = pending
//
// A want names a violation's kind and rule and, after a colon, a part of its
// message or of one of its nearest actions, written "Action: clause". Each
// violation needs its want, and each want its violation. Other lines with # are
// comments, except
//
//	# option attach                     as the flag of that name
//	# option no-cut                     not to be resumed from snapshots; say why
//
// Streams are judged past their first violating step.
type testCase struct {
	path   string
	lines  []caseLine
	attach bool
	noCut  bool
}

type caseLine struct {
	number int
	text   string
	by     string // "" where nothing is expected
	wants  []string
}

func readCase(t *testing.T, path string) *testCase {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &testCase{path: path}
	for i, text := range strings.Split(string(raw), "\n") {
		text = strings.TrimSpace(text)
		last := len(c.lines) - 1
		rest, ok := strings.CutPrefix(text, "# ")
		switch {
		case text == "" || text == "#":
		case !ok:
			c.lines = append(c.lines, caseLine{number: i + 1, text: text})
		case strings.HasPrefix(rest, "by "), strings.HasPrefix(rest, "want "):
			if last < 0 {
				t.Fatalf("%s:%d: an expectation stands before the first line of the trace", path, i+1)
			}
			if by, ok := strings.CutPrefix(rest, "by "); ok {
				c.lines[last].by = by
			} else {
				c.lines[last].wants = append(c.lines[last].wants, strings.TrimPrefix(rest, "want "))
			}
		case strings.HasPrefix(rest, "option attach"):
			c.attach = true
		case strings.HasPrefix(rest, "option no-cut"):
			c.noCut = true
		case strings.HasPrefix(rest, "option "):
			t.Fatalf("%s:%d: unknown %s", path, i+1, rest)
		}
	}
	return c
}

// outcome is what a run said of each line: keyed by the step's last line.
type outcome struct {
	by         map[int]string
	violations map[int][]validators.Violation
	result     *validators.Result
}

// judge runs lines, each with the number under which it is reported.
func judge(t *testing.T, specs []*validators.Spec, lines []caseLine, attach bool) outcome {
	t.Helper()
	o := outcome{map[int]string{}, map[int][]validators.Violation{}, nil}
	r, err := validators.NewRunner(validators.Options{
		Specs: specs, KeepGoing: true, Attach: attach,
		OnStep: func(step *trace.Step, _ string, explanation []string, _ []validators.Finding) {
			o.by[step.Last().Line] = strings.Join(explanation, ", ")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var d trace.Decoder
	for _, l := range lines {
		var ev trace.Event
		if err := d.Decode([]byte(l.text), trace.Pos{Line: l.number}, &ev); err != nil {
			t.Fatal(err)
		}
		if err := r.Push([]trace.Event{ev}); err != nil {
			t.Fatal(err)
		}
	}
	o.result = r.Finish()
	for _, v := range o.result.Violations {
		o.violations[v.LastLine] = append(o.violations[v.LastLine], v)
	}
	return o
}

// matches says that the violation is the one that want describes.
func matches(want string, v *validators.Violation) bool {
	head, part, _ := strings.Cut(want, ": ")
	if head != string(v.Kind)+" "+v.Rule {
		return false
	}
	if strings.Contains(v.Message, part) {
		return true
	}
	for _, n := range v.Nearest {
		for _, failed := range n.Failed {
			if strings.Contains(n.Action+": "+failed, part) {
				return true
			}
		}
	}
	return false
}

func describe(v *validators.Violation) string {
	text := fmt.Sprintf("%s %s: %s", v.Kind, v.Rule, v.Message)
	for _, n := range v.Nearest {
		text += fmt.Sprintf("\n\t\t%s: %s", n.Action, strings.Join(n.Failed, " | "))
	}
	return text
}

// check compares an outcome with what the case expects.
func (c *testCase) check(t *testing.T, o outcome) {
	t.Helper()
	if o.result.Verdict == validators.Unusable {
		t.Errorf("%s: unusable: %s", c.path, o.result.Reason)
	}
	for _, l := range c.lines {
		if l.by != "" && o.by[l.number] != strings.TrimSuffix(l.by, "nothing") {
			t.Errorf("%s:%d: explained by [%s], want [%s]", c.path, l.number, o.by[l.number], l.by)
		}
		left := append([]string(nil), l.wants...)
	violations:
		for i := range o.violations[l.number] {
			v := &o.violations[l.number][i]
			for k, want := range left {
				if matches(want, v) {
					left = append(left[:k], left[k+1:]...)
					continue violations
				}
			}
			t.Errorf("%s:%d: unexpected %s", c.path, l.number, describe(v))
		}
		for _, want := range left {
			t.Errorf("%s:%d: no violation matches: want %s", c.path, l.number, want)
		}
	}
}

// RunCases judges every *.txt file of the folder, as it stands and in
// variations that must not matter.
func RunCases(t *testing.T, specs []*validators.Spec, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			c := readCase(t, path)
			o := judge(t, specs, c.lines, c.attach)
			c.check(t, o)
			if t.Failed() {
				return
			}
			t.Run("interleaved", func(t *testing.T) { c.interleaved(t, specs, o) })
			t.Run("batched", func(t *testing.T) { c.batched(t, specs, o) })
			if !c.noCut && !c.attach {
				t.Run("cut", func(t *testing.T) { c.cut(t, specs, o) })
			}
		})
	}
}
