package swarmkit

import (
	"cmp"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// What is written down is what the stream has shown: nodes, services, and the
// tasks, vslot by vslot. Counts and indexes follow from it as the tasks
// come in again. Setbacks begin again at 0: it matters only that they rise.

// Live implements validators.Machine.
func (m *machine) Live() int { return int(m.s.totals.nodes) + int(m.s.serviceCount) + m.s.tasks.Len() }

// Persist implements validators.Machine.
func (m *machine) Persist(c *codec.Codec) {
	p := persister{Codec: c, m: m, s: m.s}
	codec.Bool(c, &m.began)
	codec.Bool(c, &m.inInit)
	if p.s.moby {
		p.moment(&m.history.now)
		p.limit()
	}
	if !c.Reading() {
		p.nodes, p.services = p.s.nodes.Sorted(), p.s.services.Sorted()
	}
	codec.Slice(c, &p.nodes, p.node)
	codec.Slice(c, &p.services, p.service)
	p.slots()
	if p.s.moby {
		p.history()
	}
	p.run()
	p.s.sweep()
	if c.Err() != nil {
		return
	}
	p.waits()
}

// persister writes the machine's state down, or makes it again.
type persister struct {
	*codec.Codec
	m        *machine
	s        *state
	nodes    []*node // by id, as the services are
	services []*service

	replacements []*past // that were read: their tasks are to be found by their ids
}

// presence says whether an object exists.
type presence uint8

const (
	isNamed presence = iota // never: tasks name it
	isPresent
	wasPresent
	isCreated // as service.created, and present
)

func presenceOf(exists, gone bool) presence {
	switch {
	case exists:
		return isPresent
	case gone:
		return wasPresent
	}
	return isNamed
}

func (p *persister) node(of **node) {
	n := cmp.Or(*of, &node{})
	id := n.id
	p.Name(&id)
	at := presenceOf(n.exists, n.shown)
	member(p.Codec, &at, wasPresent)
	v := n.nodeValue
	if at == isPresent {
		nodeTable.code(p.s, p.Codec, &v)
	}
	if p.Reading() {
		if id == "" || p.s.nodes.Get(id) != nil {
			p.Fail("node %q is there twice, or none", id)
			return
		}
		n = p.s.node(id)
		if n.shown = at != isNamed; at == isPresent {
			p.s.putNode(id, v)
		}
		*of = n
	}
	if p.s.moby {
		p.dockerNode(n.docker)
	}
}

func (p *persister) service(of **service) {
	sv := cmp.Or(*of, &service{})
	id := sv.id
	p.Name(&id)
	at := presenceOf(sv.exists, sv.gone)
	if sv.created {
		at = isCreated
	}
	member(p.Codec, &at, isCreated)
	if p.Reading() {
		if p.s.services.Get(id) != nil {
			p.Fail("service %q is there twice", id)
			return
		}
		sv = p.s.service(id)
		sv.gone, sv.created = at == wasPresent, at == isCreated
		*of = sv
	}
	if p.s.moby {
		p.dockerService(&sv.docker)
		p.vacated(&sv.vacated)
		p.trails(&sv.trails)
		codec.Int(p.Codec, &sv.limited)
		codec.Bool(p.Codec, &sv.forgotSlot)
	}
	if at == isPresent || at == isCreated {
		v := sv.serviceValue
		if serviceTable.code(p.s, p.Codec, &v); p.Reading() {
			p.s.putService(id, v)
		}
	}
}

// member is a value of an enumeration, of which last is the last.
func member[T ~uint8](c *codec.Codec, v *T, last T) {
	if codec.Uint(c, v); *v > last {
		c.Fail("%d is not one of the %d values there are", *v, int(last)+1)
		*v = 0
	}
}

// run is what the current run of snapshots has shown.
func (p *persister) run() {
	of := p.m.sighted
	if of == nil {
		of = &sighted{}
	}
	codec.Slice(p.Codec, &of.nodes, func(n **node) {
		if p.s.codeNode(p.Codec, n); *n == nil {
			p.Fail("a node without a name was shown")
		}
	})
	codec.Slice(p.Codec, &of.services, p.serviceOf)
	codec.Slice(p.Codec, &of.tasks, p.taskOf)
	of.Code(p.Codec, func(_ trace.Kind, id string) bool { return p.s.tasks.Get(id) != nil })
	if p.Reading() && len(of.nodes)+len(of.services)+len(of.tasks) > 0 {
		p.m.sighted = of
	}
}

// Records that others name, by their ids.

func (p *persister) serviceOf(sv **service) {
	swarm.CodeRecord(p.Codec, sv, p.s.services.Get, p.Name, "service", false)
}

func (p *persister) taskOf(t **task) {
	swarm.CodeRecord(p.Codec, t, p.s.tasks.Get, func(id *string) { codec.String(p.Codec, id) }, "task", false)
}

// codeNode is for a node that was written before, or none.
func (s *state) codeNode(c *codec.Codec, n **node) {
	swarm.CodeRecord(c, n, s.nodes.Get, c.Name, "node", true)
}
