package updatecluster

import (
	"encoding/binary"

	"tracecheck/validators/model"
)

// start begins the search.
func (b *batch) start() model.Outcome {
	b.failed = map[string]bool{}
	if !b.allAlive() {
		return model.Unsolved
	}
	return b.search()
}

// search tries every order of the actions that may lead to the goal.
func (b *batch) search() model.Outcome {
	if b.arrived() && b.ClaimsMet() {
		return model.Solved
	}
	key := b.state()
	if b.failed[key] {
		return model.Unsolved
	}
	here := b.Len()
	for _, mv := range b.moves() {
		if !b.Try() {
			return model.Exhausted
		}
		if !b.take(mv.item, mv.action, mv.witness) {
			continue
		}
		result := model.Unsolved
		if b.allAlive() {
			result = b.search()
		}
		if result != model.Unsolved {
			return result
		}
		b.back(here)
	}
	b.failed[key] = true
	return model.Unsolved
}

// allAlive says that every item has a way yet. A StartApply needs that no
// request is partial, so that none can stay so before it, nor two after it.
func (b *batch) allAlive() bool {
	starts, stay, toStay := 0, b.s.partials, 0
	for i := range b.items {
		it := &b.items[i]
		if !it.fixed && !b.alive(it, *it.Now) {
			return false
		}
		there := it.isThere()
		if it.Now.Status == Partial && !there {
			stay--
		}
		if b.needsStart(it) {
			starts++
			toStay += model.BoolInt(it.New.Status == Partial)
		}
	}
	return starts == 0 || stay == 0 && toStay < 2
}

// state is the state on the way, as a key.
func (b *batch) state() string {
	key := b.key[:0]
	for i := range b.items {
		key = append(key, byte(placeOf(b.items[i].Now)))
	}
	b.Claims(func(c model.Claim[State, witness]) model.ClaimStatus {
		key = append(key, byte(model.BoolInt(c.IsMet)))
		return model.ClaimOpen
	})
	c := b.s.now()
	key = append(key, byte(model.BoolInt(c.Complete)), byte(model.BoolInt(c.Req.Set)))
	key = binary.AppendVarint(key, c.Last)
	key = append(key, c.Req.Value...)
	b.key = key
	return string(key)
}

// move is an action on an item.
type move struct {
	item    int
	action  *action
	witness witness
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
		if len(own) == 1 && own[0].isLocal() && !it.isThere() && it.Now.Status != Waiting {
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
		return !mv.witness.ok
	}
	return false
}

// movesOf lists the actions on the item from which its goal may be reached.
func (b *batch) movesOf(i int) []move {
	it := &b.items[i]
	here, conf := placeOf(it.Now), b.s.now().Conf
	var list []move
	for k := range b.edges {
		e := &b.edges[k]
		if e.from != here || e.conf != unknown && e.conf != conf || e.by == pushToQueue && (it.Now.Queue == in || it.isThere()) {
			continue // one in the queue, and one that is there, is left as it is
		}
		then := e.to.request()
		if then.Rank = it.Now.Rank; e.by == submit {
			then.Rank = model.OptionalInt{Set: true, Value: b.s.now().Last + 1}
		}
		if b.alive(it, then) {
			list = append(list, move{i, e.by, witness{ok: e.ok}})
		}
	}
	return list
}
