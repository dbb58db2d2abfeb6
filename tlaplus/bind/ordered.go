package bind

import (
	"errors"
	"fmt"
	"slices"

	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// ordered is the lines of one stream that wait for others.
type ordered struct {
	c       *clocks
	held    *held
	times   map[string]int64    // of each node, of the last line that is out
	waiting map[moment][]*later // lines, by what each waits for
	begun   bool
}

// held is how much waits, of one stream or of all.
type held struct {
	bytes   int
	most    int // of them
	arrived int // lines
}

func (h *held) full() bool { return h.bytes > h.most }

// why is the reason where it is full.
func (h *held) why() string {
	size := fmt.Sprintf("%d bytes", h.most)
	if h.most >= 1<<20 {
		size = fmt.Sprintf("%d MiB", h.most>>20)
	}
	return fmt.Sprintf("that is not among the next lines, of which %s are kept", size)
}

// moment is a node's time.
type moment struct {
	node string
	time int64
}

// later is a line that waits.
type later struct {
	ev    trace.Event
	at    moment // its own
	clock []moment
	place int // in the log
}

// size is what the line takes, as a guess: beside its text, it has a clock.
func (l *later) size() int { return len(l.ev.Raw) + 512 }

func newOrdered(c *clocks, h *held) *ordered {
	return &ordered{c: c, held: h, times: map[string]int64{}, waiting: map[moment][]*later{}}
}

// take adds to out what is next, once the event has come.
func (s *ordered) take(out []trace.Event, ev *trace.Event) ([]trace.Event, error) {
	if first := !s.begun; first {
		if s.begun = true; s.c.b.file.headerLine {
			return append(out, *ev), nil
		}
	}
	l := &later{ev: *ev, place: s.held.arrived}
	s.held.arrived++
	var timed bool
	var err error
	if bad := guarded(func() { timed, err = s.c.read(l) }); bad != nil {
		err = bad
	}
	if err != nil {
		return out, &trace.Error{Pos: ev.Pos, Stream: ev.Clone().Stream, Reason: s.c.b.file.name + ": order: " + err.Error()}
	}
	if !timed {
		return append(out, *ev), nil
	}
	if want, ready := s.missing(l); !ready {
		l.ev = ev.Clone()
		s.hold(l, want)
		return out, nil
	}
	return s.release(out, l)
}

// hold has the line wait.
func (s *ordered) hold(l *later, want moment) {
	s.held.bytes += l.size()
	s.waiting[want] = append(s.waiting[want], l)
}

// all is the lines that wait, in the log's order.
func (s *ordered) all() (list []*later) {
	for _, some := range s.waiting {
		list = append(list, some...)
	}
	slices.SortFunc(list, func(a, b *later) int { return a.place - b.place })
	return list
}

// release adds the line, and those that waited for it alone, in the log's order.
func (s *ordered) release(out []trace.Event, l *later) ([]trace.Event, error) {
	for next := []*later{l}; len(next) > 0; {
		l, next = next[0], next[1:]
		if l.at.time <= s.times[l.at.node] {
			return out, &trace.Error{Pos: l.ev.Pos, Stream: l.ev.Clone().Stream, Reason: fmt.Sprintf(
				"%s: order: time %d of node %s has come before: give each line of a node a different time, 1, 2, …", s.c.b.file.name, l.at.time, l.at.node)}
		}
		out = append(out, l.ev)
		s.times[l.at.node] = l.at.time
		woken := s.waiting[l.at]
		delete(s.waiting, l.at)
		for _, w := range woken {
			s.held.bytes -= w.size()
			if want, ready := s.missing(w); !ready {
				s.hold(w, want)
				continue
			}
			at, _ := slices.BinarySearchFunc(next, w, func(a, b *later) int { return a.place - b.place })
			next = slices.Insert(next, at, w)
		}
	}
	return out, nil
}

// missing is what the line waits for; ready: nothing.
func (s *ordered) missing(l *later) (want moment, ready bool) {
	if before := l.at.time - 1; s.times[l.at.node] < before {
		return moment{l.at.node, before}, false
	}
	for _, known := range l.clock {
		if known.node != l.at.node && s.times[known.node] < known.time {
			return known, false
		}
	}
	return moment{}, true
}

// clocks reads the clocks of lines, for one goroutine.
type clocks struct {
	b *Bind
	p *program // nil: not yet
}

// read reads the line's clock. timed is false where the line has none, and is not an event.
func (c *clocks) read(l *later) (timed bool, err error) {
	if c.p == nil {
		if c.p, err = c.b.load(c.b.header, true); err != nil {
			return false, err
		}
	}
	p := c.p
	p.run.Work = 0
	e, bad := c.b.lineOrHeader(p, l.ev.Raw)
	if bad != "" {
		return false, fmt.Errorf("the line is not a value: %s", bad)
	}
	if !p.clock.guarded && !hasAll(e, p.clock.paths) {
		is, err := (&machine{b: c.b, p: p}).isEvent(e)
		if err == nil && is && l.ev.Kind != trace.KindMeta && l.ev.Op != trace.OpSnapshot {
			err = errors.New("the line has no clock: give it one")
			if c.b.file.objects == nil {
				err = fmt.Errorf("%w, or leave such lines out with when", err)
			}
		}
		return false, err
	}
	clock, err := p.run.Value(p.clock.f, nil, e)
	if err != nil {
		return false, err
	}
	node, err := p.run.Value(p.node.f, nil, e)
	if err != nil {
		return false, err
	}
	l.at.node = nameOf(node)
	for _, k := range value.Enumerate(value.Domain(clock)).Each() {
		n, ok := value.Apply(clock, k).(value.Int)
		if !ok {
			return false, fmt.Errorf("the clock has %s for %s: a time is an integer", value.Show(value.Apply(clock, k)), value.Show(k))
		}
		m := moment{nameOf(k), int64(n)}
		if l.clock = append(l.clock, m); m.node == l.at.node {
			l.at = m
		}
	}
	if l.at.time < 1 {
		return false, fmt.Errorf("the clock %s has no time of the line's own node %s, from 1", value.Show(clock), l.at.node)
	}
	return true, nil
}

// nameOf is a node's name. Keys of JSON objects are strings: 1 and "1" are one node.
func nameOf(v value.Value) string {
	if s, ok := v.(*value.Str); ok {
		return s.Text
	}
	return value.Show(v)
}
