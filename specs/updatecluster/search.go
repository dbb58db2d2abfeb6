package updatecluster

import "encoding/binary"

// move is one action on an item and what it makes of the state.
type move struct {
	action  *action
	item    int
	to      reqState
	queue   membership
	cluster clusterValue
	last    int64
}

// moveTo is the action that brings the item to the status.
func (b *batch) moveTo(i int, a *action, to Status) move {
	it := &b.items[i]
	mv := move{a, i, it.now, it.queue, b.cluster, b.last}
	mv.to.status = to
	own := clusterValue{request: it.id, hasRequest: true}
	switch to {
	case Submitted:
		mv.last++
		mv.to.rankValue = rankValue{true, mv.last}
	case Processing:
		mv.queue = out
	case Partial:
		mv.cluster = own
	case Success:
		own.complete = true
		mv.cluster = own
	case Rolledback:
		mv.cluster.complete = true
	}
	return mv
}

// take does the action, if its clauses hold.
func (b *batch) take(mv move) bool {
	it := &b.items[mv.item]
	if b.frozen && mv.cluster != b.cluster {
		return false
	}
	c := requestChange{id: it.id, line: it.line}
	c.old.reqState, c.was = it.now, it.queue
	c.new.reqState, c.is = mv.to, mv.queue
	b.one[0] = c
	b.p = pair{was: &b.vars, s: b.m.s, requests: b.one[:], cluster: mv.cluster, last: mv.last, logsLast: true}
	if !mv.action.Match(&b.p) {
		if b.near == nil {
			b.near = next.Nearest(&b.p, nearestShown)
		}
		return false
	}
	from := it.now.status
	b.undo = append(b.undo, undo{mv.item, it.now, it.queue, it.met, b.vars, b.met, b.undone})
	bit := claimOf(mv.action)
	it.met |= bit
	if mv.cluster != b.cluster || mv.last != b.last {
		b.met |= bit
	}
	b.partials += b2i(mv.to.status == Partial) - b2i(it.now.status == Partial)
	was := it.isThere()
	it.now, it.queue = mv.to, mv.queue
	b.undone += b2i(was) - b2i(it.isThere())
	b.cluster, b.last = mv.cluster, mv.last
	b.plan = append(b.plan, planned{mv.action, it.id, from, mv.to.status})
	return true
}

type undo struct {
	item   int
	now    reqState
	queue  membership
	met    claimSet
	vars   vars
	ofs    claimSet // the cluster's claims that were met
	undone int
}

func (b *batch) back(to int) {
	for n := len(b.undo) - 1; n >= to; n-- {
		u := &b.undo[n]
		it := &b.items[u.item]
		it.now, it.queue, it.met = u.now, u.queue, u.met
		b.vars, b.met, b.undone = u.vars, u.ofs, u.undone
	}
	b.undo, b.plan = b.undo[:to], b.plan[:to]
}

// start begins the search.
func (b *batch) start() outcome {
	b.failed = map[string]bool{}
	if !b.allAlive() {
		return unsolved
	}
	return b.search()
}

// search tries every order of the actions that may lead to the goal.
func (b *batch) search() outcome {
	if b.arrived() && b.claimsMet() {
		return solved
	}
	key := b.state()
	if b.failed[key] {
		return unsolved
	}
	here := len(b.undo)
	for _, mv := range b.moves() {
		if *b.left == 0 {
			return exhausted
		}
		*b.left--
		if !b.take(mv) {
			continue
		}
		result := unsolved
		if b.allAlive() {
			result = b.search()
		}
		if result != unsolved {
			return result
		}
		b.back(here)
	}
	b.failed[key] = true
	return unsolved
}

// allAlive says that every item has a way yet. A StartApply needs that no
// request is partial, so that none can stay so before it, nor two after it.
func (b *batch) allAlive() bool {
	starts, stay, toStay := 0, b.partials, 0
	for i := range b.items {
		it := &b.items[i]
		if !it.fixed && !b.alive(it) {
			return false
		}
		there := it.isThere()
		if it.now.status == Partial && !there {
			stay--
		}
		if b.needsStart(it) {
			starts++
			toStay += b2i(it.new.status == Partial)
		}
	}
	return starts == 0 || stay == 0 && toStay < 2
}

// state is the state on the way, as a key.
func (b *batch) state() string {
	key := b.key[:0]
	for i := range b.items {
		it := &b.items[i]
		key = append(key, byte(placeOf(it.now.status, it.queue)), byte(it.met))
	}
	key = append(key, byte(b.met), byte(b2i(b.cluster.complete)), byte(b2i(b.cluster.hasRequest)))
	key = binary.AppendVarint(key, b.last)
	key = append(key, b.cluster.request...)
	b.key = key
	return string(key)
}

// moves lists what may be done. An action that concerns no other request, and
// is the only one that its own can do, is done at once. Requests that wait for
// their Rollback and for nothing else are alike: one of them is enough.
func (b *batch) moves() []move {
	var list []move
	rolled := false
	for i := range b.items {
		it := &b.items[i]
		if it.fixed {
			continue
		}
		own := b.movesOf(i)
		// One that is there may stay, and one that waits may yet be submitted.
		if len(own) == 1 && own[0].isLocal() && !it.isThere() && it.now.status != Waiting {
			return own
		}
		for _, mv := range own {
			alike := mv.action == rollback && len(own) == 1
			if alike && rolled {
				continue
			}
			rolled = rolled || alike
			list = append(list, mv)
		}
	}
	return list
}

// isLocal says that the action needs nothing of other requests and hinders
// none: at most there is one partial request less.
func (mv *move) isLocal() bool {
	switch mv.action {
	case initialcheck, pushToQueue, processQueue:
		return true
	case completeApply:
		return mv.to.status == PartialFailure
	}
	return false
}

// movesOf lists the actions on the item from which its goal may be reached.
func (b *batch) movesOf(i int) []move {
	it := &b.items[i]
	var list []move
	add := func(mv move) {
		at := *it
		at.now, at.queue = mv.to, mv.queue
		if b.alive(&at) {
			list = append(list, mv)
		}
	}
	if it.queue == in {
		add(b.moveTo(i, processQueue, Processing))
	}
	switch it.now.status {
	case Waiting:
		add(b.moveTo(i, submit, Submitted))
	case Submitted:
		add(b.moveTo(i, initialcheck, Valid))
		add(b.moveTo(i, initialcheck, Rejected))
	case Valid:
		if it.queue == out && !it.isThere() { // else it is left as it is
			mv := b.moveTo(i, pushToQueue, Valid)
			mv.queue = in
			add(mv)
		}
	case Processing:
		if b.conf == yes {
			add(b.moveTo(i, startApply, Partial))
		} else {
			add(b.moveTo(i, startApply, Failure))
		}
	case Partial:
		add(b.moveTo(i, completeApply, Success))
		add(b.moveTo(i, completeApply, PartialFailure))
	case PartialFailure:
		add(b.moveTo(i, rollback, Rolledback))
	}
	return list
}
