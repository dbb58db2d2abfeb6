package swarmkit

import (
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// What waits follows from the state, but in the midst of a run of snapshots: of
// what they have shown, the ledger learns at their end. Until then each
// obligation is written down as it is.

func (p *persister) waits() {
	gates := make([]*validators.Gate, 0, len(p.nodes)+1)
	for _, n := range p.nodes {
		gates = append(gates, &n.connected)
	}
	gates = append(gates, &p.s.anyNode)
	midst := p.m.sighted != nil
	if midst {
		gates = p.lostGates(gates)
	}
	for _, g := range gates {
		p.m.ledger.Gate(p.Codec, g)
	}
	switch {
	case midst:
		p.held(gates)
	case p.Reading():
		p.m.followAll(p.nodes, p.services)
	}
}

// holders yields everything that may wait, always in the same order.
func (p *persister) holders(yield func(o **validators.Obligation, of validators.Waiter)) {
	for _, n := range p.nodes {
		yield(&n.waitsUp, n)
		yield(&n.waitsOrphans, n)
	}
	of := func(sv *service) {
		yield(&sv.waitsSlots, sv)
		yield(&sv.waitsRemoval, sv)
		for _, vs := range sv.vslots.inOrder() {
			yield(&vs.waits.next, vs)
			yield(&vs.waits.clean, vs)
			for t := range vs.all {
				yield(&t.waits.progress, t)
				yield(&t.waits.reaping, t)
			}
		}
	}
	if p.s.none != nil {
		of(p.s.none)
	} else { // it has two all the same
		of(&service{})
	}
	for _, sv := range p.services {
		of(sv)
	}
	yield(&p.m.waitsDesired, nil)
}

// lostGates adds the gates of nodes that are forgotten: a snapshot has moved
// away the last task that named the node, and what the task waited for is as it
// was. They never open.
func (p *persister) lostGates(gates []*validators.Gate) []*validators.Gate {
	var lost []*validators.Gate
	if !p.Reading() {
		known := map[*validators.Gate]bool{nil: true}
		for _, g := range gates {
			known[g] = true
		}
		p.holders(func(o **validators.Obligation, _ validators.Waiter) {
			if *o != nil && !known[(*o).Gate] {
				known[(*o).Gate] = true
				lost = append(lost, (*o).Gate)
			}
		})
	}
	for i := range p.Len(len(lost)) {
		if p.Reading() {
			lost = append(lost, &validators.Gate{})
		}
		gates = append(gates, lost[i])
	}
	return gates
}

// held writes each obligation down, or makes it again.
func (p *persister) held(gates []*validators.Gate) {
	places := map[*validators.Gate]int{nil: 0}
	if !p.Reading() {
		for i, g := range gates {
			places[g] = i + 1
		}
	}
	p.holders(func(o **validators.Obligation, of validators.Waiter) {
		w := want{Of: of}
		if *o != nil {
			w = (*o).Want
		}
		if codec.Uint(p.Codec, &w.For); w.For == 0 {
			return
		}
		place := places[w.Gate]
		codec.Int(p.Codec, &w.Stage)
		codec.Int(p.Codec, &place)
		if !p.Reading() {
			return
		}
		if int(w.For) >= len(waits) || place < 0 || place > len(gates) {
			p.Fail("nothing waits for %d behind gate %d", w.For, place)
			return
		}
		if place > 0 {
			w.Gate = gates[place-1]
		}
		*o = p.m.ledger.Set(nil, w)
	})
}
