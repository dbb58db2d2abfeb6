package portallocator_test

import (
	"maps"
	"slices"
)

// answer is what a search says.
type answer int

const (
	no answer = iota
	yes
	unknown // cut off
)

// oClaim is an action that a line names; id "" is the allocator's line.
type oClaim struct{ id, action string }

// oBatch asks whether actions lead from one state to another. Where to.allocated
// is nil, any will do.
type oBatch struct {
	model    oModel
	from, to oState
	remade   set
	claims   []oClaim
	cap      int       // states that the search may visit
	specs    [][]oPort // on the way; nil: those that universe gives
	plain    bool      // no argument, only the search
	ends     []oState  // the ends found; the first, unless all are wanted
}

// differing are the ids of endpoints that are not the same in both states.
func differing(a, b oState) set {
	d := set{}
	for _, pair := range [][2]oState{{a, b}, {b, a}} {
		for id, e := range pair[0].endpoints {
			if o, ok := pair[1].endpoints[id]; !ok || !e.equal(o) {
				d[id] = true
			}
		}
	}
	return d
}

// universe is enough for the way: every ingress port that is similar to a
// dynamic one of the endpoints that differ (no other ever recovers a number),
// with each static number of theirs, a spare one, or none; and two ports, so
// that there is always something to change to.
func (b *oBatch) universe(may set) [][]oPort {
	if b.specs != nil {
		return b.specs
	}
	similar := map[oPort]bool{}
	numbers := map[int]bool{0: true}
	longest := 0
	for _, s := range []oState{b.from, b.to} {
		for id := range may {
			e := s.endpoints[id]
			longest = max(longest, len(e.spec))
			for _, p := range slices.Concat(e.spec, e.ports) {
				if p.mode != "ingress" {
					continue
				}
				if !b.model.dynamic(p.number) {
					numbers[p.number] = true
				}
				if p.asks() {
					similar[p] = true
				}
			}
		}
	}
	for spare := 1; ; spare++ {
		if !b.model.dynamic(spare) && !numbers[spare] && !b.from.allocated[oPort{protocol: b.model.protocols[0], number: spare}.addr()] {
			numbers[spare] = true
			break
		}
	}
	var ports []oPort
	for _, p := range slices.SortedFunc(maps.Keys(similar), func(a, b oPort) int {
		return slices.Compare([]string{a.name, a.protocol}, []string{b.name, b.protocol})
	}) {
		for _, n := range slices.Sorted(maps.Keys(numbers)) {
			p.number = n
			ports = append(ports, p)
		}
	}
	specs := finiteSeq(ports, 2)
	if longest > 1 && len(similar) > 1 && len(ports) <= 8 {
		specs = finiteSeq(ports, 3)
	}
	return append(specs, []oPort{{b.model.protocols[0], b.model.protocols[0], "host", 0}},
		[]oPort{{"x", b.model.protocols[0], "ingress", slices.Max(slices.Collect(maps.Keys(numbers)))}})
}

// explained searches, what is nearest to the end first.
func (b *oBatch) explained() answer {
	may := differing(b.from, b.to)
	if len(may) == 0 && (b.to.allocated == nil || b.to.allocated.equal(b.from.allocated)) {
		for _, c := range b.claims {
			if !slices.Contains(actionNames(b.model.explains(b.from, b.from)), c.action) {
				return no
			}
		}
		b.ends = []oState{b.from}
		return yes
	}
	if !b.plain && b.from.consistent() {
		if end := b.end(may); !end.consistent() || b.to.allocated != nil && !end.allocated.equal(b.to.allocated) {
			return no // no action takes a consistent state to an inconsistent one
		}
	}
	for _, c := range b.claims {
		if c.id != "" && !may[c.id] {
			return no
		}
	}
	specs := b.universe(may)
	existing, recreated := set{}, set{}
	for id := range may {
		if _, was := b.from.endpoints[id]; !was {
			continue
		}
		if _, is := b.to.endpoints[id]; is {
			if b.remade[id] {
				recreated[id] = true
			} else {
				existing[id] = true
			}
		}
	}

	// A place is a state with what was reached on the way to it.
	type place struct {
		oState
		done set // claims met, by number, and endpoints that were absent
	}
	want := len(b.claims) + len(recreated)
	seen := map[string]bool{}
	far := func(s oState) int { // how many endpoints are not yet as they should be
		n := 0
		for id := range may {
			e, here := s.endpoints[id]
			if o, is := b.to.endpoints[id]; here != is || !e.equal(o) {
				n++
			}
		}
		return n
	}
	todo := make([][]place, len(may)+1) // by how far they are
	todo[far(b.from)] = []place{{b.from, set{}}}
	for {
		near := slices.IndexFunc(todo, func(l []place) bool { return len(l) > 0 })
		if near < 0 {
			return no
		}
		at := todo[near][0]
		todo[near] = todo[near][1:]
		for _, id := range may.sorted() {
			own := specs
			if e, ok := b.to.endpoints[id]; ok {
				own = append([][]oPort{e.spec}, specs...)
			}
			for _, step := range b.model.actionsOn(at.oState, id, own) {
				if step.action == "RemoveEndpoint" && existing[id] || step.next.equal(at.oState) {
					continue
				}
				done := at.done
				for i, c := range b.claims {
					changes := c.id == id && len(differing(at.oState, step.next)) > 0 || c.id == "" && !step.next.allocated.equal(at.allocated)
					if changes && c.action == step.action {
						done = done.plus(set{string(rune('0' + i)): true})
					}
				}
				if recreated[id] && step.action == "RemoveEndpoint" {
					done = done.plus(set{"absent " + id: true})
				}
				if len(done) == want && maps.EqualFunc(step.next.endpoints, b.to.endpoints, oEndpoint.equal) &&
					(b.to.allocated == nil || step.next.allocated.equal(b.to.allocated)) {
					b.ends = append(b.ends, step.next)
					return yes
				}
				next := place{step.next, done}
				key := next.key()
				for _, k := range done.sorted() {
					key += "|" + k
				}
				if !seen[key] {
					if len(seen) >= b.cap {
						return unknown
					}
					seen[key] = true
					todo[far(next.oState)] = append(todo[far(next.oState)], next)
				}
			}
		}
	}
}

// end is the state to which actions lead if they lead to the endpoints at all,
// from a consistent state: what the endpoints have, and what nobody touches.
func (b *oBatch) end(may set) oState {
	end := oState{b.to.endpoints, b.from.allocated}
	for id := range may {
		end.allocated = end.allocated.minus(ingressAddrs(b.from.endpoints[id].ports))
	}
	for id := range may {
		end.allocated = end.allocated.plus(ingressAddrs(b.to.endpoints[id].ports))
	}
	return end
}
