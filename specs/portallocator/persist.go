package portallocator

import (
	"slices"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Live implements validators.Machine.
func (m *machine) Live() int {
	n := m.s.endpoints.Len()
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
	s.records.Code(c, s.endpoints.ToWrite(c), m.codeEndpoint)
	if c.Err() == nil {
		s.codeAllocated(c)
		m.run.code(c, s)
	}
}

func (m *machine) codeEndpoint(c *codec.Codec, e *endpoint) {
	if e == nil {
		e = &endpoint{}
	}
	s := m.s
	id, v := e.id, e.value
	codec.String(c, &id)
	s.codeList(c, &v.spec)
	s.codeList(c, &v.ports)
	others := s.codeOthers(c, e, v.ports.ports)
	if c.Reading() && s.endpoints.Get(id) != nil {
		c.Fail("endpoint %s comes twice", id)
	}
	if !c.Reading() || c.Err() != nil {
		return
	}
	owners := make([]*endpoint, len(others))
	for i, a := range others {
		owners[i] = s.uses.get(a).owner
	}
	s.put(id, v, m.isSteady(&v))
	for i, a := range others {
		u := s.uses.get(a)
		was := u
		u.owner = owners[i]
		s.set(a, was, u)
	}
}

// codeOthers is for those of the endpoint's addresses that others have, or had,
// of which not this one is told: it depends on what came last.
func (s *state) codeOthers(c *codec.Codec, e *endpoint, ports []port) (others []address) {
	for i := range ports {
		p := &ports[i]
		if a := p.addr(); !c.Reading() && p.mode == ingress && s.uses.get(a).owner != e {
			others = append(others, a)
		}
	}
	codec.Slice(c, &others, func(a *address) {
		if codeAddress(c, a); !hasIngress(ports, *a) {
			c.Fail("%s is not what the endpoint has", s.text(*a))
		}
	})
	return others
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

// codeAllocated is for what is allocated but not needed, or needed but not
// allocated.
func (s *state) codeAllocated(c *codec.Codec) {
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
	for _, e := range s.endpoints.All() {
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
		if codec.String(c, id); s.endpoints.Get(*id) == nil {
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
