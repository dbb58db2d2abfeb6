package portallocator

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// binder makes the pair of a step. It changes nothing of the state.
type binder struct {
	pair
	room   []port         // what the step's lines give, borrowed from them
	index  map[string]int // of the changes, in steps of many events
	faulty validators.Faults
	taken  bool // the step shows something for the first time (under --attach), or is about what is not known: it is taken as it is
	own    bool // it has a line that is no refusal
}

const (
	few      = 8    // events of a step that are searched one by one
	keptRoom = 4096 // ports and changes that are kept room for
)

func (m *machine) bind(step *trace.Step) {
	b := &m.binder
	b.reset()
	if b.s = m.s; cap(b.room) > keptRoom || cap(b.endpoints) > keptRoom {
		b.room, b.endpoints, b.index = nil, nil, nil
	}
	clear(b.room)
	clear(b.index)
	b.room, b.faulty, b.taken, b.own = b.room[:0], b.faulty[:0], false, false
	if b.index == nil && len(step.Events) > few {
		b.index = map[string]int{}
	}
	for i := range step.Events {
		ev := &step.Events[i]
		switch {
		case ev.Op == trace.OpReject: // records that nothing happened
		case ev.Kind == trace.KindEndpoint:
			b.own = true
			m.bindEndpoint(ev, i, len(step.Events) > few)
		case ev.Kind == trace.KindAllocator:
			b.own = true
			m.bindAllocator(ev, i)
		}
	}
	if m.moby {
		m.alignPorts()
	}
	b.drop()
}

func (m *machine) bindEndpoint(ev *trace.Event, i int, many bool) {
	b := &m.binder
	c := b.changeOf(ev, many)
	c.line = i
	had := c.is
	b.taken = b.taken || c.old.unseen()
	switch {
	case m.attach && !c.was && !had: // first sight
		b.taken = true
		if ev.Op == trace.OpDelete {
			return
		}
		c.new = unknown(true)
	case ev.Op == trace.OpCreate:
		b.expect(!had, ev, i, "create of an endpoint that exists")
		c.remade = c.was && !had
		c.new = unknown(false)
	case !had:
		b.expect(false, ev, i, fmt.Sprintf("%s of an endpoint %s", ev.Op, validators.NoSuchObject))
		if ev.Op == trace.OpDelete {
			return
		}
		c.new = unknown(true)
	case ev.Op == trace.OpDelete:
		c.is, c.new = false, value{}
		return
	}
	c.is = true
	whole := ev.Op == trace.OpCreate && !(m.attach && !c.was && !had)
	b.merge(&c.new, ev, i, whole)
	b.taken = b.taken || m.attach && c.new.unseen()
}

// changeOf returns the change of the event's endpoint, made where there is
// none yet.
func (b *binder) changeOf(ev *trace.Event, many bool) *change {
	if many {
		if i, ok := b.index[ev.ID]; ok {
			return &b.endpoints[i]
		}
		b.index[ev.ID] = len(b.endpoints)
	} else {
		for i := range b.endpoints {
			if c := &b.endpoints[i]; c.id == ev.ID {
				return c
			}
		}
	}
	c := change{id: ev.ID}
	if e := b.s.endpoints.Get(ev.ID); e != nil {
		c.old, c.new, c.was, c.is = e.value, e.value, true, true
	}
	b.endpoints = append(b.endpoints, c)
	return &b.endpoints[len(b.endpoints)-1]
}

// merge overlays the event's fields onto v. Where the whole object is to be
// given, a field left out is outside its type.
func (b *binder) merge(v *value, ev *trace.Event, line int, whole bool) {
	b.mergeList(&v.spec, ev, line, trace.FieldSpec, (*port).inSpec, whole)
	b.mergeList(&v.ports, ev, line, trace.FieldPorts, (*port).inConfig, whole)
}

func (b *binder) mergeList(l *list, ev *trace.Event, line int, name trace.FieldName, typed func(*port) bool, whole bool) {
	if given := ev.Fields.Get(name); given.Type != trace.Absent {
		*l, b.room = b.s.parsePorts(given, b.room)
	} else if !whole {
		return
	}
	if !l.typeOK(typed) {
		b.faulty.Add(validators.OfType, line, b.s.typeError(ev, name, l))
	}
}

func (m *machine) bindAllocator(ev *trace.Event, i int) {
	b := &m.binder
	l := &b.allocator
	shown := m.s.shown || l.seen
	l.seen = true
	switch {
	case ev.Op == trace.OpDelete:
		b.expect(!shown, ev, i, "delete of the allocator, which is a variable and stands throughout")
		return
	case ev.Op == trace.OpCreate:
		b.expect(!shown, ev, i, "create of the allocator, which exists")
	}
	if ev.Op != trace.OpCreate && ev.Fields.Get(trace.FieldAllocated).Type == trace.Absent {
		return
	}
	b.taken = b.taken || m.attach && !shown
	set, ok := m.s.parseAllocated(ev.Fields.Get(trace.FieldAllocated), l.set[:0])
	l.is, l.bad, l.line, l.set = true, !ok, i, set
	if !ok {
		b.faulty.Add(validators.OfType, i, m.s.allocatedError(ev))
	}
}

func (b *binder) expect(holds bool, ev *trace.Event, line int, text string) {
	if !holds {
		if ev.Kind == trace.KindEndpoint {
			text = fmt.Sprintf("endpoint %s: %s", ev.ID, text)
		}
		b.faulty.Add(validators.OfTransition, line, text)
	}
}

// drop leaves only what differs between the two states.
func (b *binder) drop() {
	n := 0
	for i := range b.endpoints {
		if c := &b.endpoints[i]; c.was != c.is || c.was && !c.old.equal(&c.new) {
			if n != i {
				b.endpoints[n] = *c
			}
			n++
		}
	}
	clear(b.endpoints[n:])
	b.endpoints = b.endpoints[:n]
}
