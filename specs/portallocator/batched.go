package portallocator

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
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
// The sequence is made in full, and the actions' own clauses accept each action
// of it, so that what is accepted is certain from any state.

// batch makes the actions of one batched step.
type batch struct {
	m     *machine
	p     pair // of the action at hand; its view is what is allocated so far
	items []item
	steps []*action
	stuck *item // what could not be brought to its end

	left   int              // actions that recovery may still try; below 0: out of budget
	spares map[uint16]int32 // of spare and aside, by protocol
}

// item is an endpoint that differs, on its way.
type item struct {
	*change
	now  value
	here bool
}

// judgeBatched finds what explains a batched step.
func (m *machine) judgeBatched(step *trace.Step, found []validators.Finding) ([]validators.Finding, error) {
	if !m.madeAnew() {
		m.by = m.rules.Match(&m.pair)
	}
	switch {
	case m.by != nil:
		m.used(m.by)
	default:
		b := m.newBatch()
		switch {
		case b.solve():
			m.plan = b
			for _, a := range b.steps {
				m.used(a)
			}
		case b.left < 0:
			return nil, m.outOfBudget(step)
		default:
			return append(found, m.unexplainedBatch(step, b)), nil
		}
	}
	found = m.batchedClaims(step, found)
	if m.by != nil {
		found = m.idempotent(step, found)
	}
	return found, nil
}

func (m *machine) outOfBudget(step *trace.Step) error {
	return &trace.Error{Pos: step.First(), Reason: fmt.Sprintf(
		"the step of %s changes %d endpoints, and the search for the actions behind it has no answer within its budget of %d; let it try more with --budget",
		trace.Span(step.First(), step.Last()), len(m.endpoints), m.budget)}
}

// madeAnew: the step deletes an endpoint and creates it, which takes two
// actions.
func (m *machine) madeAnew() bool {
	for i := range m.endpoints {
		if m.endpoints[i].remade {
			return true
		}
	}
	return false
}

func (m *machine) newBatch() *batch {
	b := &batch{m: m, items: make([]item, len(m.endpoints)), left: m.budget, spares: map[uint16]int32{}}
	b.p.endpoints = make([]change, 1)
	b.begin()
	return b
}

// begin goes back to the old state.
func (b *batch) begin() {
	b.p.view = view{s: b.m.s, over: map[address]bool{}}
	b.steps, b.stuck = b.steps[:0], nil
	for i := range b.items {
		c := &b.m.endpoints[i]
		b.items[i] = item{change: c, now: c.old, here: c.was}
	}
}

// solve makes the actions, and reports whether they make the new state.
func (b *batch) solve() bool {
	recovers := false
	for i := range b.items {
		if it := &b.items[i]; it.is {
			if !it.new.typeOK() || it.new.unseen() || len(it.new.spec.ports) != len(it.new.ports.ports) {
				b.stuck = it
				return false
			}
			recovers = recovers || len(b.m.s.odd(&it.new)) > 0
		}
	}
	if !b.direct() {
		if !recovers || b.m.moby {
			return false
		}
		b.begin()
		if !b.byRecovery() {
			return false
		}
	}
	b.p.endpoints, b.p.allocator = nil, b.m.allocator
	return b.p.sameAllocated()
}

// direct brings each endpoint to its end by one action where that can be, and
// empties it before where it cannot.
func (b *batch) direct() bool {
	b.remove()
	left := b.finish(b.all())
	left = b.finish(left) // of what others have given up meanwhile
	for _, i := range left {
		if b.m.moby {
			break // one action for each
		}
		b.empty(&b.items[i])
	}
	left = b.finish(left)
	if len(left) > 0 {
		b.stuck = &b.items[left[0]]
	}
	return len(left) == 0
}

// remove takes away the endpoints that do not stand throughout.
func (b *batch) remove() {
	for i := range b.items {
		if it := &b.items[i]; it.was && !it.stands() {
			b.act(it, removeEndpoint, value{})
		}
	}
}

func (b *batch) all() []int {
	var all []int
	for i := range b.items {
		if b.items[i].is {
			all = append(all, i)
		}
	}
	return all
}

// finish brings the listed endpoints to their end, and returns those for which
// one action does not.
func (b *batch) finish(list []int) []int {
	var left []int
	for _, i := range list {
		it := &b.items[i]
		a := updateEndpoint
		if !it.here {
			a = newEndpoint
		}
		byMoby := func(a *action) bool { return b.act(it, a, it.new) }
		if !b.act(it, a, it.new) && !(b.m.moby && slices.ContainsFunc(mobyUpdates, byMoby)) {
			left = append(left, i)
		}
	}
	return left
}

// empty updates the endpoint to a spec with no ports.
func (b *batch) empty(it *item) {
	if it.here {
		b.act(it, updateEndpoint, value{})
	}
}

// act takes the action, if its clauses accept it.
func (b *batch) act(it *item, a *action, to value) bool {
	is := a != removeEndpoint
	if it.here && is && it.now.equal(&to) {
		return true
	}
	b.p.endpoints[0] = change{id: it.id, old: it.now, new: to, was: it.here, is: is}
	if !a.Match(&b.p) {
		return false
	}
	b.p.apply(it.now.ports.ports, to.ports.ports)
	it.now, it.here = to, is
	b.steps = append(b.steps, a)
	return true
}

// names are the actions, in order.
func (b *batch) names() []string {
	names := make([]string, len(b.steps))
	for i := range b.steps {
		names[i] = b.steps[i].Name
	}
	return names
}

// unexplainedBatch is the finding of a step that no sequence explains.
func (m *machine) unexplainedBatch(step *trace.Step, b *batch) validators.Finding {
	at := m.allocator.line
	var text string
	c, near := b.obstacle()
	if c == nil {
		text = "allocated is not what they make of it: " + m.differs(b.p.allocated, func(yield func(address)) {
			for a := range m.s.uses.all() {
				yield(a)
			}
			for a := range b.p.over {
				yield(a)
			}
		})
	} else {
		at, text = c.line, m.what(c)
		if n := len(m.endpoints); n > 1 {
			text += fmt.Sprintf(" (one of %d endpoints that change)", n)
		}
	}
	return validators.Finding{Kind: validators.OfTransition, Rule: validators.NextRule, Pos: step.Events[at].Pos,
		Message: "no sequence of PortAllocator's actions explains this step: " + text + nearestText(near), Nearest: near, Changes: m.changes()}
}

// obstacle is the first endpoint that cannot get its new ports though all of
// the step are emptied, and those before it have theirs; nil where it is no
// endpoint, but what is logged of allocated.
func (b *batch) obstacle() (*change, []validators.Near) {
	stuck := b.stuck
	if b.m.moby {
		return b.stuckAlone()
	}
	b.begin()
	b.p.endpoints, b.p.allocator = make([]change, 1), logged{}
	for i := range b.items {
		b.p.apply(b.items[i].old.ports.ports, nil)
	}
	for i := range b.items {
		it := &b.items[i]
		if !it.is {
			continue
		}
		var from value // where it could recover what it has to, if it can
		if it != stuck && it.new.typeOK() && len(it.new.spec.ports) == len(it.new.ports.ports) {
			from = b.m.s.recoverable(&it.new)
		}
		b.p.endpoints[0] = change{id: it.id, old: from, new: it.new, was: it.stands(), is: true}
		if next.Match(&b.p) == nil {
			return it.change, next.Nearest(&b.p, nearestShown)
		}
		b.p.apply(nil, it.new.ports.ports)
	}
	return nil, nil
}
