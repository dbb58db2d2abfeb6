package validatorstest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/trace"
	"tracecheck/validators"
)

// A case is a text file: a trace in format 1. After a step's last line are the
// expectations of it:
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
//	# option no-cut: REASON             is not resumed from snapshots
//
// These lines list what waits after the step:
//
//	# waits 12 task t1 Scheduler        since line 12, t1 for Scheduler
//	# waits nothing
//
// "stream" is the stream itself. The part of an object follows its id. List everything
// that waits, or nothing. Violations of kind liveness need
//
//	# option deadline 5m                as the flag of that name
//
// Streams are judged past their first violating step.
type testCase struct {
	path     string
	lines    []caseLine
	attach   bool
	noCut    bool
	deadline time.Duration
	coverage bool // whether to count it
}

type caseLine struct {
	number int
	text   string
	by     string // "" where nothing is expected
	wants  []string
	waits  []string // nil: nothing is expected
}

// pos is the line's position. A line made for a resumed trace is in another file.
func (l *caseLine) pos() trace.Pos {
	if l.number < 0 {
		const beyond = 1_000_000 // the lines of any case
		return trace.Pos{File: "resumed", Line: beyond - l.number}
	}
	return trace.Pos{Line: l.number}
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
		case strings.HasPrefix(rest, "by "), strings.HasPrefix(rest, "want "), strings.HasPrefix(rest, "waits "):
			if last < 0 {
				t.Fatalf("%s:%d: an expectation comes before the first line of the trace", path, i+1)
			}
			l := &c.lines[last]
			switch word, rest, _ := strings.Cut(rest, " "); word {
			case "by":
				l.by = rest
			case "want":
				l.wants = append(l.wants, rest)
			case "waits":
				l.waits = append(l.waits, rest)
			}
		case strings.HasPrefix(rest, "option attach"):
			c.attach = true
		case strings.HasPrefix(rest, "option deadline "):
			if c.deadline, err = time.ParseDuration(strings.TrimPrefix(rest, "option deadline ")); err != nil {
				t.Fatalf("%s:%d: %v", path, i+1, err)
			}
		case strings.HasPrefix(rest, "option no-cut"):
			c.noCut = true
		case strings.HasPrefix(rest, "option "):
			t.Fatalf("%s:%d: unknown %s", path, i+1, rest)
		}
	}
	return c
}

// outcome is the result of a run for each step, by the number of its last line.
type outcome struct {
	by         map[int]string
	violations map[int][]validators.Violation
	result     *validators.Result
}

// judge runs lines, each with the number under which it is reported.
func (c *testCase) judge(t *testing.T, specs []*validators.Spec, lines []caseLine) outcome {
	t.Helper()
	o := outcome{map[int]string{}, map[int][]validators.Violation{}, nil}
	r, err := validators.NewRunner(validators.Options{
		Specs: specs, KeepGoing: true, Attach: c.attach, Deadline: c.deadline, Coverage: c.coverage,
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
		if err := d.Decode([]byte(l.text), l.pos(), &ev); err != nil {
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

// matches reports whether want describes the violation.
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

// checkWaits compares what waits after each step with what the case lists.
func (c *testCase) checkWaits(t *testing.T, specs []*validators.Spec) {
	t.Helper()
	for i, l := range c.lines {
		if l.waits == nil {
			continue
		}
		got := waitsOf(c.judge(t, specs, c.lines[:i+1]).result, true)
		want := slices.DeleteFunc(slices.Clone(l.waits), func(s string) bool { return s == "nothing" })
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:%d: after this, waiting are\n\t%s\nwant\n\t%s", c.path, l.number, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
	}
}

// waitsOf lists what waits, sorted, in the form of a case. The line numbers are optional.
func waitsOf(result *validators.Result, lines bool) []string {
	var list []string
	for _, p := range result.Liveness {
		for _, w := range p.Waiting {
			words := []string{"", w.Kind, w.ID, w.Part, w.Action}
			if lines {
				words[0] = fmt.Sprint(w.SinceLine)
			}
			text := strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
			if !slices.Contains(list, text) { // it may belong to two properties
				list = append(list, text)
			}
		}
	}
	slices.Sort(list)
	return list
}

// RunCases judges every *.txt file of the folder, unchanged and in variations with the
// same expected result.
func RunCases(t *testing.T, specs []*validators.Spec, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			c := readCase(t, path)
			o := c.judge(t, specs, c.lines)
			c.check(t, o)
			c.checkWaits(t, specs)
			if t.Failed() {
				return
			}
			t.Run("interleaved", func(t *testing.T) { c.interleaved(t, specs, o) })
			t.Run("batched", func(t *testing.T) { c.batched(t, specs, o) })
			if !c.noCut && !c.attach && c.deadline == 0 { // snapshots do not have the start of a wait
				t.Run("cut", func(t *testing.T) { c.cut(t, specs, o) })
			}
		})
	}
}
