package swarmkit

import "tracecheck/validators"

// What waits follows from the state, but in the midst of a run of snapshots: of
// what they have shown, the ledger learns at their end. Until then each
// obligation is written down as it is.

func (p *persister) waits() {
	for _, n := range p.nodes {
		p.m.ledger.Gate(p.Codec, &n.connected)
	}
	p.m.ledger.Gate(p.Codec, &p.s.anyNode)
	switch {
	case p.m.sighted != nil:
		// A snapshot may have moved away the last task that named a node.
		p.m.ledger.LostGates(p.Codec, func(yield func(*validators.Obligation)) {
			p.holders(func(o **validators.Obligation, _ validators.Waiter) { yield(*o) })
		})
		p.holders(func(o **validators.Obligation, of validators.Waiter) { *o = p.m.ledger.Code(p.Codec, *o, of) })
	case p.Reading():
		p.m.followAll(p.nodes, p.services)
	}
}

// holders yields everything that may wait, always in the same order.
func (p *persister) holders(yield func(o **validators.Obligation, of validators.Waiter)) {
	both := func(h *held, of validators.Waiter) {
		yield(&h.first, of)
		yield(&h.second, of)
	}
	for _, n := range p.nodes {
		both(&n.waits, n)
	}
	none := p.s.none
	if none == nil {
		none = &service{} // it has two all the same
	}
	for _, sv := range append([]*service{none}, p.services...) {
		both(&sv.waits, sv)
		for _, vs := range sv.vslots.inOrder() {
			w := vs.waits // several vslots may share theirs
			both(&w, vs)
			p.s.setWaits(vs, w)
			for t := range vs.all {
				w := t.held()
				both(&w, t)
				t.hold(w)
			}
		}
	}
	yield(&p.m.waitsDesired, nil)
}
