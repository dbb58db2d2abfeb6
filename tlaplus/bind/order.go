package bind

import (
	"fmt"
	"maps"
	"slices"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Order sorts the lines of a log by their vector clocks. The lines of a node are in the order
// of its own time. Each line is after the lines of other nodes that its clock includes. Of
// several possible next lines, it takes the first in the log. It serves one goroutine.
type Order struct {
	c       *clocks
	streams map[string]*ordered
	held    held
	err     error
}

// mostHeld bounds the bytes of waiting lines of a log.
const mostHeld = 64 << 20

// mostHeldOfStream bounds them for a live stream, whose checkpoint includes them.
const mostHeldOfStream = 8 << 20

// Order returns a new one, or nil if the bind file has no order.
func (b *Bind) Order() *Order {
	if b.file.clock == nil {
		return nil
	}
	return &Order{c: &clocks{b: b}, streams: map[string]*ordered{}, held: held{most: mostHeld}}
}

// Each takes events, and calls do with the next events of the order. These are valid until
// do returns. A *trace.Error is about a line that has no place in the order; do has got the
// lines before it.
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

func (o *Order) take(out []trace.Event, ev *trace.Event) ([]trace.Event, error) {
	s := o.streams[ev.Stream]
	if s == nil {
		s = newOrdered(o.c, &o.held)
		o.streams[ev.Clone().Stream] = s
	}
	out, err := s.take(out, ev)
	if err == nil && o.held.full() {
		err = o.stuck(o.held.why())
	}
	return out, err
}

// End returns an error if lines wait for a line that the log does not have.
func (o *Order) End() error {
	if o.err != nil {
		return o.err
	}
	return o.stuck(neverCame)
}

const neverCame = "the log has no such line"

// stuck returns an error about the first line that waits, or nil.
func (o *Order) stuck(why string) error {
	return stuck(o.c.b.file.name, slices.Collect(maps.Values(o.streams)), why)
}

// StreamOrder returns what orders the lines of each stream as they come; nil: the lines are
// in their order.
func (b *Bind) StreamOrder() func(*validators.Workspace) validators.Orderer {
	if b.file.clock == nil {
		return nil
	}
	return func(w *validators.Workspace) validators.Orderer {
		shared := validators.PartOf[sharedClocks](w)
		if shared.clocks == nil || shared.b != b {
			shared.clocks = &clocks{b: b}
		}
		return &streamOrder{newOrdered(shared.clocks, &held{most: mostHeldOfStream})}
	}
}

// sharedClocks is what the streams of one goroutine share: it has a program.
type sharedClocks struct{ *clocks }

// streamOrder is the order of one stream.
type streamOrder struct{ *ordered }

// Take implements validators.Orderer.
func (o *streamOrder) Take(ev *trace.Event) ([]trace.Event, error) {
	out, err := o.take(nil, ev)
	if err == nil && o.held.full() {
		err = stuck(o.c.b.file.name, []*ordered{o.ordered}, o.held.why())
	}
	return out, err
}

// End implements validators.Orderer.
func (o *streamOrder) End() error {
	return stuck(o.c.b.file.name, []*ordered{o.ordered}, neverCame)
}

// Waiting implements validators.Orderer.
func (o *streamOrder) Waiting() int { return len(o.all()) }

// Persist implements validators.Orderer.
func (o *streamOrder) Persist(c *codec.Codec) {
	codec.Bool(c, &o.begun)
	codec.Int(c, &o.held.arrived)
	var times []moment
	for _, node := range slices.Sorted(maps.Keys(o.times)) {
		times = append(times, moment{node, o.times[node]})
	}
	codec.Slice(c, &times, func(m *moment) { m.code(c) })
	list := o.all()
	codec.Slice(c, &list, func(l **later) {
		if c.Reading() {
			*l = &later{}
		}
		(*l).code(c)
	})
	if !c.Reading() || c.Err() != nil {
		return
	}
	for _, m := range times {
		o.times[m.node] = m.time
	}
	for _, l := range list {
		if want, ready := o.missing(l); ready {
			c.Fail("a line waits that is next: time %d of node %s", l.at.time, l.at.node)
		} else {
			o.hold(l, want)
		}
	}
}

func (m *moment) code(c *codec.Codec) {
	c.Name(&m.node)
	codec.Int(c, &m.time)
}

func (l *later) code(c *codec.Codec) {
	l.ev.Kind, l.ev.Op = trace.KindLine, trace.OpUpdate
	l.ev.Pos.Code(c)
	c.Name(&l.ev.Stream)
	codec.String(c, &l.ev.Raw)
	l.at.code(c)
	codec.Slice(c, &l.clock, func(m *moment) { m.code(c) })
	codec.Int(c, &l.place)
}

// stuck is an error about the first line of the streams that waits; nil: none does.
func stuck(file string, streams []*ordered, why string) error {
	var first *later
	var missing moment
	for _, s := range streams {
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
		first.at.time, first.at.node, missing.time, missing.node, why, file)}
}
