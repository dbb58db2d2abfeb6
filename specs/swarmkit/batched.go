package swarmkit

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// A batched step is the sum of several actions. It is explained in three tries,
// in all of which the actions' own clauses decide:
//
//  1. Each vslot by itself (search.go). What couples vslots is left open: the
//     replicas of a service are what a guard needs, other tasks of the step
//     stand nowhere. If some vslot cannot get from its old to its new state
//     even so, nothing explains the step.
//  2. The sequences so found, merged on the real state (schedule.go). If that
//     succeeds, the merged sequence explains the step.
//  3. All vslots of the step together, which decides, unless the search runs
//     out of its budget.

// batch is the search for the actions of one batched step.
type batch struct {
	m        *machine
	s        *state
	items    []item
	services []serviceItem
	nodes    []nodeItem
	frames   []frame
	claims   bool // whether the claims must be met
	bad      bool // some value is outside its type: no action makes it
	left     int  // how much may still be tried
	p        pair // of the move at hand
	memo     map[string][]relative
	key      []byte
	undo     []undo
	plan     []planned
	broken   *brokenStep // the first action on the way that breaks StepTransitionsOK
}

// brokenStep is a task's change, and the action that made it.
type brokenStep struct {
	taskChange
	action *action
}

// item is a task that differs between the step's states.
type item struct {
	*taskChange
	service *service
	vslot   vslotKey
	change  int // of its service, an index into batch.services; -1: it does not differ
	frame   int
	claims  []*trace.Event // each to be met by some action that changes the task
	met     uint8
	now     taskValue // at the moment
	here    bool
}

// stands says that the task may not vanish on the way.
func (t *item) stands() bool { return t.was && t.is && !t.remade }

// serviceItem is a service that differs.
type serviceItem struct {
	*serviceChange
	record *service
	frames []int
	claims []*trace.Event
	met    uint8
}

func (c *serviceItem) stands() bool { return c.was && c.is && !c.remade }

// nodeItem is a node that differs. It may go down and up as often as is useful,
// so that the searches leave it open.
type nodeItem struct {
	*nodeChange
	record *node
}

// frame is what one search is about: the items of one vslot, or a service by
// itself, or all there is.
type frame struct {
	items    []int
	services []int
	own      bool    // the services' claims are to be met in this frame
	places   []*node // nodes that its tasks may be on; the first is nil
	plan     []move
	done     int // how many of the plan have been taken
}

// planned is an action of the explanation.
type planned struct {
	action *action
	id     string // of the object, or of one of them
}

type outcome uint8

const (
	solved outcome = iota
	unsolved
	exhausted
)

// trouble says what stood in the way of an explanation: which object's change,
// and what came nearest to explaining it.
type trouble struct {
	subject
	near []validators.Near
}

// judgeBatched explains the step by a sequence of actions, or finds that none
// does. Where it does, it leaves the state as the sequence made it.
func (m *machine) judgeBatched(ts *trace.Step, found []validators.Finding) ([]validators.Finding, bool, error) {
	b := m.newBatch()
	b.hold(true)
	defer b.hold(false)
	claims := b.collectClaims(ts)
	out, why := unsolved, trouble{}
	if len(claims) == 0 || b.claimsHaveObjects(claims) {
		b.claims = len(claims) > 0
		out, why = b.solve()
	}
	if out == unsolved && len(claims) > 0 { // is it the claims?
		left := b.left
		b = m.newBatch()
		b.collectClaims(ts)
		b.left = left
		if out, why = b.solve(); out == solved {
			found = append(found, b.unmetClaim(m, claims))
		}
	}
	switch out {
	case solved:
		m.plan = b.plan
		if c := b.broken; c != nil {
			found = append(found, m.transitionFinding(ts, &c.taskChange, b.items[c.line].line, c.action))
		}
		return found, true, nil
	case unsolved:
		return append(found, m.unexplained(ts, "no sequence of SwarmKit's actions", why)), false, nil
	}
	return nil, false, &trace.Error{Pos: ts.First(), Reason: fmt.Sprintf(
		"the step of lines %d to %d changes %d objects, and the search for the actions behind it tried %d without an answer; let it try more with --budget",
		ts.First().Line, ts.Last().Line, len(m.tasks)+len(m.services)+len(m.nodes), m.budget)}
}

func (m *machine) newBatch() *batch {
	b := &batch{m: m, s: m.s, left: m.budget, memo: map[string][]relative{}}
	for i := range m.services {
		c := &m.services[i]
		b.services = append(b.services, serviceItem{serviceChange: c, record: m.s.service(c.id)})
		b.bad = b.bad || c.new.bad|c.old.bad|c.new.unseen|c.old.unseen != 0
	}
	for i := range m.nodes {
		c := &m.nodes[i]
		b.nodes = append(b.nodes, nodeItem{nodeChange: c, record: m.s.nodes[c.id]})
		b.bad = b.bad || c.new.bad|c.old.bad != 0
	}
	type slot struct {
		service *service
		key     vslotKey
	}
	frames := map[slot]int{}
	changes := map[*service]int{}
	for i := range b.services {
		changes[b.services[i].record] = i
	}
	for i := range m.tasks {
		c := &m.tasks[i]
		v := &c.new
		if c.was {
			v = &c.old
		}
		b.bad = b.bad || c.new.bad|c.old.bad|c.new.unseen|c.old.unseen != 0
		t := item{taskChange: c, service: v.service, vslot: v.vslot(), change: -1, now: c.old, here: c.was}
		if at, ok := changes[t.service]; ok {
			t.change = at
		}
		at, ok := frames[slot{t.service, t.vslot}]
		if !ok {
			at = len(b.frames)
			frames[slot{t.service, t.vslot}] = at
			f := frame{places: []*node{nil}}
			if t.change >= 0 {
				f.services = []int{t.change}
				b.services[t.change].frames = append(b.services[t.change].frames, at)
			}
			b.frames = append(b.frames, f)
		}
		t.frame = at
		b.frames[at].items = append(b.frames[at].items, len(b.items))
		b.items = append(b.items, t)
	}
	for i := range b.services { // by itself, with its claims
		b.services[i].frames = append(b.services[i].frames, len(b.frames))
		b.frames = append(b.frames, frame{services: []int{i}, own: true, places: []*node{nil}})
	}
	return b
}

// solve finds the actions. It leaves the state as they make it, or untouched.
func (b *batch) solve() (outcome, trouble) {
	if b.bad {
		return unsolved, trouble{subject: b.m.subject()}
	}
	b.setAside(true)
	for i := range b.frames {
		f := &b.frames[i]
		b.findPlaces(f)
		var out outcome
		if f.plan, out = b.search(f, true); out != solved {
			b.restore(true)
			return out, b.nearestTo(f)
		}
	}
	b.restore(true)
	why, ok := b.schedule()
	if ok {
		return solved, trouble{}
	}
	b.rollback()

	all := frame{own: true, places: []*node{nil}}
	for i := range b.items {
		all.items = append(all.items, i)
	}
	for i := range b.services {
		all.services = append(all.services, i)
	}
	b.setAside(false)
	if b.hopeless() {
		b.restore(false)
		return unsolved, why
	}
	b.findPlaces(&all)
	plan, out := b.search(&all, false)
	b.restore(false)
	if out != solved {
		return out, why
	}
	if !b.follow(plan) {
		// The clauses accepted each action; what is left open (replicas, nodes)
		// can be set at any time. Not to be trusted, so not judged.
		b.rollback()
		return exhausted, why
	}
	return solved, trouble{}
}

// hold keeps the records of the step's services and nodes while tasks that use
// them come and go; those let go and of no use leave at the next sweep.
func (b *batch) hold(held bool) {
	each := func(sv *service, n *node) {
		if sv != nil {
			if sv.held = held; !held {
				b.s.freshService = append(b.s.freshService, sv)
			}
		}
		if n != nil {
			if n.held = held; !held {
				b.s.freshNode = append(b.s.freshNode, n)
			}
		}
	}
	for i := range b.items {
		t := &b.items[i]
		each(t.old.service, t.old.node)
		each(t.new.service, t.new.node)
	}
	for i := range b.services {
		each(b.services[i].record, nil)
	}
	for i := range b.nodes {
		each(nil, b.nodes[i].record)
	}
}

// unbounded stands for as many replicas, or as few, as a guard needs.
const unbounded = 1 << 40

// open lets the guards of a service's counts pass, or no more.
func (b *batch) open(sv *service, d int) {
	sv.slots -= d * unbounded
	sv.wanted += d * unbounded
	b.s.refresh(sv)
}

// setAside takes the step's tasks out of the state, so that its counts are
// those of everything else, and leaves open what an action can set at will:
// the replicas of the services that differ (every service, where loose) and
// the nodes that do.
func (b *batch) setAside(loose bool) {
	for i := range b.items {
		if t := &b.items[i]; t.here {
			b.s.dropTask(t.id)
			t.here = false
		}
	}
	b.eachService(loose, +1)
	for i := range b.nodes {
		b.nodes[i].record.either = true
	}
}

// restore undoes setAside.
func (b *batch) restore(loose bool) {
	b.eachService(loose, -1)
	for i := range b.nodes {
		b.nodes[i].record.either = false
	}
	for i := range b.services {
		c := &b.services[i]
		b.putService(c, c.old, c.was)
		c.met = 0
	}
	for i := range b.items {
		t := &b.items[i]
		b.putTask(t, t.old, t.was)
		t.met = 0
	}
}

func (b *batch) eachService(loose bool, d int) {
	done := map[*service]bool{}
	for i := range b.services {
		done[b.services[i].record] = true
		b.open(b.services[i].record, d)
	}
	for i := range b.items {
		if sv := b.items[i].service; loose && !done[sv] {
			done[sv] = true
			b.open(sv, d)
		}
	}
}

func (b *batch) putTask(t *item, v taskValue, here bool) {
	switch {
	case here && (!t.here || t.now != v):
		b.s.putTask(t.id, v)
	case !here && t.here:
		b.s.dropTask(t.id)
	}
	t.now, t.here = v, here
}

func (b *batch) putService(c *serviceItem, v serviceValue, here bool) {
	switch {
	case here && (!c.record.exists || c.record.serviceValue != v):
		b.s.putService(c.id, v)
	case !here && c.record.exists:
		b.s.dropService(c.id)
	}
}

// findPlaces lists the nodes that the frame's tasks may be on: those that its
// values name and, for tasks that come and go, one of each sort that can be of
// use: one that goes up and down, one that is up, one that is down and has no
// task of others.
func (b *batch) findPlaces(f *frame) {
	add := func(n *node) {
		for _, have := range f.places {
			if have == n {
				return
			}
		}
		f.places = append(f.places, n)
	}
	passing := false
	for _, i := range f.items {
		t := &b.items[i]
		passing = passing || !t.stands()
		add(t.old.node)
		add(t.new.node)
	}
	if !passing {
		return
	}
	for i := range b.nodes {
		if n := b.nodes[i].record; n.owned == 0 {
			add(n)
			return // does for all the others
		}
	}
	wantUp, wantDown := b.s.totals.up > 0, b.s.totals.idleDown > 0
	var up, down *node
	for _, n := range b.s.nodes {
		if (up != nil || !wantUp) && (down != nil || !wantDown) {
			break
		}
		switch {
		case n.isUp():
			up = n
		case n.exists && n.owned == 0:
			down = n
		}
	}
	for _, n := range [...]*node{up, down} { // in this order: a plan is always the same
		if n != nil {
			add(n)
		}
	}
}
