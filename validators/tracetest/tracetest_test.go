package tracetest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tracecheck/specs/swarmkit"
	"tracecheck/specs/updatecluster"
	"tracecheck/validators"
	"tracecheck/validators/tracetest"
)

type fields = map[string]any

// outcome is what a test with these changes fails with, "" if it passes.
func outcome(do func(t testing.TB)) string {
	t := &recording{}
	do(t)
	for _, f := range t.cleanup {
		f()
	}
	return strings.Join(t.errors, "\n")
}

// recording is a test that keeps its errors.
type recording struct {
	testing.TB
	cleanup []func()
	errors  []string
}

func (r *recording) Name() string     { return "TestIt" }
func (r *recording) Helper()          {}
func (r *recording) Cleanup(f func()) { r.cleanup = append(r.cleanup, f) }
func (r *recording) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recording) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

func submitted(tr *tracetest.Trace, rank int) {
	tr.Tx(func(tx *tracetest.Changes) {
		tx.Update("request", "r1", fields{"status": "submitted", "rank": rank})
		tx.Update("cluster", "", fields{"last_submitted": rank})
	})
}

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t testing.TB)
		want []string // parts of what it fails with; none: it passes
	}{
		{"conforming, in a transaction", func(t testing.TB) { submitted(tracetest.New(t, updatecluster.Spec), 1) }, nil},
		{"violation, in a transaction", func(t testing.TB) { submitted(tracetest.New(t, updatecluster.Spec), 2) },
			[]string{"TestIt:1", "Nearest is Submit", "tracetest_test.go:"}},
		{"nothing judged", func(t testing.TB) { tracetest.New(t, updatecluster.Spec) }, []string{"the input has no events"}},
		{"a claim", func(t testing.TB) {
			tracetest.New(t, updatecluster.Spec).By("", "Rollback").Update("request", "r1", fields{"status": "submitted", "rank": 1})
		}, []string{"claims the action Rollback"}},
		{"streams are judged alone", func(t testing.TB) {
			tr := tracetest.New(t, updatecluster.Spec)
			for _, stream := range []string{"east", "west"} {
				tr.Of(stream).Update("request", "r1", fields{"status": "submitted", "rank": 1})
			}
		}, nil},
		{"what does not encode", func(t testing.TB) {
			tracetest.New(t, updatecluster.Spec).Update("request", "r1", fields{"status": make(chan int)})
		}, []string{"the update of request r1 does not encode"}},
		{"no such kind", func(t testing.TB) {
			tracetest.New(t, updatecluster.Spec).Update("quest", "r1", fields{"status": "submitted"})
		}, []string{`quest`}},
		{"a change after the end", func(t testing.TB) {
			tr := tracetest.New(t, updatecluster.Spec)
			submitted(tr, 1)
			tr.Finish()
			submitted(tr, 2)
		}, []string{"a change came after Finish"}},
		{"options", func(t testing.TB) {
			tr := tracetest.Judge(t, validators.Options{Specs: []*validators.Spec{updatecluster.Spec}, Steps: validators.Batched})
			tr.Update("request", "r1", fields{"status": "valid", "rank": 1})
		}, nil},
		{"a deadline, by the clock", func(t testing.TB) {
			tr := tracetest.Judge(t, validators.Options{Specs: []*validators.Spec{updatecluster.Spec}, Deadline: time.Minute})
			now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			tr.Clock(func() time.Time { now = now.Add(time.Minute); return now })
			tr.Update("request", "r1", fields{"status": "submitted", "rank": 1})
			tr.Update("request", "r1", fields{"status": "valid"})
			tr.Update("request", "r1", fields{"status": "valid"})
			tr.Update("request", "r1", fields{"status": "valid"})
		}, []string{"PushToQueue"}},
	} {
		got := outcome(c.do)
		if (got == "") != (len(c.want) == 0) {
			t.Errorf("%s: fails with %q, want %q", c.name, got, c.want)
		}
		for _, part := range c.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: fails with\n%s\nwithout %q", c.name, got, part)
			}
		}
	}
}

// TestGoroutines: each change is judged once, whichever goroutine makes it.
func TestGoroutines(t *testing.T) {
	tr := tracetest.New(t, swarmkit.Spec)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 50 {
				tr.Of(fmt.Sprint(i)).Create("service", fmt.Sprint(k), fields{"replicas": 1, "remove": false})
			}
		})
	}
	all.Wait()
	if got := tr.Finish(); len(tr.Lines()) != 400 || got.Steps != 400 || got.Streams != 8 {
		t.Errorf("%d lines, %d steps of %d streams, want 400, 400 and 8", len(tr.Lines()), got.Steps, got.Streams)
	}
}
