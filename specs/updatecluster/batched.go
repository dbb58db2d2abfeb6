package updatecluster

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// A batched step is the sum of several actions. Requests share nothing but the
// ranks that Submit hands out and the cluster, which one request at a time
// modifies. The ranks fix the order of the submissions, and between which of
// them each application falls. So the order follows by itself (order.go), but
// for requests that are in the queue without being valid: no step leads there,
// and such a request may go more than one way, which is searched for
// (search.go). In both the actions' own clauses decide on each action.

// batch is the making of one sequence of actions.
type batch struct {
	m      *machine
	vars   // on the way
	items  []item
	wanted vars // clusterState' and, where the step logs it, lastSubmitted'
	logs   bool // it logs it
	frozen bool // clusterState does not differ, and so may not change on the way
	weird  bool // some request may go more than one way
	undone int  // items that are not at their goal
	claims claimSet
	met    claimSet // of the cluster's claims
	plan   []planned
	stuck  *item // for the report: the first that could not go on
	near   []validators.Near
	p      pair
	one    [1]requestChange

	// Of the search.
	left   *int // actions that it may still try
	undo   []undo
	failed map[string]bool // states from which it found no way
	key    []byte
}

// item is a request that differs between the step's states.
type item struct {
	*requestChange
	now    reqState
	queue  membership // in or out
	goal   places
	fixed  bool // status and rank do not differ, and so may not change on the way
	weird  bool // in the queue without being valid
	claims claimSet
	met    claimSet
}

// planned is an action of the explanation.
type planned struct {
	action   *action
	id       string
	from, to Status
}

type outcome uint8

const (
	solved outcome = iota
	unsolved
	exhausted
)

// judgeBatched explains the step by a sequence of actions, or finds that none
// does.
func (m *machine) judgeBatched(step *trace.Step) ([]validators.Finding, error) {
	left := m.budget
	claims := claimsOf(step)
	result, b := m.solve(claims, &left)
	var found []validators.Finding
	if result == unsolved && len(claims) > 0 { // is it the claims?
		if result, b = m.solve(nil, &left); result == solved {
			found = append(found, m.unmetInBatch(b, claims))
		}
	}
	switch result {
	case solved:
		if b.last != m.s.last {
			m.reach.submitted, m.reach.last = true, b.last
		}
		m.made = b.plan
		for _, done := range b.plan {
			m.plan = append(m.plan, done.action)
		}
		return found, nil
	case unsolved:
		return append(found, m.unexplainedBatch(step, b)), nil
	}
	return nil, &trace.Error{Pos: step.First(), Reason: fmt.Sprintf(
		"the step of %s changes %d requests, and the search for the actions behind it tried %d without an answer; let it try more with --budget",
		trace.Span(step.First(), step.Last()), len(m.requests), m.budget)}
}

// solve tries each value that confOK may have, and notes which it can only be.
func (m *machine) solve(claims []*trace.Event, left *int) (outcome, *batch) {
	conf := m.s.conf
	if conf == unknown {
		conf = m.conf
	}
	m.reach.conf = unknown
	if conf != unknown {
		b := m.newBatch(conf, left)
		return b.solve(claims), b
	}
	b := m.newBatch(yes, left)
	result := b.solve(claims)
	if result == exhausted {
		return result, b
	}
	other := m.newBatch(no, left)
	switch also := other.solve(claims); {
	case also == exhausted:
		return also, other
	case result == solved && also == unsolved:
		m.reach.conf = yes
	case result == unsolved && also == solved:
		m.reach.conf = no
		return also, other
	}
	return result, b
}

func (m *machine) newBatch(conf ternary, left *int) *batch {
	b := &batch{m: m, vars: m.s.vars, left: left, logs: m.logsLast, frozen: m.sameCluster() && !m.s.clusterUnseen}
	b.conf = conf
	b.wanted = vars{cluster: m.cluster, last: m.last}
	b.items = make([]item, len(m.requests))
	for i := range m.requests {
		c := &m.requests[i]
		it := item{requestChange: c, now: c.old.reqState, queue: in, fixed: !c.moved()}
		if c.was != in {
			it.queue = out // what may have been pushed can be pushed
		}
		it.weird = it.queue == in && it.now.status != Valid && !it.fixed
		b.weird = b.weird || it.weird
		for _, q := range [...]membership{out, in} {
			if c.is&q != 0 {
				it.goal |= placeOf(c.new.status, q).set()
			}
		}
		b.items[i] = it
		b.undone += b2i(!it.isThere())
	}
	if b.lastFree {
		b.bindLast()
	}
	return b
}

// bindLast takes lastSubmitted, where it is not known, from the first rank that
// a submission gets.
func (b *batch) bindLast() {
	first, any := int64(0), false
	for i := range b.items {
		it := &b.items[i]
		if r := it.new.rankValue; it.now.status == Waiting && r.set && r.n > b.last && (!any || r.n < first) {
			first, any = r.n, true
		}
	}
	if any {
		b.last, b.lastFree = first-1, false
	} else if b.logs && b.wanted.last > b.last {
		b.last, b.lastFree = b.wanted.last, false
	}
}

// solve finds the actions.
func (b *batch) solve(claims []*trace.Event) outcome {
	if b.m.badConf || b.m.badLast || !b.m.sameConf() || !b.assign(claims) {
		return unsolved
	}
	for i := range b.items {
		it := &b.items[i]
		if it.new.bad != 0 || it.fixed && !b.settle(i) || !b.alive(it) {
			b.stuck = it
			return unsolved
		}
	}
	if b.weird {
		return b.start()
	}
	if !b.inOrder() {
		return unsolved
	}
	if b.claimsMet() {
		return solved
	}
	if !b.orderMatters() {
		return unsolved
	}
	again := b.m.newBatch(b.conf, b.left)
	again.weird = true
	result := again.solve(claims)
	b.plan = again.plan
	return result
}

// settle does the one action that can change a request's membership of queue
// and not its status.
func (b *batch) settle(i int) bool {
	it := &b.items[i]
	if it.queue == out {
		return b.take(move{pushToQueue, i, it.now, in, b.cluster, b.last})
	}
	return b.take(move{processQueue, i, it.now, out, b.cluster, b.last})
}

// isThere says that the item is at its goal.
func (it *item) isThere() bool {
	return it.goal&placeOf(it.now.status, it.queue).set() != 0 && it.now.rankValue == it.new.rankValue
}

// arrived says that the state on the way is the step's new one.
func (b *batch) arrived() bool {
	return b.undone == 0 && (b.cluster == b.wanted.cluster || b.clusterUnseen) && (!b.logs || b.last == b.wanted.last)
}

// alive says that the item may yet get to its goal.
func (b *batch) alive(it *item) bool {
	if it.isThere() {
		return true
	}
	conf, at := b2i(b.conf == yes), placeOf(it.now.status, it.queue)
	if reachable[conf][at]&^at.set()&it.goal == 0 {
		return false
	}
	switch {
	case it.now.status == Waiting: // its rank may yet change
		return true
	case it.now.rankValue != it.new.rankValue:
		return false
	}
	return withoutStart[conf][at]&it.goal != 0 || it.now.set && it.now.n >= b.last
}

// needsStart says that the item's goal lies behind a StartApply.
func (b *batch) needsStart(it *item) bool {
	at := placeOf(it.now.status, it.queue)
	return !it.isThere() && withoutStart[b2i(b.conf == yes)][at]&it.goal == 0
}
