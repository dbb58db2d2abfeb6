package swarmkit

import (
	"maps"
	"slices"

	"tracecheck/trace/codec"
)

// What is written down is what the stream has shown: nodes, and services with
// their tasks, vslot by vslot. Counts and indexes follow from it as the tasks
// come in again. Setbacks are counted anew: it matters only that they rise.

// Live implements validators.Machine.
func (m *machine) Live() int { return m.s.totals.nodes + m.s.standing + m.s.tasks.Len() }

// Persist implements validators.Machine.
func (m *machine) Persist(c *codec.Codec) {
	p := persister{Codec: c, m: m, s: m.s}
	codec.Bool(c, &m.began)
	codec.Bool(c, &m.inInit)
	if p.s.moby {
		p.moment(&m.chronicle.now)
	}
	if !c.Reading() {
		for _, id := range slices.Sorted(maps.Keys(p.s.nodes)) {
			p.nodes = append(p.nodes, p.s.nodes[id])
		}
		for _, id := range slices.Sorted(maps.Keys(p.s.services)) {
			p.services = append(p.services, p.s.services[id])
		}
	}
	codec.Slice(c, &p.nodes, p.node)
	p.slots(p.s.none)
	codec.Slice(c, &p.services, p.service)
	if p.s.moby {
		p.history()
	}
	p.run()
	if c.Err() != nil {
		return
	}
	p.s.sweep()
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

// standing says whether an object stands.
type standing uint8

const (
	isNamed standing = iota // never: tasks name it
	isStanding
	wasStanding
)

func (p *persister) standing(exists, gone bool) standing {
	at := isNamed
	switch {
	case exists:
		at = isStanding
	case gone:
		at = wasStanding
	}
	member(p.Codec, &at, wasStanding)
	return at
}

func (p *persister) node(of **node) {
	n := *of
	if n == nil {
		n = &node{}
	}
	id := n.id
	p.Name(&id)
	at := p.standing(n.exists, n.shown)
	v := nodeValue{n.up, n.bad}
	if at == isStanding {
		codec.Bool(p.Codec, &v.up)
		codec.Uint(p.Codec, &v.bad)
	}
	if p.Reading() {
		if id == "" || p.s.nodes[id] != nil {
			p.Fail("node %q is there twice, or none", id)
			return
		}
		n = p.s.node(id)
		if n.shown = at != isNamed; at == isStanding {
			p.s.putNode(id, v.up, v.bad)
		}
		*of = n
	}
	if p.s.moby {
		p.dockerNode(&n.docker)
	}
}

func (p *persister) service(of **service) {
	sv := *of
	if sv == nil {
		sv = &service{}
	}
	id := sv.id
	p.Name(&id)
	at := p.standing(sv.exists, sv.gone)
	if p.Reading() {
		if p.s.services[id] != nil {
			p.Fail("service %q is there twice", id)
			return
		}
		sv = p.s.service(id)
		sv.gone = at == wasStanding
		*of = sv
	}
	if p.s.moby {
		p.dockerService(&sv.docker)
		p.vacated(&sv.vacated)
	}
	if at == isStanding {
		v := sv.serviceValue
		if p.spec(&v); p.Reading() {
			p.s.putService(id, v)
		}
	}
	p.slots(sv)
}

func (p *persister) spec(v *serviceValue) {
	codec.Int(p.Codec, &v.replicas)
	if v.replicas < badReplicas {
		p.Fail("%d replicas", v.replicas)
		v.replicas = badReplicas
	}
	codec.Bool(p.Codec, &v.remove)
	codec.Uint(p.Codec, &v.bad)
	codec.Uint(p.Codec, &v.unseen)
}

// slots is the service's tasks, one vslot after the other.
func (p *persister) slots(sv *service) {
	var list []*vslot
	if !p.Reading() {
		list = sv.vslots.inOrder()
	}
	codec.Slice(p.Codec, &list, func(vs **vslot) { p.slot(sv, *vs) })
}

// slot begins with the task that came first: each is put before the others.
func (p *persister) slot(sv *service, vs *vslot) {
	var key vslotKey
	var t *task
	n := 0
	if vs != nil {
		key = vs.key
		for t = vs.first; t.after != nil; t = t.after {
		}
		n = int(vs.count)
	}
	codec.Int(p.Codec, &key.slot)
	if key.slot < badSlot {
		p.Fail("%d is no slot", key.slot)
		return
	}
	if key.slot == globalSlot {
		p.nodeOf(&key.node)
	}
	for range p.Len(n) {
		if p.task(t, sv, key); p.Err() != nil {
			return
		}
		if t != nil {
			t = t.before
		}
	}
	if p.s.moby {
		p.dockerSlot(sv.vslots.get(key))
	}
}

func (p *persister) task(t *task, sv *service, key vslotKey) {
	id, v := "", taskValue{service: sv, slot: key.slot, node: key.node}
	if t != nil {
		id, v = t.id, t.taskValue
	}
	codec.String(p.Codec, &id)
	if key.slot != globalSlot {
		p.nodeOf(&v.node)
	}
	member(p.Codec, &v.state, Orphaned)
	member(p.Codec, &v.desired, Orphaned)
	codec.Uint(p.Codec, &v.bad)
	codec.Uint(p.Codec, &v.unseen)
	if p.s.moby {
		codec.Int(p.Codec, &v.iteration)
	}
	if p.Reading() {
		if p.Err() == nil && p.s.tasks.Get(id) != nil {
			p.Fail("task %q is there twice", id)
		}
		if p.Err() != nil {
			return
		}
		t = p.s.addTask(id, v)
	}
	if p.s.moby {
		p.past(t.past)
	}
}

// member is a value of an enumeration, of which last is the last.
func member[T ~uint8](c *codec.Codec, v *T, last T) {
	if codec.Uint(c, v); *v > last {
		c.Fail("%d is not one of the %d values there are", *v, int(last)+1)
		*v = 0
	}
}
