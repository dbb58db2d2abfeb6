package specs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// file is a recording as one of several inputs.
type file struct {
	name  string
	lines [][]byte
}

// judgeFiles judges the files in their order, in one run.
func judgeFiles(t *testing.T, opts validators.Options, files ...file) *validators.Result {
	t.Helper()
	opts.Specs = specs.All()
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		var d trace.Decoder // of the whole file
		events := make([]trace.Event, len(f.lines))
		for i, line := range f.lines {
			if err := d.Decode(line, trace.Pos{File: f.name, Line: i + 1}, &events[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Push(events); err != nil {
			t.Fatal(err)
		}
	}
	return r.Finish()
}

// Several recordings in one run come to what each of them does alone, put
// together, in whatever order they are: at its own lines, and whatever was wrong
// with the one before.
func TestTogether(t *testing.T) {
	dirs := []string{"../testdata/traces"}
	if dir := os.Getenv("TRACECHECK_RECORDINGS"); dir != "" {
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		var files []file
		for _, path := range append(recordings(t, dir), "../testdata/traces/mixed.jsonl") {
			if filepath.Base(path) == "crash28.jsonl.gz" {
				continue // the end of a longer one: its numbers do not begin again, which is a gap
			}
			files = append(files, file{filepath.Base(path), bytes.Split(bytes.TrimSpace(validatorstest.ReadTrace(t, path)), []byte{'\n'})})
		}
		for name, opts := range map[string]validators.Options{
			"as they are": {},
			"keep going":  {Profile: validators.ProfileSpec, KeepGoing: true, Coverage: true},
			"deadline":    {Deadline: 10 * time.Second},
			"attached":    {Attach: true, OnGap: trace.ResyncOnGap},
		} {
			t.Run(filepath.Base(dir)+" "+name, func(t *testing.T) {
				t.Parallel()
				alone := map[string][]byte{}
				for _, f := range files {
					var err error
					if alone[f.name], err = json.Marshal(judgeFiles(t, opts, f)); err != nil {
						t.Fatal(err)
					}
				}
				backwards := slices.Clone(files)
				slices.Reverse(backwards)
				for i, order := range [][]file{files, backwards} {
					var want validators.Result
					for _, f := range order {
						var own validators.Result // a copy, since sums share what they are of
						if err := json.Unmarshal(alone[f.name], &own); err != nil {
							t.Fatal(err)
						}
						want = sum(want, &own)
					}
					opts.Shards = 1 + 2*i
					got := judgeFiles(t, opts, order...)
					if len(got.Notes) > 0 {
						t.Errorf("it is said that %q", got.Notes)
					}
					if a, b := plain(t, *got), plain(t, want); a != b {
						at := 0
						for at < min(len(a), len(b)) && a[at] == b[at] {
							at++
						}
						t.Errorf("%d shards, %s first: from %d on\n%.400s\nwant\n%.400s", opts.Shards, order[0].name, at, a[max(0, at-100):], b[max(0, at-100):])
					}
				}
			})
		}
	}
}

// sum is the results one behind the other.
func sum(a validators.Result, b *validators.Result) validators.Result {
	a.Events, a.Steps, a.Streams = a.Events+b.Events, a.Steps+b.Steps, a.Streams+b.Streams
	a.Duplicates, a.Gaps, a.Skipped = a.Duplicates+b.Duplicates, a.Gaps+b.Gaps, a.Skipped+b.Skipped
	a.Violations = append(a.Violations, b.Violations...)
	a.Desired = append(a.Desired, b.Desired...)
	a.Liveness = append(a.Liveness, b.Liveness...)
	a.Coverage = validators.MergeCoverage(a.Coverage, b.Coverage)
	for _, use := range b.Allowances {
		i := slices.IndexFunc(a.Allowances, func(u validators.Use) bool { return u.Spec == use.Spec && u.Name == use.Name })
		if i < 0 {
			a.Allowances = append(a.Allowances, use)
		} else {
			a.Allowances[i].Count += use.Count
		}
	}
	return a
}

// plain is the result as text, in an order of its own, without what tells the
// recordings apart and what the sum does not have.
func plain(t *testing.T, r validators.Result) string {
	t.Helper()
	r.Version, r.Verdict, r.Reason, r.Specs, r.Notes = 0, "", "", nil, nil
	slices.SortFunc(r.Allowances, func(a, b validators.Use) int {
		return bytes.Compare(fmt.Append(nil, a.Spec, a.Name), fmt.Append(nil, b.Spec, b.Name))
	})
	slices.SortFunc(r.Coverage, func(a, b validators.Coverage) int { return bytes.Compare([]byte(a.Spec), []byte(b.Spec)) })
	for i := range r.Coverage {
		c := &r.Coverage[i]
		slices.SortFunc(c.Actions, func(a, b validators.ActionCount) int { return bytes.Compare([]byte(a.Action), []byte(b.Action)) })
	}
	r.Desired, r.Liveness = slices.Clone(r.Desired), slices.Clone(r.Liveness)
	for i := range r.Desired {
		r.Desired[i].Recording = 0
	}
	for i := range r.Liveness {
		r.Liveness[i].Recording = 0
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
