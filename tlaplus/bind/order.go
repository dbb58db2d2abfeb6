package bind

import (
	"fmt"
	"slices"

	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// Order puts the lines of a log in an order that agrees with their vector clocks: those of
// a node by its own time, and each behind the lines of other nodes that its clock knows
// of. Of those that may be next, the first in the log is. It serves one goroutine.
type Order struct {
	b       *Bind
	p       *program
	streams map[string]*ordered
	held    int // bytes of the lines that wait
	most    int // of them
	arrived int
	err     error
}

// mostHeld is how many bytes of lines wait for others at most.
const mostHeld = 64 << 20

// heldBytes is what a line takes that waits, beside its text, as a guess.
const heldBytes = 512

// ordered is one stream.
type ordered struct {
	times   map[string]int64    // of each node, of the last line that is out
	waiting map[moment][]*later // lines, by what each waits for
	begun   bool
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

// Order returns a new one; nil: the lines are in their order.
func (b *Bind) Order() *Order {
	if b.file.clock == nil {
		return nil
	}
	return &Order{b: b, streams: map[string]*ordered{}, most: mostHeld}
}

// Each calls do with those of the events, and of those that wait, that are next. The
// events live until do returns. An error that is a *trace.Error is of a line that has no
// place in the order; do has got what comes before.
func (o *Order) Each(events []trace.Event, do func([]trace.Event) error) error {
	var out []trace.Event
	for i := range events {
		if o.err == nil {
			out, o.err = o.take(out, &events[i])
		}
	}
	if err := do(out); err != nil {
		return err
	}
	return o.err
}

// End is an error if lines wait for what the log does not have.
func (o *Order) End() error {
	if o.err != nil {
		return o.err
	}
	return o.stuck("the log has no such line")
}

// stuck is an error about the first line that waits; nil: none does.
func (o *Order) stuck(why string) error {
	var first *later
	var missing moment
	for _, s := range o.streams {
		for want, list := range s.waiting {
			for _, l := range list {
				if first == nil || l.place < first.place {
					first, missing = l, want
				}
			}
		}
	}
	if first == nil {
		return nil
	}
	return &trace.Error{Pos: first.ev.Pos, Stream: first.ev.Stream, Reason: fmt.Sprintf(
		"the line, time %d of node %s, cannot be put in order: it comes after time %d of node %s, and %s; complete the log, or remove order from %s",
		first.at.time, first.at.node, missing.time, missing.node, why, o.b.file.name)}
}

// take adds to out what is next, once the event has come.
func (o *Order) take(out []trace.Event, ev *trace.Event) ([]trace.Event, error) {
	s := o.streams[ev.Stream]
	if s == nil {
		s = &ordered{times: map[string]int64{}, waiting: map[moment][]*later{}}
		o.streams[ev.Clone().Stream] = s
	}
	if first := !s.begun; first {
		if s.begun = true; o.b.file.headerLine {
			return append(out, *ev), nil
		}
	}
	l := &later{ev: *ev, place: o.arrived}
	o.arrived++
	var timed bool
	var err error
	if bad := guarded(func() { timed, err = o.read(l) }); bad != nil {
		err = bad
	}
	if err != nil {
		return out, &trace.Error{Pos: ev.Pos, Stream: ev.Clone().Stream, Reason: o.b.file.name + ": order: " + err.Error()}
	}
	if !timed {
		return append(out, *ev), nil
	}
	if last := s.times[l.at.node]; l.at.time <= last {
		return out, &trace.Error{Pos: ev.Pos, Stream: ev.Clone().Stream, Reason: fmt.Sprintf(
			"%s: order: time %d of node %s has come before: give each line of a node a different time, 1, 2, …", o.b.file.name, l.at.time, l.at.node)}
	}
	if want, ready := s.missing(l); !ready {
		l.ev = ev.Clone()
		o.held += len(ev.Raw) + heldBytes
		s.waiting[want] = append(s.waiting[want], l)
		if o.held > o.most {
			return out, o.stuck(fmt.Sprintf("that is not among the next lines, of which %d MiB are kept", o.most>>20))
		}
		return out, nil
	}
	return o.release(out, s, l), nil
}

// release adds the line, and those that waited for it alone, in the log's order.
func (o *Order) release(out []trace.Event, s *ordered, l *later) []trace.Event {
	for next := []*later{l}; len(next) > 0; {
		l, next = next[0], next[1:]
		out = append(out, l.ev)
		s.times[l.at.node] = l.at.time
		woken := s.waiting[l.at]
		delete(s.waiting, l.at)
		for _, w := range woken {
			if want, ready := s.missing(w); !ready {
				s.waiting[want] = append(s.waiting[want], w)
				continue
			}
			o.held -= len(w.ev.Raw) + heldBytes
			at, _ := slices.BinarySearchFunc(next, w, func(a, b *later) int { return a.place - b.place })
			next = slices.Insert(next, at, w)
		}
	}
	return out
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

// read reads the line's clock. timed is false where the line has none, and is no event.
func (o *Order) read(l *later) (timed bool, err error) {
	if o.p == nil {
		if o.p, err = o.b.load(o.b.header, true); err != nil {
			return false, err
		}
	}
	p := o.p
	p.run.Work = 0
	e, bad := p.json.text(l.ev.Raw, o.b.shapes.field(lineName))
	if bad != "" {
		return false, fmt.Errorf("the line is no value: %s", bad)
	}
	if !p.clock.guarded && !told(e, p.clock.paths) {
		is, err := (&machine{b: o.b, p: p}).isEvent(e)
		if err == nil && is {
			err = fmt.Errorf("the line has no clock: give it one, or leave such lines out with when")
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
	for _, k := range value.Enumerate(value.Domain(clock)).Elems {
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
