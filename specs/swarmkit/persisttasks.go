package swarmkit

import (
	"slices"

	"tracecheck/trace/codec"
)

// There may be very many tasks. So they may be written while steps are still being
// judged: vslot by vslot.

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
	p.slotKey(&vs.service, &vs.key)
	t, n := vs.first, 1
	for ; t.after != nil; t = t.after {
		n++
	}
	p.Len(n)
	for ; t != nil; t = vs.previous(t) {
		id, v := t.id, t.value()
		p.task(&id, &v)
		if p.s.moby {
			p.past(t.past)
		}
	}
	if p.s.moby {
		p.dockerSlot(vs)
	}
}

// slotKey is of which service the vslot is, and which.
func (p *persister) slotKey(of **service, key *vslotKey) {
	isKnown := *of != nil && !(*of).unknown
	if codec.Bool(p.Codec, &isKnown); isKnown {
		p.serviceOf(of)
	} else if p.Reading() {
		*of = p.s.unknown()
	}
	if codec.Int(p.Codec, &key.slot); key.slot < badSlot {
		p.Fail("%d is not a slot", key.slot)
	}
	if key.slot == globalSlot {
		p.s.codeNode(p.Codec, &key.node)
	}
}

func (p *persister) readSlot() {
	var sv *service
	var key vslotKey
	if p.slotKey(&sv, &key); p.Err() != nil {
		return
	}
	for range p.Len(0) {
		id, v := "", taskValue{sv, key.slot, taskRest{node: key.node}}
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
	taskTable.code(p.s, p.Codec, v)
}
