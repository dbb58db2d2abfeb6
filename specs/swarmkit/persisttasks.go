package swarmkit

import (
	"slices"

	"tracecheck/trace/codec"
)

// There may be very many tasks. So they may be written while steps go on being
// judged: vslot by vslot. Nodes and services go by their places among those that
// are written before.

// slots is all tasks.
func (p *persister) slots() {
	var all []*vslot
	list := func(sv *service) {
		if p.IsDivided() {
			all = slices.AppendSeq(all, sv.vslots.all)
		} else {
			all = append(all, sv.vslots.inOrder()...)
		}
	}
	if !p.Reading() {
		all = make([]*vslot, 0, p.s.tasks.Len()) // each has a task
		for _, sv := range p.s.withUnknown(p.services) {
			list(sv)
		}
	}
	outer := p.Codec
	p.s.records.Code(outer, all, func(c *codec.Codec, vs *vslot) {
		if p.Codec = c; p.Reading() {
			p.readSlot()
		} else {
			p.write(vs)
		}
	})
	p.Codec = outer
}

// write begins with the task that came first: each is put before the others.
func (p *persister) write(vs *vslot) {
	place := int(vs.service.written)
	codec.Int(p.Codec, &place)
	codec.Int(p.Codec, &vs.key.slot)
	if vs.key.slot == globalSlot {
		p.placed(&vs.key.node)
	}
	t, n := vs.first, 1
	for ; t.after != nil; t = t.after {
		n++
	}
	p.Len(n)
	for ; t != nil; t = t.before {
		id, v := t.id, t.taskValue
		p.task(&id, &v)
		if p.s.moby {
			p.past(t.past)
		}
	}
	if p.s.moby {
		p.dockerSlot(vs)
	}
}

func (p *persister) readSlot() {
	var place int
	if codec.Int(p.Codec, &place); place < 0 || place > len(p.services) {
		p.Fail("there is no service %d", place)
		return
	}
	var sv *service
	if place > 0 {
		sv = p.services[place-1]
	} else {
		sv = p.s.unknown()
	}
	var key vslotKey
	codec.Int(p.Codec, &key.slot)
	if key.slot < badSlot {
		p.Fail("%d is no slot", key.slot)
		return
	}
	if key.slot == globalSlot {
		p.placed(&key.node)
	}
	for range p.Len(0) {
		id, v := "", taskValue{service: sv, slot: key.slot, node: key.node}
		if p.task(&id, &v); p.Err() == nil && p.s.tasks.Get(id) != nil {
			p.Fail("task %q is there twice", id)
		}
		if p.Err() != nil {
			return
		}
		if t := p.s.addTask(id, v); p.s.moby {
			p.past(t.past)
		}
	}
	if p.s.moby {
		p.dockerSlot(sv.vslots.get(key))
	}
}

func (p *persister) task(id *string, v *taskValue) {
	codec.String(p.Codec, id)
	if v.slot != globalSlot {
		p.placed(&v.node)
	}
	member(p.Codec, &v.state, Orphaned)
	member(p.Codec, &v.desired, Orphaned)
	codec.Uint(p.Codec, &v.bad)
	codec.Uint(p.Codec, &v.unseen)
	if p.s.moby {
		codec.Int(p.Codec, &v.docker)
	}
}

// placed is a node by its place among those that were written, from 1; 0: none.
func (p *persister) placed(n **node) {
	place := 0
	if *n != nil {
		place = 1 + int((*n).written)
	}
	codec.Int(p.Codec, &place)
	switch {
	case !p.Reading() || place == 0:
	case place < 0 || place > len(p.nodes):
		p.Fail("there is no node %d", place)
	default:
		*n = p.nodes[place-1]
	}
}
