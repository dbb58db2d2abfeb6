package monitor_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"tracecheck/ingest"
	"tracecheck/internal/exhaustive"
	"tracecheck/internal/generate"
	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/checkpoint"
	"tracecheck/monitor/monitortest"
	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// list is a source of parts that lie in memory.
type list struct {
	parts []*listed
}

func (l *list) Run(ctx context.Context, judge func(context.Context, monitor.Part) error) error {
	var all sync.WaitGroup
	var mu sync.Mutex
	var first error
	gate := monitor.NewGate(len(l.parts))
	for _, p := range l.parts {
		p.gate = gate
		all.Go(func() {
			if err := judge(ctx, p); err != nil {
				mu.Lock()
				defer mu.Unlock()
				first = errors.Join(first, err)
			}
		})
	}
	all.Wait()
	return first
}

// listed is a part. Its position is the number of the next line.
type listed struct {
	name  string
	lines []string
	stop  int                  // before this line the reading hangs
	batch int                  // lines, at most
	pause time.Duration        // between batches
	of    map[int][]string     // by its index, the streams that a line may be of that is not an event; else it states so itself
	lost  map[int]*trace.Error // what is missing before a line
	ended chan struct{}        // closed when the reading hangs
	gate  *monitor.Gate        // of all of the list
}

func (l *listed) Name() string        { return l.name }
func (l *listed) Gate() *monitor.Gate { return l.gate }

func (l *listed) Follow(ctx context.Context, from monitor.Position, take func(*monitor.Batch) error) error {
	at := 0
	if from != "" {
		at, _ = strconv.Atoi(string(from))
	}
	r := rand.New(rand.NewPCG(uint64(at), 3))
	var d trace.Decoder
	for at < l.stop {
		d.Reset()
		b := &monitor.Batch{Unit: "lines", At: func(pos trace.Pos) monitor.Position { return monitor.Position(strconv.Itoa(pos.Line - 1)) }}
		for range 1 + r.IntN(l.batch) {
			if at == l.stop || l.lost[at] != nil && len(b.Events)+len(b.Bad) > 0 {
				break
			}
			if e := l.lost[at]; e != nil {
				b.Missed = e
			}
			pos := trace.Pos{File: l.name, Line: at + 1}
			var ev trace.Event
			if err := d.Decode([]byte(l.lines[at]), pos, &ev); err != nil {
				unfit := err.(*trace.Error)
				streams, given := l.of[at]
				if !given {
					streams = []string{unfit.Stream}
				}
				b.Bad = append(b.Bad, ingest.Malformed{Before: len(b.Events), Streams: streams, Err: unfit, Raw: []byte(l.lines[at])})
			} else {
				b.Events = append(b.Events, ev)
			}
			at++
		}
		b.Next, b.Lag = monitor.Position(strconv.Itoa(at)), int64(len(l.lines)-at)
		if err := take(b); err != nil {
			return err
		}
		time.Sleep(l.pause)
	}
	close(l.ended)
	<-ctx.Done()
	return ctx.Err()
}

// outbox delivers at once.
type outbox struct {
	mu  sync.Mutex
	ids map[string]int
	all []alert.Alert
}

func (o *outbox) Reserve(events int) (int, <-chan struct{}) { return events, nil }

func (o *outbox) Add(_ string, alerts []alert.Alert, _ int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ids == nil {
		o.ids = map[string]int{}
	}
	for _, a := range alerts {
		o.ids[string(a.Kind)+" "+a.ID]++
		o.all = append(o.all, a)
	}
}
func (o *outbox) Pending(string) []alert.Pending { return nil }
func (o *outbox) Restore(part string, pending []alert.Pending) {
	for _, p := range pending {
		o.Add(part, []alert.Alert{p.Alert}, 0)
	}
}
func (o *outbox) Drop(string)                              {}
func (o *outbox) Withdraw(string, func(*alert.Alert) bool) {}

// memory keeps checkpoints, as long as it is not gone.
type memory struct {
	mu    sync.Mutex
	parts map[string]map[string]string
	heads map[string]string
}

// keeper is the memory as one process has it.
type keeper struct {
	*memory
	gone bool // the process was killed
	lean bool // an owner's first save need not be whole
	fail int  // of so many saves one fails; 0: none
	r    *rand.Rand
}

func (m *keeper) Open(_ context.Context, part string) (checkpoint.Part, error) {
	return &keptPart{of: m, name: part, saved: m.lean}, nil
}
func (m *keeper) Close() error { return nil }

type keptPart struct {
	of    *keeper
	name  string
	saved bool // the last time
}

func (p *keptPart) Load(_ context.Context, head func([]byte) error, stream func(string, []byte) error) (bool, error) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	h, ok := p.of.heads[p.name]
	if !ok {
		return false, nil
	}
	if err := head([]byte(h)); err != nil {
		return false, err
	}
	for name, state := range p.of.parts[p.name] {
		if err := stream(name, []byte(state)); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (p *keptPart) Save(_ context.Context, c *checkpoint.Change) error {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.saved = false
	switch {
	case p.of.gone:
		return errors.New("the process was killed")
	case p.of.fail > 0 && p.of.r.IntN(p.of.fail) == 0:
		return errors.New("the disk is full")
	}
	if c.Whole || p.of.parts[p.name] == nil {
		p.of.parts[p.name] = map[string]string{}
	}
	for s := range c.Streams {
		p.of.parts[p.name][s.Name] = string(s.State)
	}
	p.of.heads[p.name] = string(c.Head)
	p.saved = true
	return nil
}
func (p *keptPart) Close() error  { return nil }
func (p *keptPart) Whole() bool   { return !p.saved }
func (p *keptPart) Damage() error { return nil }

// undisturbed is what one run of a Runner over the same lines finds.
func undisturbed(t *testing.T, parts []*listed) []string {
	t.Helper()
	var want []string
	for _, p := range parts {
		runner, err := validators.NewRunner(validators.Options{Specs: specs.All(), KeepGoing: true, Recover: true})
		if err != nil {
			t.Fatal(err)
		}
		var d trace.Decoder
		for i, line := range p.lines {
			d.Reset()
			var ev trace.Event
			err := d.Decode([]byte(line), trace.Pos{File: p.name, Line: i + 1}, &ev)
			switch streams, given := p.of[i]; {
			case err == nil:
				err = runner.Push([]trace.Event{ev})
			case given && streams == nil:
				runner.LoseAll(err.(*trace.Error))
				err = nil
			case given:
				for _, stream := range streams {
					runner.Lose(stream, err.(*trace.Error))
				}
				err = nil
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		found, _ := runner.Take()
		for _, v := range found {
			want = append(want, "violation "+v.ID)
		}
	}
	slices.Sort(want)
	return want
}

// However often a monitor is killed or stopped, and whether its checkpoints can
// be written or not, it finds what one undisturbed run finds.
func TestKilled(t *testing.T) {
	for i, spec := range generate.SpecNames() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			seeds := exhaustive.Or(3, 12)
			for seed := range seeds {
				killed(t, spec, uint64(100*i+seed))
			}
		})
	}
}

func killed(t *testing.T, spec string, seed uint64) {
	t.Helper()
	disturb(t, seed, monitor.Options{}, []*listed{
		{name: "a", lines: monitortest.Faulty(t, spec, seed, 7, 600, 40), batch: 20},
		{name: "b", lines: monitortest.Faulty(t, spec, seed+1000, 7, 600, 40), batch: 1},
	})
}

// disturb kills and stops monitors of the parts at random, and compares what
// they tell with what an undisturbed run finds.
func disturb(t *testing.T, seed uint64, o monitor.Options, parts []*listed) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	want := undisturbed(t, parts)
	if len(want) == 0 {
		t.Fatalf("seed %d: no violation: nothing is shown", seed)
	}
	kept := newMemory()
	alerted := &outbox{}
	at, end := 0, max(len(parts[0].lines), len(parts[len(parts)-1].lines))
	for at < end {
		at = min(at+1+r.IntN(200), end)
		store := &keeper{memory: kept, fail: r.IntN(3), lean: r.IntN(2) == 0, r: rand.New(rand.NewPCG(seed, uint64(at)))}
		o.Outbox, o.Store, o.Every, o.Judge = alerted, store, time.Millisecond, validators.Options{Shards: 1 + r.IntN(3)}
		for _, p := range parts {
			p.stop = min(at, len(p.lines))
		}
		m := start(t, o, parts...).judged()
		if r.IntN(2) == 0 && at < end {
			store.kill()
		}
		m.end()
	}
	missing := map[string]bool{}
	for _, id := range want {
		missing[id] = true
	}
	for _, a := range alerted.all {
		if id := "violation " + a.ID; a.Kind == alert.OfViolation && !slices.Contains(want, id) {
			t.Errorf("seed %d: alerted, and not found by an undisturbed run: %s:%d, %s", seed, a.File, a.Line, a.Message)
		} else {
			delete(missing, id)
		}
	}
	if len(missing) > 0 {
		t.Errorf("seed %d: of %d violations, these were not alerted: %v", seed, len(want), missing)
	}
}
