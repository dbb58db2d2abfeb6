package portallocator

import (
	"tracecheck/trace"
	"tracecheck/validators"
)

// snapshots is a run of snapshot lines. They overlay the state one by one;
// what they made of it is judged when the run is over.
type snapshots struct {
	begun     bool
	logged    bool                 // a line of the run says what is allocated
	found     []validators.Finding // values outside their types
	endpoints places[string]       // those shown, by id
	addresses places[address]      // what they had before, and what the allocator's lines change
}

// places are what lines of a run are about, each once, with its last line.
type places[T comparable] struct {
	list []T
	at   map[T]trace.Pos
}

func (p *places[T]) add(x T, at trace.Pos) {
	if p.at == nil {
		p.at = map[T]trace.Pos{}
	}
	if _, known := p.at[x]; !known {
		p.list = append(p.list, x)
	}
	p.at[x] = at
}

// Snapshot implements validators.Machine.
func (m *machine) Snapshot(ev *trace.Event) {
	b := &m.binder
	b.s = m.s
	clear(b.room)
	b.room, b.faulty = b.room[:0], b.faulty[:0]
	m.run.begun = true
	switch ev.Kind {
	case trace.KindEndpoint:
		v := unknown(false)
		b.merge(&v, ev, 0, true)
		if m.moby && v.align(&m.none) {
			m.uses.Add(portsReordered, 1)
		}
		m.overlay(ev, v)
	case trace.KindAllocator:
		set, ok := m.s.parseAllocated(ev.Fields.Get(trace.FieldAllocated), nil)
		for _, a := range m.s.setAllocated(set) {
			m.run.addresses.add(a, ev.Pos)
		}
		m.run.logged = true
		if m.s.shown, m.s.badSet = true, !ok; !ok {
			b.faulty.Add(validators.OfType, 0, m.s.allocatedError(ev))
		}
	}
	if len(b.faulty) > 0 && !validators.HasRule(m.run.found, typeOK.Name) {
		m.run.found = append(m.run.found, validators.Finding{
			Kind: validators.OfType, Rule: typeOK.Name, Pos: ev.Pos, Message: b.faulty[0].Text})
	}
}

// overlay sets the endpoint. Unless the run says what is allocated, its
// addresses are inferred to be so, and those that it had before to be so no
// more; what else is allocated stays.
func (m *machine) overlay(ev *trace.Event, v value) {
	s := m.s
	var old []port
	if e := s.endpoints.Get(ev.ID); e != nil {
		old = e.ports.ports
	}
	e := s.put(ev.ID, v, m.isSteady(&v))
	for i := range old {
		p := &old[i]
		if a := p.addr(); p.mode == ingress && s.uses.get(a).ingress == 0 && !m.run.logged {
			s.allocate(a, false)
		}
		m.run.addresses.add(p.addr(), ev.Pos)
	}
	if !m.run.logged {
		s.allocateAll(e.ports.ports)
	}
	m.run.endpoints.add(e.id, ev.Pos)
}

// SnapshotsEnd implements validators.Machine.
func (m *machine) SnapshotsEnd() []validators.Finding {
	run := m.run
	m.run = snapshots{}
	found := run.found
	for _, id := range run.endpoints.list {
		found = m.check(m.seeEndpoint(m.s.endpoints.Get(id)), run.endpoints.at[id], found)
	}
	for _, a := range run.addresses.list {
		found = m.check(m.seeAddress(a), run.addresses.at[a], found)
	}
	return found
}

// allocateAll puts the ports' ingress addresses into allocated.
func (s *state) allocateAll(ports []port) {
	for i := range ports {
		if p := &ports[i]; p.mode == ingress {
			s.allocate(p.addr(), true)
		}
	}
}
