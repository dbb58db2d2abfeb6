package monitor_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"tracecheck/ingest"
	"tracecheck/internal/exhaustive"
	"tracecheck/internal/generate"
	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/monitortest"
	"tracecheck/trace"
	"tracecheck/validators"
)

// What is not an event makes its stream unusable up to its next snapshot, once; the
// others go on.
func TestPoisoned(t *testing.T) {
	missing := func(line int) *trace.Error {
		return &trace.Error{Pos: trace.Pos{File: "p", Line: line}, Reason: "they were deleted"}
	}
	any := map[int][]string{2: nil}
	for _, c := range []struct {
		name       string
		lines      []string
		of         map[int][]string
		lost       map[int]*trace.Error
		judge      validators.Options
		unusable   []string
		violations []string
	}{
		{name: "of one stream", of: map[int][]string{2: {"a"}},
			lines:    []string{begins("a", "x"), begins("b", "y"), "{", begins("a", "x"), begins("b", "y"), snapshot("a", "x"), begins("a", "x")},
			unusable: []string{"a 3"}, violations: []string{"b 5", "a 7"}},
		{name: "of two", of: map[int][]string{2: {"a", "c"}},
			lines:    []string{begins("a", "x"), begins("b", "y"), "{", begins("a", "x"), begins("c", "y"), begins("c", "y"), begins("b", "y")},
			unusable: []string{"a 3", "c 3"}, violations: []string{"b 7"}},
		{name: "of any, where a stream that comes later begins later", of: any,
			lines:    []string{begins("a", "x"), begins("b", "y"), "{", begins("a", "x"), begins("c", "y"), begins("c", "y"), snapshot("b", "y"), begins("b", "y")},
			unusable: []string{"a 3", "b 3"}, violations: []string{"c 6", "b 8"}},
		{name: "several in a row are alerted once", of: map[int][]string{2: {"a"}, 3: {"a"}, 5: nil},
			lines:    []string{begins("a", "x"), begins("b", "y"), "{", "", begins("a", "x"), "]", snapshot("a", "x"), snapshot("b", "x"), begins("a", "x"), begins("b", "x")},
			unusable: []string{"a 3", "b 6"}, violations: []string{"a 9", "b 10"}},
		{name: "and again when it was judged in between", of: map[int][]string{1: {"a"}, 3: {"a"}},
			lines:    []string{begins("a", "x"), "{", snapshot("a", "x"), "{", begins("a", "x")},
			unusable: []string{"a 2", "a 4"}},
		{name: "at the ends", of: map[int][]string{0: {"a"}, 3: {"a"}},
			lines:    []string{"{", snapshot("a", "x"), begins("a", "x"), "{"},
			unusable: []string{"a 1", "a 4"}, violations: []string{"a 3"}},
		{name: "events are missing, also of streams that come later", lost: map[int]*trace.Error{2: missing(2)},
			lines: []string{begins("a", "x"), begins("b", "y"), begins("a", "x"), begins("c", "y"), begins("c", "y"), snapshot("d", "x"), begins("d", "x"),
				snapshot("b", "y"), begins("b", "y"), begins("e", "x")},
			unusable: []string{"a 2", "b 2", "c 2", "e 2"}, violations: []string{"d 7", "b 9"}},
		{name: "but not where streams may begin in the middle", lost: map[int]*trace.Error{0: missing(1)}, judge: validators.Options{Attach: true},
			lines: []string{begins("a", "x"), begins("a", "x")}, violations: []string{"a 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, batch := range []int{1, 20} {
				for _, restart := range []bool{false, true} {
					alerted := &outbox{}
					p := &listed{name: "p", lines: c.lines, of: c.of, lost: c.lost, batch: batch}
					kept := newMemory()
					c.judge.Select = swarmkit.Select
					for p.stop = 1; p.stop <= len(c.lines); p.stop++ {
						if restart || p.stop == len(c.lines) {
							start(t, monitor.Options{Store: kept.open(), Outbox: alerted, Judge: c.judge}, p).judged().end()
						}
					}
					if got := alerted.of(alert.OfUnusable); !slices.Equal(got, c.unusable) {
						t.Errorf("batches of %d, restarts %v: unusable %q, want %q", batch, restart, got, c.unusable)
					}
					if got := alerted.of(alert.OfViolation); !slices.Equal(got, c.violations) {
						t.Errorf("batches of %d, restarts %v: violations %q, want %q", batch, restart, got, c.violations)
					}
				}
			}
		})
	}
}

// Each new file of a rotated log may begin with the same malformed line. Each of them is
// alerted, with an id of its own, whether the monitor is restarted behind each line or not.
func TestPoisonedAtTheSamePlace(t *testing.T) {
	header := &trace.Error{Pos: trace.Pos{File: "p", Line: 1}, Reason: "it is a header"}
	at := func(day int, line string) string {
		return strings.Replace(line, `"kind"`, fmt.Sprintf(`"time":"2026-11-%02dT10:00:00Z","kind"`, day), 1)
	}
	p := &listed{name: "p", lines: []string{
		at(1, snapshot("a", "x")), at(1, begins("a", "y")), at(2, snapshot("a", "x")), at(2, begins("a", "y")),
		at(3, snapshot("a", "x")), at(3, begins("a", "y")), at(4, snapshot("a", "x")),
	}, lost: map[int]*trace.Error{2: header, 4: header, 6: header}}
	var first map[string]int
	for _, restart := range []bool{false, true} {
		for _, p.batch = range []int{1, 20} {
			alerted, kept := &outbox{}, newMemory()
			for p.stop = 1; p.stop <= len(p.lines); p.stop++ {
				if restart || p.stop == len(p.lines) {
					start(t, monitor.Options{Store: kept.open(), Outbox: alerted, Judge: swarmkit}, p).judged().end()
				}
			}
			if first == nil {
				first = alerted.ids
			}
			if len(alerted.ids) != 3 || !maps.Equal(alerted.ids, first) {
				t.Errorf("batches of %d, restarts %v: alerts %v, want three, and those of the first run: %v", p.batch, restart, alerted.ids, first)
			}
		}
	}
}

// letters take what is not an event, when they do.
type letters struct {
	mu   sync.Mutex
	r    *rand.Rand
	fail int               // of so many calls one fails; 0: none
	last map[string]string // what failed, of each part
	got  []string
	t    *testing.T
}

func (l *letters) take(_ context.Context, part string, bad []ingest.Malformed) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for i := range bad {
		lines = append(lines, fmt.Sprintf("%s:%d %s", part, bad[i].Err.Pos.Line, bad[i].Raw))
	}
	if was, failed := l.last[part]; failed && was != strings.Join(lines, "\n") {
		l.t.Errorf("after an error it is called with %q, and not with %q", lines, was)
	}
	if l.fail > 0 && l.r.IntN(l.fail) == 0 {
		l.last[part] = strings.Join(lines, "\n")
		return errors.New("the disk is full")
	}
	delete(l.last, part)
	l.got = append(l.got, lines...)
	return nil
}

// However often a monitor is killed, each input that is not an event is a dead
// letter, those of an undisturbed part are so in order and once, and the
// violations are those of an undisturbed run.
func TestPoisonedAndKilled(t *testing.T) {
	for i, spec := range generate.SpecNames() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			for seed := range exhaustive.Or[uint64](1, 3) {
				seed += 100 * uint64(i)
				r := rand.New(rand.NewPCG(seed, 9))
				p := &listed{name: "p", batch: 20, of: map[int][]string{}}
				var want []string
				for n, line := range monitortest.Faulty(t, spec, seed, 7, 900, 30) {
					var ev trace.Event
					if err := new(trace.Decoder).Decode([]byte(line), trace.Pos{}, &ev); err != nil {
						t.Fatal(err)
					}
					if r.IntN(100) == 0 {
						at := len(p.lines)
						p.lines = append(p.lines, fmt.Sprintf("garbage %d", at))
						want = append(want, fmt.Sprintf("p:%d garbage %d", at+1, at))
						if p.of[at] = nil; n < 600 || r.IntN(2) == 0 {
							p.of[at] = []string{ev.Stream}[:1:1]
						}
						if n%3 == 0 { // only of these two
							p.of[at] = []string{ev.Stream, "a stream of nothing else"}
						}
					}
					p.lines = append(p.lines, line)
				}
				sink := &letters{t: t, r: r, last: map[string]string{}}
				p.stop = len(p.lines)
				start(t, monitor.Options{DeadLetters: sink.take}, p).judged().end()
				if !slices.Equal(sink.got, want) {
					t.Errorf("seed %d: undisturbed, the dead letters are %q, want %q", seed, sink.got, want)
				}
				sink = &letters{t: t, r: r, last: map[string]string{}, fail: 10}
				disturb(t, seed, monitor.Options{DeadLetters: sink.take}, []*listed{p})
				got := slices.Clone(sink.got)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(slices.Compact(got), want) {
					t.Errorf("seed %d: killed, the dead letters are %q, want %q", seed, got, want)
				}
			}
		})
	}
}

// While a dead letter cannot be written, nothing of its part is judged that comes
// behind it, and nothing is kept as dealt with; who ends it is not kept waiting.
func TestJudgingWaitsForDeadLetters(t *testing.T) {
	kept := newMemory()
	p := &listed{name: "p", batch: 1, lines: []string{begins("a", "x"), "{", begins("a", "y")}, of: map[int][]string{1: {"b"}}, stop: 3}
	var mu sync.Mutex
	calls, full := 0, true
	o := monitor.Options{Store: kept.open(), Judge: swarmkit, DeadLetters: func(context.Context, string, []ingest.Malformed) error {
		mu.Lock()
		defer mu.Unlock()
		if calls++; full {
			return errors.New("the disk is full")
		}
		return nil
	}}
	tried := func(n int) func() bool {
		return func() bool { mu.Lock(); defer mu.Unlock(); return calls >= n }
	}
	r := start(t, o, p)
	until(t, "it is tried again", tried(3))
	until(t, "a checkpoint", func() bool { return strings.Contains(kept.head("p"), `"position":"1"`) })
	r.end()
	if o := r.Overview(); o.Counted.Events != 1 || !strings.Contains(kept.head("p"), `"position":"1"`) {
		t.Errorf("it has judged %d events, and keeps %s", o.Counted.Events, kept.head("p"))
	}
	mu.Lock()
	full, calls = false, 0
	mu.Unlock()
	o.Store = kept.open()
	r = start(t, o, p).judged()
	r.end()
	if o := r.Overview(); o.Counted.Events != 1 || o.Counted.Bad != 1 || calls != 1 {
		t.Errorf("then it judges %d events, %d are none, in %d calls", o.Counted.Events, o.Counted.Bad, calls)
	}
}
