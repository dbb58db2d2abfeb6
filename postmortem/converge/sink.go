package converge

import (
	"time"

	"tracecheck/trace"
)

// sink is the Gate as a trace.Sink.
type sink Gate

// Meta reads the history limit.
func (s *sink) Meta(ev *trace.Event) error {
	meta, err := trace.ParseMeta(ev)
	if err != nil {
		return err
	}
	if n, ok := trace.Integer(meta.Constants["max_terminated"]); ok {
		s.limit = n
	}
	return nil
}

// Begin drops the state of the previous recording.
func (s *sink) Begin() error {
	s.limit = -1
	s.Lost(nil)
	for _, w := range s.services {
		*w = watched{word: w.word, failures: map[vslot]failures{}}
	}
	return nil
}

// Lost drops all objects: snapshots follow.
func (s *sink) Lost(*trace.Error) {
	s.store = newStore()
	for _, w := range s.services {
		w.restart()
	}
}

func (s *sink) Snapshot(ev *trace.Event) error {
	g := (*Gate)(s)
	g.reach(ev)
	if g.result == nil {
		g.store.apply(ev, g.now)
	}
	return nil
}

func (s *sink) SnapshotsEnd() error {
	g := (*Gate)(s)
	if g.result == nil && !g.start.IsZero() {
		g.lookAt(everyOne, g.now)
	}
	return nil
}

// Step applies all changes of a transaction at once. There are no states in between.
func (s *sink) Step(step *trace.Step) error {
	g := (*Gate)(s)
	for i := range step.Events {
		g.reach(&step.Events[i])
	}
	if g.result != nil {
		return nil
	}
	touched := map[string]bool{}
	for i := range step.Events {
		c := g.store.apply(&step.Events[i], g.now)
		if c.ignored {
			continue
		}
		touched[c.service] = true
		if !g.start.IsZero() {
			g.note(c)
		}
	}
	if g.result == nil && !g.start.IsZero() {
		g.lookAt(func(w *watched) bool { return touched[w.id] || touched[""] }, g.now)
	}
	return nil
}

// reach advances to the event's time.
func (g *Gate) reach(ev *trace.Event) {
	if ev.Time != "" {
		g.Advance(time.Unix(0, ev.Nanos).UTC())
	}
}

// note records what a picture does not have.
func (g *Gate) note(c change) {
	for _, w := range g.services {
		w.find(g.store)
		s := g.store.services[w.id]
		switch {
		case s == nil || w.id != c.service:
		case c.respecified:
			w.restart()
			w.forgive()
		case c.before != nil && c.task != nil:
			w.count(s, c.before, c.task)
		}
	}
}
