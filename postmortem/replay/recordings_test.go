package replay_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/ingest"
	"tracecheck/postmortem/replay"
	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// lines reads a recording.
func lines(t *testing.T, path string) []string {
	t.Helper()
	reader, err := ingest.Open([]string{path}, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var list []string
	for {
		block, err := reader.Next(t.Context())
		if err != nil {
			return list
		}
		for i := range block.Events {
			if line := block.Events[i].Pos.Line; line != len(list)+1 {
				t.Fatalf("%s: line %d after %d", path, line, len(list))
			}
			list = append(list, strings.Clone(block.Events[i].Raw))
		}
		block.Release()
	}
}

// each decodes the lines, one file of them.
func each(t *testing.T, lines []string, do func([]trace.Event) error) error {
	t.Helper()
	for i, line := range lines {
		var d trace.Decoder
		var ev trace.Event
		if err := d.Decode([]byte(line), trace.Pos{File: "t", Line: i + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		if err := do([]trace.Event{ev}); err != nil {
			return err
		}
	}
	return nil
}

func judged(t *testing.T, lines []string, opts validators.Options) *validators.Result {
	t.Helper()
	opts.Specs, opts.OnGap = specs.All(), trace.ResyncOnGap
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := each(t, lines, r.Push); err != nil {
		t.Fatal(err)
	}
	return r.Finish()
}

// cut is the state after a line's step as the beginning of a trace, and the line
// whose step it follows.
func cut(t *testing.T, list []string, at int) (begin []string, last int) {
	t.Helper()
	r := replay.New(replay.Options{At: replay.Line(trace.Pos{File: "t", Line: at}), OnGap: trace.ResyncOnGap})
	if err := each(t, list, r.Push); err != nil && err != replay.ErrDone {
		t.Fatal(err)
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := replay.Write(&out, r.Streams(), nil); err != nil {
		t.Fatal(err)
	}
	if n := len(r.Streams()); n != 1 {
		t.Fatalf("%d streams, want one", n)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n"), r.Streams()[0].Last.Line
}

// after lists the violations of the steps that follow a line. moved is by how
// much its lines are farther down.
func after(violations []validators.Violation, line, moved int) (list []string) {
	for i := range violations {
		v := &violations[i]
		if v.FirstLine <= line+moved {
			continue
		}
		list = append(list, fmt.Sprint(v.Spec, " ", v.Kind, " ", v.Rule, " at ", v.Line-moved, " of ", v.FirstLine-moved, " to ", v.LastLine-moved, ": ", v.Message))
	}
	return list
}

// A state and the lines that followed it break, from there on, the rules that the
// recording breaks, at the same lines and for the same reasons. Judged to the
// letter, that is all of it: what is broken in the state itself was so before.
func TestStateGoesOn(t *testing.T) {
	eachCut(t, func(t *testing.T, list []string) func(rest []string, last, moved int) {
		opts := validators.Options{Profile: validators.ProfileSpec, KeepGoing: true}
		whole := judged(t, list, opts)
		return func(rest []string, last, moved int) {
			result := judged(t, rest, opts)
			got, want := after(result.Violations, last, moved), after(whole.Violations, last, 0)
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Errorf("cut at line %d: from the violation no. %d on there is\n%q\nwant\n%q", last, i+1, got[min(i, len(got)):], want[min(i, len(want)):])
					break
				}
			}
			for i := range result.Violations[:len(result.Violations)-len(got)] {
				if v := &result.Violations[i]; v.Kind != validators.OfInvariant && v.Kind != validators.OfType {
					t.Errorf("cut at line %d: the state itself has a violation %s %s: %s", last, v.Kind, v.Rule, v.Message)
				}
			}
		}
	})
}

// Under the profile moby, what is reported of the past is lost: for the five seconds
// of its widest window there may be false alarms.
func TestStateGoesOnUnderMoby(t *testing.T) {
	const window = 5 * time.Second
	eachCut(t, func(t *testing.T, list []string) func(rest []string, last, moved int) {
		opts := validators.Options{Profile: "moby", KeepGoing: true}
		whole := judged(t, list, opts)
		return func(rest []string, last, moved int) {
			want := map[string]bool{}
			for _, v := range after(whole.Violations, last, 0) {
				want[v] = true
			}
			found := 0
			result := judged(t, rest, opts)
			for i := range result.Violations {
				v := &result.Violations[i]
				switch {
				case v.Kind == validators.OfInvariant && v.FirstLine <= last+moved: // so it was before
				case len(after(result.Violations[i:i+1], last, moved)) == 1 && want[after(result.Violations[i:i+1], last, moved)[0]]:
					found++
				case at(t, list[v.Line-moved-1]).Sub(at(t, list[last-1])) > window:
					t.Errorf("cut at line %d: line %d: %s", last, v.Line-moved, v.Message)
				}
			}
			if found != len(want) {
				t.Errorf("cut at line %d: %d violations, want %v", last, found, want)
			}
		}
	})
}

// at is the line's time.
func at(t *testing.T, line string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, gjson.Get(line, "time").Str)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// eachCut calls the function that judge makes of a recording with the states at
// some of its lines and the lines that followed.
func eachCut(t *testing.T, judge func(t *testing.T, list []string) func(rest []string, last, moved int)) {
	paths, err := filepath.Glob("../../testdata/traces/*.jsonl*")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d recordings, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			list := lines(t, path)
			check := judge(t, list)
			for part := 1; part < 8; part++ {
				begin, last := cut(t, list, max(1, len(list)*part/8))
				check(append(begin, list[last:]...), last, len(begin)-last)
			}
		})
	}
}
