package portallocator

import "slices"

// pair is a step's two states: the old one as a whole, and what differs in the
// new one. Unprimed expressions read the view, primed ones the changes.
type pair struct {
	view
	endpoints []change
	allocator logged

	// Witnesses, set by an action's Bind.
	e    *change // the endpoint: id, endpoints[id], e
	same change  // that endpoint, where it does not change
	prop proposal
}

// change is an endpoint that differs between the states.
type change struct {
	id       string
	old, new value
	was, is  bool // stands in the old, in the new state
	remade   bool // the step's lines delete it and then create it
	line     int  // of its last event, an index into the step
}

// stands: throughout the step.
func (c *change) stands() bool { return c.was && c.is && !c.remade }

// logged is allocated' where the step logs it.
type logged struct {
	is   bool
	seen bool // the step has a line of kind allocator
	bad  bool // it has values outside Address
	line int
	set  []address // sorted, each once
}

// has reports whether the address is in the set.
func (l *logged) has(a address) bool {
	_, found := slices.BinarySearch(l.set, a)
	return found
}

func (p *pair) reset() {
	clear(p.endpoints) // their strings point into lines that die
	p.endpoints = p.endpoints[:0]
	p.allocator = logged{set: p.allocator.set[:0]}
}

// sameAllocated is allocated' = allocated. What is not logged is inferred:
// where no endpoint changes, it does not either.
func (p *pair) sameAllocated() bool {
	l := &p.allocator
	if !l.is {
		return true
	}
	if l.bad || p.s.badSet || len(l.set) != p.size() {
		return false
	}
	for _, a := range l.set {
		if !p.allocated(a) {
			return false
		}
	}
	return true
}

func (p *pair) stutters() bool { return len(p.endpoints) == 0 && p.sameAllocated() }

// view is the variable allocated: the state's, or what a sequence of actions
// has made of it on the way.
type view struct {
	s    *state
	over map[address]bool // what differs from the state; nil: nothing
	more int              // how many more are allocated than in the state
}

func (v *view) allocated(a address) bool {
	if len(v.over) > 0 {
		if is, ok := v.over[a]; ok {
			return is
		}
	}
	return v.s.uses.get(a).allocated
}

// size is Cardinality(allocated).
func (v *view) size() int { return v.s.size + v.more }

// allocate changes the view, and not the state.
func (v *view) allocate(a address, allocated bool) {
	if v.allocated(a) != allocated {
		v.over[a] = allocated
		if allocated {
			v.more++
		} else {
			v.more--
		}
	}
}

// apply is allocated' = Apply(prop), for a proposal from one value of an
// endpoint to another.
func (v *view) apply(old, new []port) {
	for i := range old {
		if old[i].mode == ingress {
			v.allocate(old[i].addr(), false)
		}
	}
	for i := range new {
		if new[i].mode == ingress {
			v.allocate(new[i].addr(), true)
		}
	}
}
