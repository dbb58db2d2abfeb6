package shrink_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/ingest"
	"tracecheck/internal/exhaustive"
	"tracecheck/postmortem/shrink"
	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

func judge(t testing.TB, source shrink.Source, opts validators.Options) *validators.Result {
	t.Helper()
	opts.Specs = specs.All()
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := source(t.Context(), r.Push); err != nil {
		t.Fatal(err)
	}
	return r.Finish()
}

// cases are the case files of all specs, with the options that they ask for.
func cases(t *testing.T, use func(t *testing.T, lines []string, opts validators.Options)) {
	validatorstest.EachCase(t, "../../specs", func(path string, lines []string, opts validators.Options) {
		t.Run(strings.TrimPrefix(path, "../../specs/"), func(t *testing.T) { use(t, lines, opts) })
	})
}

// same finds the violation in what another run found: of the same rule, and
// broken in the same way; nil if it is not there.
func same(v *validators.Violation, among []validators.Violation) *validators.Violation {
	for i := range among {
		o := &among[i]
		if o.Spec != v.Spec || o.Kind != v.Kind || o.Rule != v.Rule || len(o.Nearest) == 0 != (len(v.Nearest) == 0) {
			continue
		}
		if len(o.Nearest) > 0 {
			if o.Nearest[0].Action == v.Nearest[0].Action && slices.Equal(o.Nearest[0].Failed, v.Nearest[0].Failed) {
				return o
			}
			continue
		}
		if v.Kind == validators.OfLiveness {
			if waits(o.Waiting) == waits(v.Waiting) {
				return o
			}
			continue
		}
		was, _, _ := strings.Cut(v.Message, " (")
		is, _, _ := strings.Cut(o.Message, " (")
		if was == is {
			return o
		}
	}
	return nil
}

// waits states what waits for what.
func waits(w *validators.Waiting) string {
	return fmt.Sprintf("%s %q %q for %s", w.Kind, w.ID, w.Part, w.Action)
}

// owed lists what waits before the violation's step, and since which line's text;
// of a violation that is not of liveness, nothing.
func owed(t *testing.T, lines []string, v *validators.Violation, opts validators.Options) (list []string) {
	if v.Kind != validators.OfLiveness {
		return nil
	}
	opts.Deadline, opts.KeepGoing = 0, true
	for _, l := range judge(t, validatorstest.Source(t, lines[:v.FirstLine-1]), opts).Liveness {
		for _, w := range l.Waiting {
			list = append(list, waits(&w)+" since "+lines[w.SinceLine-1])
		}
	}
	slices.Sort(list)
	return list
}

// breaksNoMore states that each rule that one run found broken, the other did, too.
func breaksNoMore(one, other *validators.Result) bool {
	return !slices.ContainsFunc(one.Violations, func(v validators.Violation) bool {
		return !slices.ContainsFunc(other.Violations, func(o validators.Violation) bool { return o.Kind == v.Kind && o.Rule == v.Rule })
	})
}

// keepOf are the options that a meta line cannot hold.
func keepOf(opts validators.Options) validators.Options {
	return validators.Options{Attach: opts.Attach, Deadline: opts.Deadline, Budget: opts.Budget, OnGap: opts.OnGap}
}

// Each violation that a case of any spec shows is shown by a slice and by a
// shrunk trace of it, as its first violating step, judged with no option but
// those that a meta line cannot hold. Of the shrunk trace no line can go, unless
// another rule is broken then.
func TestCases(t *testing.T) {
	shown, n := 0, 0
	cases(t, func(t *testing.T, lines []string, opts validators.Options) {
		if n++; !exhaustive.Asked() && n%3 > 0 {
			return
		}
		source := validatorstest.Source(t, lines)
		first := judge(t, source, opts).Violations
		opts.KeepGoing = true
		opts.Specs = specs.All()
		all := judge(t, source, opts).Violations
		for i := range all {
			v := &all[i]
			// After a step that breaks a rule, what a machine knows of the past may
			// differ from what exists: only each stream's first step is sure.
			isFirst := slices.ContainsFunc(first, func(o validators.Violation) bool {
				return o.Stream == v.Stream && o.Line == v.Line && o.Spec == v.Spec && o.Kind == v.Kind
			})
			for _, slice := range []bool{true, false} {
				if !exhaustive.Asked() && slice == (n%2 == 0) {
					continue
				}
				result, err := shrink.Of(t.Context(), source, v, shrink.Options{Judge: opts, Slice: slice})
				if err == shrink.ErrNotAgain && !isFirst {
					continue
				}
				if err != nil {
					t.Errorf("slice %v of %s %s at line %d: %v", slice, v.Kind, v.Rule, v.Line, err)
					continue
				}
				shown++
				judging := keepOf(opts)
				judging.KeepGoing = result.Later
				again := judge(t, validatorstest.Source(t, result.Lines), judging)
				if again.Verdict != validators.Violated || same(v, again.Violations) == nil {
					t.Errorf("slice %v of %s %s at line %d: %s %s %+v, from\n%s", slice, v.Kind, v.Rule, v.Line, again.Verdict, again.Reason, again.Violations, strings.Join(result.Lines, "\n"))
				}
				if slice {
					continue
				}
				waiting := owed(t, result.Lines, &result.Violation, judging)
				for k := 1; k < len(result.Lines); k++ {
					if slices.Contains(result.Story, k+1) {
						continue
					}
					less := slices.Delete(slices.Clone(result.Lines), k, k+1)
					got := judge(t, validatorstest.Source(t, less), judging)
					if o := same(v, got.Violations); got.Verdict == validators.Violated && o != nil && breaksNoMore(got, again) && less[o.Line-1] == result.Lines[result.Violation.Line-1] &&
						slices.Equal(owed(t, less, o, judging), waiting) {
						t.Errorf("%s %s at line %d: the line\n%s\ncan go from\n%s", v.Kind, v.Rule, v.Line, result.Lines[k], strings.Join(result.Lines, "\n"))
					}
				}
			}
		}
	})
	if !t.Failed() && shown < exhaustive.Or(200, 500) {
		t.Errorf("%d violations, want some hundreds", shown)
	}
}

// A slice has the trace's own lines, from a step on to the violation's.
func TestSliceKeepsLines(t *testing.T) {
	source := fileOf("../../testdata/traces/jobbug.jsonl.gz")
	var lines []string
	if err := source(t.Context(), func(events []trace.Event) error {
		for i := range events {
			lines = append(lines, strings.Clone(events[i].Raw))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	v := judge(t, source, validators.Options{}).Violations[0]
	result, err := shrink.Of(t.Context(), source, &v, shrink.Options{Judge: validators.Options{Specs: specs.All()}, Slice: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range result.Lines[1:] {
		if !strings.Contains(line, `"op":"snapshot"`) {
			if line != lines[v.FirstLine-1+n] {
				t.Errorf("got %s, want the line %s", line, lines[v.FirstLine-1+n])
			}
			n++
		}
	}
	if n != v.LastLine-v.FirstLine+1 {
		t.Errorf("%d lines of the trace, want the %d of the step", n, v.LastLine-v.FirstLine+1)
	}
}

func fileOf(path string) shrink.Source {
	return func(ctx context.Context, do func([]trace.Event) error) error {
		reader, err := ingest.Open([]string{path}, ingest.Options{})
		if err != nil {
			return err
		}
		defer reader.Close()
		for {
			block, err := reader.Next(ctx)
			if err != nil {
				if err.Error() == "EOF" {
					return nil
				}
				return err
			}
			err = do(block.Events)
			block.Release()
			if err != nil {
				return err
			}
		}
	}
}

// The trace's form bears on nothing but what is asked: the same input gives the
// same result.
func TestSameAgain(t *testing.T) {
	source := fileOf("../../testdata/traces/startfirst.jsonl.gz")
	opts := shrink.Options{Judge: validators.Options{Specs: specs.All(), Profile: validators.ProfileSpec}}
	v := judge(t, source, opts.Judge).Violations[0]
	want := ""
	for range 3 {
		result, err := shrink.Of(t.Context(), source, &v, opts)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(strings.Join(result.Lines, "\n"), result.Runs)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	source := fileOf("../../testdata/traces/jobbug.jsonl.gz")
	v := judge(t, source, validators.Options{}).Violations[0]
	ctx, cancel := context.WithCancel(t.Context())
	judged := 0
	_, err := shrink.Of(ctx, func(ctx context.Context, do func([]trace.Event) error) error {
		defer cancel()
		judged++
		return source(ctx, do)
	}, &v, shrink.Options{Judge: validators.Options{Specs: specs.All()}})
	if err != context.Canceled || judged != 1 {
		t.Errorf("%v after reading %d times, want that it is canceled after one", err, judged)
	}
}

// Recordings under the profile moby, in which the past matters: with a line left
// out, whatever breaks can be shown by a few lines.
func TestRecordings(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/traces/*.jsonl.gz")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d recordings, %v", len(paths), err)
	}
	shown := 0
	for _, path := range paths {
		var lines []string
		if err := fileOf(path)(t.Context(), func(events []trace.Event) error {
			for i := range events {
				lines = append(lines, strings.Clone(events[i].Raw))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		parts := exhaustive.Or(2, 8)
		for part := 1; part < parts; part++ {
			broken := slices.Clone(lines)
			at := len(lines) * part / parts
			for i := at; i < len(broken); i++ {
				broken[i] = seq.ReplaceAllString(broken[i], "") // no gap
			}
			broken[at] = ""
			source := validatorstest.Source(t, broken)
			found := judge(t, source, validators.Options{}).Violations
			if len(found) == 0 {
				continue // nothing contradicts it
			}
			for _, slice := range []bool{true, false} {
				result, err := shrink.Of(t.Context(), source, &found[0], shrink.Options{Judge: validators.Options{Specs: specs.All()}, Slice: slice})
				if err != nil {
					t.Errorf("%s without line %d: %v", path, at+1, err)
					continue
				}
				if again := judge(t, validatorstest.Source(t, result.Lines), validators.Options{}); same(&found[0], again.Violations) == nil {
					t.Errorf("%s without line %d: slice %v shows %+v", path, at+1, slice, again.Violations)
				}
				if !slice && len(result.Lines) > 12 {
					t.Errorf("%s without line %d: %d lines:\n%s", path, at+1, len(result.Lines), strings.Join(result.Lines, "\n"))
				}
				shown++
			}
		}
	}
	if shown < len(paths) {
		t.Errorf("%d violations shown by %d recordings, want more", shown, len(paths))
	}
}

var seq = regexp.MustCompile(`"seq":[0-9]+,`)

// A violation that does not come again is reported not to, also behind a gap.
func TestNotAgain(t *testing.T) {
	lines := []string{
		`{"seq":1,"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}`,
		`{"seq":9,"kind":"service","op":"snapshot","id":"web","object":{"replicas":1,"remove":false}}`,
		`{"seq":10,"kind":"service","op":"delete","id":"web"}`,
	}
	opts := validators.Options{OnGap: trace.ResyncOnGap}
	v := judge(t, validatorstest.Source(t, lines), opts).Violations[0]
	opts.Specs = specs.All()
	if result, err := shrink.Of(t.Context(), validatorstest.Source(t, lines), &v, shrink.Options{Judge: opts}); err != nil || len(result.Lines) != 3 {
		t.Errorf("behind a gap: %v %v", result, err)
	}
	v.Rule = "TypeOK"
	if _, err := shrink.Of(t.Context(), validatorstest.Source(t, lines), &v, shrink.Options{Judge: opts}); err != shrink.ErrNotAgain {
		t.Errorf("another rule: %v", err)
	}
	v.Line, v.LastLine = 7, 7
	if _, err := shrink.Of(t.Context(), validatorstest.Source(t, lines), &v, shrink.Options{Judge: opts}); err != shrink.ErrNotAgain {
		t.Errorf("another line: %v", err)
	}
}

// A violation that a run reports shows again, whatever else the run asked for or found.
func TestShowsAgain(t *testing.T) {
	const service = `"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}`
	for _, c := range []struct {
		name  string
		lines []string
		opts  validators.Options
		line  int
		rule  string
		most  int // lines of the minimal trace
	}{
		{
			"claims an action of a spec that does not judge",
			[]string{
				`{"kind":"meta","object":{"format":1,"spec":["portallocator"]}}`,
				`{"kind":"endpoint","op":"create","id":"e1","action":"ProgressTask","object":{"spec":[],"ports":[]}}`,
			},
			validators.Options{}, 2, "action", 2,
		},
		{
			"a deadline, and no times where the rule is broken",
			[]string{
				`{"time":"2026-11-20T10:00:00Z",` + service,
				`{"kind":"task","op":"update","id":"t1","object":{"state":"running"}}`,
			},
			validators.Options{Deadline: time.Second}, 2, "Next", 2,
		},
		{
			"a recording after one that ends at a gap",
			[]string{
				`{"kind":"meta","object":{"format":1}}`,
				`{"seq":1,` + service,
				`{"seq":3,"kind":"service","op":"update","id":"web","object":{"replicas":2}}`,
				`{"kind":"meta","object":{"format":1}}`,
				`{"seq":1,` + service,
				`{"seq":2,"kind":"service","op":"delete","id":"web"}`,
			},
			validators.Options{}, 6, "Next", 3,
		},
		{
			"a later violation that needs an object of the first one, which has no valid snapshot",
			[]string{
				`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
				`{"kind":"service","op":"snapshot","id":"web","object":{"replicas":-1,"remove":false}}`,
				`{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"running","desired_state":"running"}}`,
			},
			validators.Options{KeepGoing: true}, 3, "Next", 3,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := validatorstest.Source(t, c.lines)
			found := judge(t, source, c.opts).Violations
			i := slices.IndexFunc(found, func(v validators.Violation) bool { return v.Line == c.line && v.Rule == c.rule })
			if i < 0 {
				t.Fatalf("found %+v", found)
			}
			judging := c.opts
			judging.Specs = specs.All()
			for _, slice := range []bool{true, false} {
				result, err := shrink.Of(t.Context(), source, &found[i], shrink.Options{Judge: judging, Slice: slice})
				if err != nil {
					t.Errorf("slice %v: %v", slice, err)
					continue
				}
				again := judge(t, validatorstest.Source(t, result.Lines), validators.Options{KeepGoing: result.Later})
				if same(&found[i], again.Violations) == nil || !slice && len(result.Lines) > c.most {
					t.Errorf("slice %v: %+v, from\n%s", slice, again, strings.Join(result.Lines, "\n"))
				}
			}
		})
	}
}
