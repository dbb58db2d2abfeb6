package monitor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/monitor/checkpoint"
)

// fails is a receiver that takes nothing.
type fails struct{}

func (fails) Name() string                                 { return "people" }
func (fails) Deliver(context.Context, []alert.Alert) error { return errors.New("nobody is there") }
func (fails) Close() error                                 { return nil }

// takesAll is one that takes all.
type takesAll struct {
	fails
	outbox
}

func (r *takesAll) Deliver(ctx context.Context, alerts []alert.Alert) error {
	r.Add("", alerts, 0)
	return nil
}

func queue(t *testing.T, r alert.Receiver) *alert.Queue {
	t.Helper()
	q, err := alert.NewOutbox([]alert.Receiver{r}, alert.Options{MaxPending: 3, RetryMax: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		q.Close(ctx)
	})
	return q
}

// twice is so many services that each begin twice, which is once too often.
func twice(n int) (lines, want []string) {
	for i := range n {
		lines = append(lines, begins("s", fmt.Sprint(i)), begins("s", fmt.Sprint(i)))
		want = append(want, fmt.Sprint("s ", len(lines)))
	}
	return lines, want
}

// What nobody took is reported by the next run, whether the first was killed or ended.
func TestPendingIsReportedByTheNext(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{true, false} {
		t.Run(fmt.Sprint("killed ", killed), func(t *testing.T) {
			t.Parallel()
			kept := newMemory()
			lines, want := twice(2)
			p := &listed{name: "p", lines: lines, stop: 4}
			store := kept.open()
			r := start(t, monitor.Options{Store: store, Judge: swarmkit, Outbox: queue(t, fails{})}, p).judged()
			if killed {
				until(t, "a checkpoint", func() bool { return strings.Contains(kept.head("p"), `"position":"4"`) })
				store.kill()
			}
			r.end()
			if n := strings.Count(kept.head("p"), `"for":["people"]`); n != 2 {
				t.Errorf("%d alerts are kept, want 2: %s", n, kept.head("p"))
			}
			alerted := &takesAll{}
			r = start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Outbox: queue(t, alerted)}, p).judged()
			until(t, "two alerts", func() bool { return len(alerted.of(alert.OfViolation)) == 2 })
			r.end()
			if got := alerted.of(alert.OfViolation); !slices.Equal(got, want) {
				t.Errorf("alerted %q, want %q", got, want)
			}
			if strings.Contains(kept.head("p"), "pending") {
				t.Errorf("and then is still kept: %s", kept.head("p"))
			}
		})
	}
}

// While too much is pending, judging waits and states so; what was found is in the
// checkpoints, and is judged, and alerted, when there is room.
func TestJudgingWaitsForAlerts(t *testing.T) {
	t.Parallel()
	kept := newMemory()
	lines, want := twice(20)
	p := &listed{name: "p", lines: lines, stop: len(lines), batch: 1}
	slow := &slowly{}
	r := start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Outbox: queue(t, slow)}, p)
	until(t, "it waits", func() bool { return r.state() == board.Waiting })
	if !r.IsAlive(time.Now()) {
		t.Error("it is reported as dead")
	}
	changed := r.Changes()
	until(t, "a checkpoint of it", func() bool { return strings.Count(kept.head("p"), `"for":["people"]`) == 3 })
	if head := kept.head("p"); !strings.Contains(head, `"position":"6"`) {
		t.Errorf("the checkpoint is %s, want that up to the 3 alerts that may be pending", head)
	}
	slow.open()
	r.judged()
	until(t, "all alerts", func() bool { return len(slow.of(alert.OfViolation)) == len(want) })
	select {
	case <-changed:
	case <-time.After(time.Minute):
		t.Error("no one was notified that it goes on")
	}
	if s := r.state(); s != board.Judging {
		t.Errorf("then it is %s", s)
	}
	r.end()
	if got := slow.of(alert.OfViolation); !slices.Equal(got, want) {
		t.Errorf("alerted %q, want %q", got, want)
	}
}

// slowly is a receiver that takes nothing before it is opened.
type slowly struct {
	takesAll
	mu     sync.Mutex
	opened bool
}

func (s *slowly) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = true
}

func (s *slowly) Deliver(ctx context.Context, alerts []alert.Alert) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.opened {
		return errors.New("it is closed")
	}
	return s.takesAll.Deliver(ctx, alerts)
}

// A monitor that is ended while it waits keeps what it could not hand over.
func TestEndedWhileItWaits(t *testing.T) {
	t.Parallel()
	kept := newMemory()
	lines, want := twice(20)
	p := &listed{name: "p", lines: lines, stop: len(lines), batch: 1}
	r := start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Outbox: queue(t, fails{}), Every: time.Hour}, p)
	until(t, "it waits", func() bool { return r.state() == board.Waiting })
	r.end()
	alerted := &takesAll{}
	start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Outbox: queue(t, alerted)}, p).judged().end()
	if got := alerted.of(alert.OfViolation); !slices.Equal(got, want) {
		t.Errorf("alerted %q, want %q", got, want)
	}
}

// spoilt is a store of which some saves fail; it notes what they are of.
type spoilt struct {
	*keeper
	mu    sync.Mutex
	fails func(n int) bool // from 0
	notes []string
}

func (s *spoilt) Open(ctx context.Context, part string) (checkpoint.Part, error) {
	p, err := s.keeper.Open(ctx, part)
	return &spoiltPart{p, s, false}, err
}

type spoiltPart struct {
	checkpoint.Part
	of     *spoilt
	failed bool
}

func (p *spoiltPart) Whole() bool { return p.failed }

func (p *spoiltPart) Save(ctx context.Context, c *checkpoint.Change) error {
	s := p.of
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Collect(c.Streams)
	c.Streams = slices.Values(list)
	note := fmt.Sprint(len(list))
	if c.Whole {
		note = "all " + note
	}
	p.failed = s.fails(len(s.notes))
	s.notes = append(s.notes, note)
	if p.failed {
		return errors.New("the disk is full")
	}
	return p.Part.Save(ctx, c)
}

func (s *spoilt) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.notes)
}

// savedParts is a part that is notified how far its checkpoints are.
type savedPart struct {
	*listed
	mu  sync.Mutex
	all []monitor.Position
}

func (p *savedPart) Saved(_ context.Context, at monitor.Position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, at)
}

// Where checkpoints cannot be written, judging goes on; the next one is of all
// streams, the last is tried once more, and the source is notified of none that is
// not there.
func TestSavesThatFail(t *testing.T) {
	for _, c := range []struct {
		name  string
		fails func(n int) bool
		every time.Duration
		want  []string // the notes' beginning
		last  string   // the position that is kept; "": none
	}{
		{"one in the middle", func(n int) bool { return n == 0 }, 10 * time.Millisecond, []string{"3", "all 3"}, "3"},
		{"the last one", func(n int) bool { return n == 0 }, time.Hour, []string{"3", "all 3"}, "3"},
		{"none", func(int) bool { return false }, time.Hour, []string{"3"}, "3"},
		{"all", func(int) bool { return true }, time.Hour, []string{"3", "all 3"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept := newMemory()
			store := &spoilt{keeper: kept.open(), fails: c.fails}
			p := &savedPart{listed: &listed{name: "p", lines: []string{begins("a", "x"), begins("b", "x"), begins("c", "x")}, stop: 3, batch: 50}}
			p.ended = make(chan struct{})
			alerted := &outbox{}
			m, err := monitor.New(monitor.Options{Store: store, Judge: all(swarmkit), Outbox: alerted, Every: c.every, Lines: 1,
				Source: runs(func(ctx context.Context, judge func(context.Context, monitor.Part) error) error { return judge(ctx, p) })})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan error, 1)
			go func() { result <- m.Run(ctx) }()
			<-p.ended
			if c.every < time.Hour {
				until(t, "another save", func() bool { return store.count() >= 2 })
			}
			cancel()
			if err := <-result; err != nil {
				t.Errorf("judging ended with %v", err)
			}
			if len(store.notes) < len(c.want) || !slices.Equal(store.notes[:len(c.want)], c.want) || c.every == time.Hour && len(store.notes) != len(c.want) {
				t.Errorf("saved %q, want %q", store.notes, c.want)
			}
			if got := strings.Contains(kept.head("p"), `"position":"3"`); got != (c.last == "3") {
				t.Errorf("the checkpoint is %s", kept.head("p"))
			}
			for _, at := range p.all {
				if string(at) != c.last {
					t.Errorf("the source is notified of %q", p.all)
				}
			}
			if (len(p.all) > 0) != (c.last != "") {
				t.Errorf("the source is notified of %q", p.all)
			}
		})
	}
}

// The bound on what is pending holds over restarts, however much a batch has and
// however many parts there are; all alerts arrive in the end, in order.
func TestPendingIsBoundedOverRestarts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ parts, batch int }{{1, 1}, {1, 50}, {4, 50}} {
		t.Run(fmt.Sprintf("%d parts, batches of %d", c.parts, c.batch), func(t *testing.T) {
			t.Parallel()
			kept := newMemory()
			var parts []*listed
			var want []string
			for n := range c.parts {
				lines, _ := twice(40)
				for i := range lines {
					lines[i] = strings.Replace(lines[i], `"stream":"s"`, fmt.Sprintf(`"stream":"s%d"`, n), 1)
					if i%2 == 1 {
						want = append(want, fmt.Sprintf("s%d %d", n, i+1))
					}
				}
				// What is not an event is an alert, too: each of a stream of its own.
				of := map[int][]string{}
				for i := range 20 {
					of[len(lines)] = []string{fmt.Sprintf("bad %d.%d", n, i)}
					lines = append(lines, "{")
				}
				parts = append(parts, &listed{name: fmt.Sprint("p", n), lines: lines, of: of, stop: len(lines), batch: c.batch})
			}
			pending := func() (n int) {
				for _, p := range parts {
					n += strings.Count(kept.head(p.name), `"for":`)
				}
				return n
			}
			again := func() (list []*listed) { // what was killed still has the others
				for _, p := range parts {
					c := *p
					list = append(list, &c)
				}
				return list
			}
			for range 4 {
				store := kept.open()
				q := queue(t, fails{})
				r := start(t, monitor.Options{Store: store, Judge: swarmkit, Outbox: q}, again()...)
				until(t, "all parts wait", func() bool {
					o := r.Overview()
					return len(o.Parts) == c.parts && !slices.ContainsFunc(o.Parts, func(p board.Part) bool { return p.State != board.Waiting })
				})
				until(t, "the checkpoints have it", func() bool { return pending() == 3 })
				if n := q.Stats()[0].Pending; n != 3 {
					t.Errorf("%d are pending, and 3 may be", n)
				}
				store.kill()
				r.cancel() // it ends by and by
			}
			alerted := &takesAll{}
			r := start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Outbox: queue(t, alerted)}, again()...).judged()
			until(t, "all alerts", func() bool {
				return len(alerted.of(alert.OfViolation)) >= len(want) && len(alerted.of(alert.OfUnusable)) >= 20*c.parts
			})
			r.end()
			got := alerted.of(alert.OfViolation)
			slices.SortStableFunc(got, func(a, b string) int { return strings.Compare(a[:2], b[:2]) })
			if !slices.Equal(got, want) {
				t.Errorf("alerted %q, want %q", got, want)
			}
		})
	}
}

// slowFor is a store that takes its time over one part.
type slowFor struct {
	*keeper
	part string
}

func (s slowFor) Open(ctx context.Context, part string) (checkpoint.Part, error) {
	if part == s.part {
		time.Sleep(100 * time.Millisecond)
	}
	return s.keeper.Open(ctx, part)
}

// What a checkpoint has counts before any part is judged, however long that one
// takes to load.
func TestPendingOfPeersCountsFirst(t *testing.T) {
	t.Parallel()
	kept := newMemory()
	parts := func(first int) []*listed {
		lines, _ := twice(20)
		return []*listed{{name: "p", lines: lines, stop: first}, {name: "q", lines: lines, stop: len(lines)}}
	}
	store := kept.open()
	r := start(t, monitor.Options{Store: store, Judge: swarmkit, Outbox: queue(t, fails{})}, parts(0)...)
	until(t, "three are kept", func() bool { return strings.Count(kept.head("q"), `"for":`) == 3 })
	store.kill()
	r.cancel()
	q := queue(t, fails{})
	store = kept.open()
	r = start(t, monitor.Options{Store: slowFor{store, "q"}, Judge: swarmkit, Outbox: q}, parts(40)...)
	until(t, "both wait", func() bool {
		o := r.Overview()
		return len(o.Parts) == 2 && o.Parts[0].State == board.Waiting && o.Parts[1].State == board.Waiting
	})
	if n := q.Stats()[0].Pending; n != 3 {
		t.Errorf("%d are pending, and 3 may be", n)
	}
	store.kill()
	r.cancel()
}
