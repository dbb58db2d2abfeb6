package portallocator

import (
	"tracecheck/validators/model"
)

// A batched step is the sum of several actions. Which there are is decided by
// argument, not by search, from a state that keeps AllocationsOK:
//
// An endpoint of the step may take any spec on the way, so all of them can be
// emptied first: what others have, and what only host ports use of allocated,
// is the same at every moment of the step. From there each endpoint gets its
// new ports at once, in any order, as long as all the addresses differ and none
// is one of the others'. But for one thing: a dynamic port whose number is not
// a dynamic one. Only RecoverExistingPorts gives it that, to the first of
// similar ports, and only from an endpoint that has such a dynamic port
// already. That may take many actions, and so has a budget: see recovery.go.
//
// The sequence is made in full, and the actions' own guards accept each action
// of it, so that what is accepted is certain from any state.

type walk = model.Walk[State, witness]

// batch makes the actions of one batched step.
type batch struct {
	*walk
	s      *State
	items  []*change
	stuck  *change          // what could not be brought to its end
	spares map[uint16]int32 // where spare looks next, by protocol
}

// search finds what explains a batched step.
func search(w *walk) model.Outcome {
	b := &batch{walk: w, s: w.S, spares: map[uint16]int32{}}
	b.items = append(b.items, b.s.endpoints.Changed()...)
	switch {
	case !b.claimsCanBeMet():
		return model.Unsolved
	case len(b.items) == 0 && b.same() || b.solve():
		return model.Solved
	case b.Left < 0:
		return model.Exhausted
	}
	b.blame()
	return model.Unsolved
}

// claimsCanBeMet: some action of the sequence must be the one named, and change
// the line's object. As an endpoint that differs may take any spec on the way, and
// one that is not there throughout may be created, removed and created again, it is
// enough to know which it is.
func (b *batch) claimsCanBeMet() bool {
	stays, comesAndGoes := map[string]bool{}, false
	for _, c := range b.items {
		stays[c.ID] = isThroughout(c)
		comesAndGoes = comesAndGoes || !isThroughout(c)
	}
	return b.Claims(func(c model.Claim[State, witness]) model.ClaimStatus {
		isUpdate := c.Action == updateEndpoint
		stay, changes := stays[c.ID]
		switch {
		case len(b.items) == 0: // an update that leaves the endpoint as it is
			changes, stay = isUpdate, true
		case c.Kind == kindAllocator: // any action may change it
			changes, stay = b.hasRoom(), !comesAndGoes
		}
		if changes && (isUpdate || !stay) {
			return model.ClaimMet
		}
		return model.ClaimImpossible
	})
}

// isThroughout: the endpoint is there before the step, after it, and all the while.
func isThroughout(c *change) bool { return c.Had && c.Shown && !c.Recreated }

// hasRoom: at some moment of the step there is an address to allocate, or one to
// take back.
func (b *batch) hasRoom() bool {
	for _, c := range b.items {
		for _, l := range [...]list{c.Old.Ports, c.New.Ports} {
			for range l.ingress {
				return true
			}
		}
	}
	return b.s.size < maxPort*len(b.s.protocols)
}

// same is a step in which no endpoint changes, but allocated.
func (b *batch) same() (is bool) {
	someMissing(b.s, func(p witness) bool {
		is = b.Take(updateEndpoint, &p) && b.HasArrived()
		if !is {
			b.Restart()
		}
		return is
	})
	return is
}

// solve makes the actions, and reports whether they make the new state.
func (b *batch) solve() bool {
	recovers := false
	for _, c := range b.items {
		if !c.Shown {
			continue
		}
		if !isWhole(&c.New) {
			b.stuck = c
			return false
		}
		recovers = recovers || len(b.s.odd(&c.New)) > 0
	}
	if !b.direct() {
		if !recovers || b.s.moby {
			return false
		}
		b.Restart()
		b.stuck = nil
		if !b.byRecovery() {
			return false
		}
	}
	return b.HasArrived()
}

// isWhole: the endpoint is known, of its type, and has a port for each spec.
func isWhole(e *Endpoint) bool {
	return e.Spec.isKnown() && e.Ports.isKnown() && e.Spec.typeOK(specs) && e.Ports.typeOK(configs) && e.Spec.len() == e.Ports.len()
}

// direct brings each endpoint to its end by one action where that can be, and
// empties it before where it cannot.
func (b *batch) direct() bool {
	b.remove()
	left := b.finish(b.remaining())
	left = b.finish(left) // of what others have given up meanwhile
	for _, c := range left {
		if b.s.moby {
			break // one action for each
		}
		b.empty(c)
	}
	left = b.finish(left)
	if len(left) > 0 {
		b.stuck = left[0]
	}
	return len(left) == 0
}

// remove takes away the endpoints that are not there throughout.
func (b *batch) remove() {
	for _, c := range b.items {
		if c.Had && !isThroughout(c) {
			p := b.s.propose(byText, c, empty, empty)
			b.Take(removeEndpoint, &p)
		}
	}
}

// remaining are those that there are after the step.
func (b *batch) remaining() (list []*change) {
	for _, c := range b.items {
		if c.Shown {
			list = append(list, c)
		}
	}
	return list
}

// finish brings the endpoints to their end, and returns those for which one action
// does not.
func (b *batch) finish(list []*change) (left []*change) {
	for _, c := range list {
		if !b.become(c, c.New) {
			left = append(left, c)
		}
	}
	return left
}

// become takes an action by which the endpoint is so.
func (b *batch) become(c *change, to Endpoint) bool {
	if !c.Exists() {
		p := b.s.propose(byText, c, to.Spec, to.Ports)
		return b.Take(newEndpoint, &p)
	}
	if c.Now.Spec == to.Spec && c.Now.Ports == to.Ports {
		return true
	}
	for _, a := range mobyUpdates {
		p := b.s.propose(a.how, c, to.Spec, to.Ports)
		if b.Take(a.action, &p) {
			return true
		}
		if !b.s.moby {
			break
		}
	}
	return false
}

// empty updates the endpoint to a spec with no ports.
func (b *batch) empty(c *change) {
	if c.Exists() {
		b.become(c, Endpoint{Spec: empty, Ports: empty})
	}
}

// blame notes, for the report, the first endpoint that cannot get its new ports
// though all of the step are emptied, and those before it have theirs; or that it
// is not an endpoint, but what is logged of allocated.
func (b *batch) blame() {
	al := b.s.allocator.The()
	logs := al.Logged
	if al.Logged = 0; b.obstacle() { // what is logged of allocated is not what an action on one endpoint makes of it
		al.Logged = logs
		return
	}
	al.Logged = logs
	text := b.s.differs(b.s.allocated, b.s.inUse)
	b.StuckAt(max(al.Line, 0), "allocated is not what they make of it: "+text)
}

func (b *batch) obstacle() bool {
	if b.s.moby {
		if b.stuck != nil {
			model.StuckOn(b.walk, endpoints, b.stuck)
		}
		return b.stuck != nil
	}
	stuck := b.stuck
	if stuck == nil {
		return false
	}
	b.Restart()
	b.Assume(func() {
		for _, c := range b.items {
			switch {
			case isThroughout(c):
				e := c.Write()
				e.Spec, e.Ports = empty, empty
			case c.Had:
				c.Delete()
			}
			for a := range c.Old.Ports.ingress {
				b.s.note(a, false)
			}
		}
		b.s.allocator.The().Write().at = b.s.done
	})
	for _, c := range b.remaining() {
		if c != stuck && isWhole(&c.New) && isThroughout(c) { // where it could recover what it has to, if it can
			b.Assume(func() { *c.Write() = b.s.recoverable(&c.New) })
		}
		if !b.become(c, c.New) {
			model.StuckOn(b.walk, endpoints, c)
			return true
		}
	}
	return false
}
