package portallocator

import (
	"slices"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Live implements validators.Machine.
func (m *machine) Live() int {
	n := len(m.s.endpoints)
	if m.s.tells() {
		n++
	}
	return n
}

// tells says that the endpoints alone do not say what is allocated.
func (s *state) tells() bool { return s.shown || s.missing > 0 || s.extra > 0 }

// Persist implements validators.Machine. The module asks for no fairness:
// nothing waits.
func (m *machine) Persist(c *codec.Codec) {
	s := m.s
	m.binder.s = s // for isSteady
	names := s.protocols
	codec.Slice(c, &names, c.Name)
	for i, name := range names { // ports have their places
		if i >= len(s.protocols) || s.protocols[i] != name {
			c.Fail("protocol %q is not number %d", name, i)
		}
	}
	codec.Bool(c, &s.shown)
	codec.Bool(c, &s.badSet)
	all := s.sorted()
	codec.Slice(c, &all, func(e **endpoint) { *e = m.codeEndpoint(c, *e) })
	if c.Err() == nil {
		s.codeOwners(c, all)
		s.codeAllocated(c, all)
		m.run.code(c, s)
	}
}

func (m *machine) codeEndpoint(c *codec.Codec, e *endpoint) *endpoint {
	if e == nil {
		e = &endpoint{}
	}
	id, v := e.id, e.value
	codec.String(c, &id)
	m.s.codeList(c, &v.spec)
	m.s.codeList(c, &v.ports)
	if !c.Reading() {
		return e
	}
	if m.s.endpoints[id] != nil {
		c.Fail("endpoint %s comes twice", id)
	}
	if c.Err() != nil {
		return e
	}
	return m.s.put(id, v, m.isSteady(&v))
}

func (s *state) codeList(c *codec.Codec, l *list) {
	codec.Bool(c, &l.missing)
	if l.missing {
		codec.Bool(c, &l.unseen)
		return
	}
	codec.Slice(c, &l.ports, func(p *port) { s.codePort(c, p) })
}

func (s *state) codePort(c *codec.Codec, p *port) {
	c.Name(&p.name)
	codec.Bool(c, &p.badName)
	codec.Uint(c, &p.mode)
	codec.Uint(c, &p.protocol)
	codec.Int(c, &p.published)
	if p.mode > host || p.protocol != badProtocol && int(p.protocol) >= len(s.protocols) || p.published < badNumber {
		c.Fail("there is no port %+v", *p)
	}
}

// codeOwners is for addresses that several endpoints have, or had: which of them
// is told of depends on what came last.
func (s *state) codeOwners(c *codec.Codec, all []*endpoint) {
	var shared []address
	for _, e := range all {
		for i := range e.ports.ports {
			p := &e.ports.ports[i]
			if u := s.uses.get(p.addr()); p.mode == ingress && (u.ingress > 1 || u.owner == nil) {
				shared = append(shared, p.addr())
			}
		}
	}
	slices.Sort(shared)
	shared = slices.Compact(shared)
	codec.Slice(c, &shared, func(a *address) {
		codeAddress(c, a)
		u := s.uses.get(*a)
		was, at := u, slices.Index(all, u.owner)
		if codec.Int(c, &at); !c.Reading() || c.Err() != nil {
			return
		}
		switch u.owner = nil; {
		case at < -1 || at >= len(all) || u.ingress == 0 || at >= 0 && !hasIngress(all[at].ports.ports, *a):
			c.Fail("%s is not what endpoint %d has", s.text(*a), at)
			return
		case at >= 0:
			u.owner = all[at]
		}
		s.set(*a, was, u)
	})
}

// codeAllocated is for what is allocated but not needed, or needed but not
// allocated.
func (s *state) codeAllocated(c *codec.Codec, all []*endpoint) {
	var odd []address
	if s.missing+s.extra > 0 {
		for a, u := range s.uses.all() {
			if u.allocated != (u.ingress > 0) {
				odd = append(odd, a)
			}
		}
	}
	slices.Sort(odd)
	codec.Slice(c, &odd, func(a *address) { codeAddress(c, a) })
	if !c.Reading() || c.Err() != nil {
		return
	}
	for _, e := range all {
		s.allocateAll(e.ports.ports)
	}
	for _, a := range odd {
		s.allocate(a, !s.uses.get(a).allocated)
	}
}

func codeAddress(c *codec.Codec, a *address) {
	if codec.Uint(c, a); at(a.protocol(), a.number()) != *a {
		c.Fail("there is no address %d", uint64(*a))
	}
}

// code is for a run that is not over.
func (r *snapshots) code(c *codec.Codec, s *state) {
	if codec.Bool(c, &r.begun); !r.begun {
		return
	}
	codec.Bool(c, &r.logged)
	codec.Slice(c, &r.found, func(f *validators.Finding) { f.Code(c) })
	r.endpoints.code(c, func(id *string) {
		if codec.String(c, id); s.endpoints[*id] == nil {
			c.Fail("endpoint %s was shown, and does not stand", *id)
		}
	})
	r.addresses.code(c, func(a *address) { codeAddress(c, a) })
}

func (p *places[T]) code(c *codec.Codec, what func(*T)) {
	codec.Slice(c, &p.list, func(x *T) {
		what(x)
		at := p.at[*x]
		if at.Code(c); !c.Reading() {
			return
		}
		if p.at == nil {
			p.at = map[T]trace.Pos{}
		}
		p.at[*x] = at
	})
}
