package monitor_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/internal/generate"
	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/monitor/checkpoint"
	"tracecheck/monitor/monitortest"
	"tracecheck/specs"
	"tracecheck/validators"
)

// After a start over there is nothing of what was kept, after the next restart, too.
func TestStartOver(t *testing.T) {
	kept := newMemory()
	p := &listed{name: "p", lines: []string{begins("old", "x"), begins("s", "a"), begins("s", "b")}, stop: 2}
	start(t, monitor.Options{Store: kept.open(), Judge: swarmkit}, p).judged().end()

	p = &listed{name: "p", lines: []string{begins("s", "a"), begins("s", "c"), begins("s", "a"), begins("old", "x"), begins("old", "x")}, stop: 2}
	alerted := &outbox{}
	r := start(t, monitor.Options{Store: kept.open(), StartOver: true, Judge: swarmkit, Outbox: alerted}, p).judged()
	r.end()
	if got := alerted.of(alert.OfViolation); len(got) > 0 {
		t.Errorf("what it started over from is not nothing: %q", got)
	}
	p.stop = len(p.lines)
	r = start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, Outbox: alerted}, p).judged()
	r.end()
	if got, want := alerted.of(alert.OfViolation), []string{"s 3", "old 5"}; !slices.Equal(got, want) {
		t.Errorf("alerted %q, want %q", got, want)
	}
}

// takes is a source whose one part is taken again and again.
type takes struct {
	part  *listed
	stops []int
}

func (s *takes) Run(ctx context.Context, judge func(context.Context, monitor.Part) error) error {
	for _, stop := range s.stops {
		s.part.stop, s.part.ended = stop, make(chan struct{})
		own, cancel := context.WithCancel(ctx)
		go func() { <-s.part.ended; cancel() }()
		if err := judge(own, s.part); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

// A part that comes back goes on from its checkpoint; it starts over once only.
func TestTakenAgain(t *testing.T) {
	for _, over := range []bool{false, true} {
		kept := newMemory()
		p := &listed{name: "p", lines: []string{begins("s", "a"), begins("s", "b"), begins("s", "c"), begins("s", "a"), begins("s", "b")}, stop: 2}
		start(t, monitor.Options{Store: kept.open(), Judge: swarmkit}, p).judged().end()
		alerted := &outbox{}
		judge := swarmkit
		judge.Specs = specs.All()
		p.batch = 1
		m, err := monitor.New(monitor.Options{
			Source: &takes{p, []int{2, 3, 4, 5, 5}}, Store: kept.open(), StartOver: over, Judge: judge, Outbox: alerted, Lines: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() { result <- m.Run(ctx) }()
		until(t, "both violations", func() bool { return len(alerted.of(alert.OfViolation)) == 2 })
		counted := int64(3) // of five
		if over {
			counted = 5
		}
		until(t, "the part is given up", func() bool { o := m.Overview(); return len(o.Parts) == 0 && o.Counted.Events == counted })
		cancel()
		if err := <-result; err != nil {
			t.Fatal(err)
		}
		if got, want := alerted.of(alert.OfViolation), []string{"s 4", "s 5"}; !slices.Equal(got, want) {
			t.Errorf("start over %v: alerted %q, want %q", over, got, want)
		}
	}
}

// Two owners of one part are one too many; the first is not disturbed.
func TestTwoOwners(t *testing.T) {
	p := &listed{name: "p", lines: []string{begins("s", "a"), begins("s", "b")}, stop: 1}
	twin := *p
	twin.ended = make(chan struct{})
	judge := swarmkit
	judge.Specs = specs.All()
	p.ended, p.batch, twin.batch = make(chan struct{}), 1, 1
	first, refused := make(chan error, 1), make(chan error, 1)
	m, err := monitor.New(monitor.Options{Judge: judge, Outbox: &outbox{}, Source: runs(func(ctx context.Context, judge func(context.Context, monitor.Part) error) error {
		go func() { first <- judge(ctx, p) }()
		<-p.ended
		refused <- judge(ctx, &twin)
		return <-first
	})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- m.Run(ctx) }()
	if err := <-refused; err == nil || !strings.Contains(err.Error(), "this process judges p already") {
		t.Errorf("the second owner got the error %v", err)
	}
	if o := m.Overview(); len(o.Parts) != 1 || o.Parts[0].State != board.Judging {
		t.Errorf("the first one's part is %+v", o.Parts)
	}
	cancel()
	if err := <-result; err != nil {
		t.Error(err)
	}
}

type runs func(context.Context, func(context.Context, monitor.Part) error) error

func (r runs) Run(ctx context.Context, judge func(context.Context, monitor.Part) error) error {
	return r(ctx, judge)
}

// A checkpoint that cannot be gone on from is reported, with what to do; the part
// is shown as failed, and the checkpoint stays as it is.
func TestUnfitCheckpoint(t *testing.T) {
	lines := []string{begins("s", "a"), begins("s", "b")}
	for name, c := range map[string]struct {
		spoil func(*memory)
		judge validators.Options
		want  []string
	}{
		"other settings":     {judge: validators.Options{Select: []string{"swarmkit"}, Attach: true}, want: []string{"made under other settings (", "attach false", "attach true", "--start-over"}},
		"another version":    {spoil: func(m *memory) { m.heads["p"] = strings.Replace(m.heads["p"], `"version":1`, `"version":9`, 1) }, want: []string{"version 9", "--start-over"}},
		"no JSON":            {spoil: func(m *memory) { m.heads["p"] = "{" }, want: []string{"cannot read its head", "JSON", "--start-over"}},
		"a cut state":        {spoil: func(m *memory) { m.parts["p"]["ss"] = m.parts["p"]["ss"][:20] }, want: []string{`stream "s"`, "--start-over"}},
		"an unknown record":  {spoil: func(m *memory) { m.parts["p"]["x1"] = "" }, want: []string{`"x1"`, "--start-over"}},
		"a record sans name": {spoil: func(m *memory) { m.parts["p"][""] = "" }, want: []string{`""`, "--start-over"}},
	} {
		t.Run(name, func(t *testing.T) {
			kept := newMemory()
			p := &listed{name: "p", lines: lines, stop: 1}
			start(t, monitor.Options{Store: kept.open(), Judge: swarmkit}, p).judged().end()
			if c.spoil != nil {
				c.spoil(kept)
			}
			if c.judge.Select == nil {
				c.judge = swarmkit
			}
			before := kept.heads["p"]
			r := start(t, monitor.Options{Store: kept.open(), Judge: c.judge}, p)
			err := <-r.result
			if err == nil {
				t.Fatal("it goes on")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error %q does not say %q", err, want)
				}
			}
			if o := r.Overview(); len(o.Parts) != 1 || o.Parts[0].State != board.Failed || !strings.Contains(o.Parts[0].Reason, "--start-over") {
				t.Errorf("the part is shown as %+v", o.Parts)
			}
			if kept.heads["p"] != before {
				t.Error("the checkpoint is another one")
			}
			p.stop = 2
			r = start(t, monitor.Options{Store: kept.open(), Judge: c.judge, StartOver: true}, p).judged()
			r.end()
			if !strings.Contains(kept.heads["p"], `"position":"2"`) || len(kept.parts["p"]) != 1 {
				t.Errorf("started over, the checkpoint is %s, of %d records", kept.heads["p"], len(kept.parts["p"]))
			}
		})
	}
}

// unreadable is a store that fails.
type unreadable struct {
	*keeper
	open error
}

func (u unreadable) Open(ctx context.Context, part string) (checkpoint.Part, error) {
	if u.open != nil {
		return nil, u.open
	}
	p, err := u.keeper.Open(ctx, part)
	return unreadablePart{p}, err
}

type unreadablePart struct{ checkpoint.Part }

func (unreadablePart) Load(context.Context, func([]byte) error, func(string, []byte) error) (bool, error) {
	return false, errors.New("the disk is gone")
}

// A store that cannot be read ends it: to begin again unasked would lose what was
// known.
func TestUnreadableStore(t *testing.T) {
	for want, store := range map[string]unreadable{
		"cannot read its checkpoint: another has it":          {newMemory().open(), errors.New("another has it")},
		"cannot resume from its checkpoint: the disk is gone": {newMemory().open(), nil},
	} {
		p := &listed{name: "p", lines: []string{begins("s", "a")}, stop: 1}
		if err := <-start(t, monitor.Options{Store: store}, p).result; err == nil || !strings.Contains(err.Error(), "p: "+want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// A state that was damaged is an error or is gone on from, and never a panic.
func TestDamagedStates(t *testing.T) {
	for _, spec := range generate.SpecNames() {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			lines := monitortest.Faulty(t, spec, 5, 2, 300, 30)
			kept := newMemory()
			start(t, monitor.Options{Store: kept.open()}, &listed{name: "p", lines: lines, stop: 200}).judged().end()
			r := rand.New(rand.NewPCG(5, 5))
			refused := 0
			for range exhaustive.Or(40, 150) {
				damaged := newMemory()
				damaged.heads, damaged.parts["p"] = maps.Clone(kept.heads), maps.Clone(kept.parts["p"])
				names := slices.Sorted(maps.Keys(damaged.parts["p"]))
				name := names[r.IntN(len(names))]
				state := []byte(damaged.parts["p"][name])
				for range 1 + r.IntN(3) {
					state[r.IntN(len(state))] = byte(r.IntN(256))
				}
				damaged.parts["p"][name] = string(state)
				p := &listed{name: "p", lines: lines, stop: len(lines)}
				m := start(t, monitor.Options{Store: damaged.open(), Every: time.Minute, Judge: validators.Options{Budget: 1000}}, p)
				select {
				case err := <-m.result:
					refused++
					if !strings.Contains(err.Error(), "--start-over") {
						t.Errorf("the error %q does not say what to do", err)
					}
				case <-p.ended:
					m.end()
				}
			}
			if refused == 0 {
				t.Error("nothing was refused: is it damaged?")
			}
		})
	}
}
