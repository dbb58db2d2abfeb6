package swarmkit

import (
	"maps"
	"slices"

	"tracecheck/trace/codec"
)

// There may be very many tasks. So they may be written while steps go on being
// judged: vslot by vslot, each as it was when that began. What a step is about
// to change is written first, so that the vslots come in any order. Nodes and
// services go by their places among those that are written before.

// division is the tasks that are being written down.
type division struct {
	persister
	services []*service // those whose vslots may not all be written yet
	slot     int        // of the first one's list, that comes next
	others   []*vslot   // behind its list
}

// slots is all tasks.
func (p *persister) slots() {
	if p.Reading() {
		for p.Err() == nil && p.readSlot() {
		}
		return
	}
	d := &division{persister: *p, services: append([]*service{p.s.none}, p.services...)}
	if own := p.Later(d.some); own != nil {
		d.Codec = own
		p.s.division = d
		p.s.writing++
	}
}

// some writes on, until it is done or until says so.
func (d *division) some(c *codec.Codec, until func() bool) (done bool) {
	d.Codec = c
	for len(d.services) > 0 {
		if !d.service(d.services[0], until) {
			return false
		}
		d.services, d.slot, d.others = d.services[1:], 0, nil
	}
	end := -1
	codec.Int(c, &end)
	d.s.division = nil
	return true
}

// service writes those of its vslots that are left, until they are all there or
// until says so, and reports whether they are.
func (d *division) service(sv *service, until func() bool) (done bool) {
	if d.s.division != d { // all at once, in an order that is always the same
		for _, vs := range sv.vslots.inOrder() {
			d.write(vs)
		}
		return true
	}
	for d.slot < len(sv.vslots.list) {
		vs := sv.vslots.list[d.slot]
		if d.slot++; vs == nil {
			continue
		}
		if d.s.keep(vs); until() {
			return false
		}
	}
	if d.others == nil {
		d.others = slices.Collect(maps.Values(sv.vslots.rest))
	}
	for len(d.others) > 0 {
		if vs := d.others[0]; vs.count > 0 { // else it has gone, and was written then
			d.s.keep(vs)
		}
		if d.others = d.others[1:]; until() {
			return false
		}
	}
	return true
}

// keep is called before a vslot, or one of its tasks, is changed.
func (s *state) keep(vs *vslot) {
	if s.division != nil && vs.written != uint8(s.writing) {
		vs.written = uint8(s.writing)
		s.division.write(vs)
	}
}

// write begins with the task that came first: each is put before the others.
func (d *division) write(vs *vslot) {
	place := int(vs.service.written)
	codec.Int(d.Codec, &place)
	codec.Int(d.Codec, &vs.key.slot)
	if vs.key.slot == globalSlot {
		d.placed(&vs.key.node)
	}
	t, n := vs.first, 1
	for ; t.after != nil; t = t.after {
		n++
	}
	d.Len(n)
	for ; t != nil; t = t.before {
		id, v := t.id, t.taskValue
		d.task(&id, &v)
		if d.s.moby {
			d.past(t.past)
		}
	}
	if d.s.moby {
		d.dockerSlot(vs)
	}
}

// readSlot reports whether there was one more.
func (p *persister) readSlot() bool {
	var place int
	if codec.Int(p.Codec, &place); place == -1 || p.Err() != nil {
		return false
	}
	if place < 0 || place > len(p.services) {
		p.Fail("there is no service %d", place)
		return false
	}
	sv := p.s.none
	if place > 0 {
		sv = p.services[place-1]
	}
	var key vslotKey
	codec.Int(p.Codec, &key.slot)
	if key.slot < badSlot {
		p.Fail("%d is no slot", key.slot)
		return false
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
			return false
		}
		if t := p.s.addTask(id, v); p.s.moby {
			p.past(t.past)
		}
	}
	if p.s.moby {
		p.dockerSlot(sv.vslots.get(key))
	}
	return true
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
		codec.Int(p.Codec, &v.iteration)
		codec.Bool(p.Codec, &v.restarts)
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
