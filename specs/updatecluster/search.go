package updatecluster

import "tracecheck/validators/model"

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

// move is an action on an item.
type move = model.Choice[State, witness]

// moves lists what may lead to the goal. An action that concerns no other request, and
// is the only one that its own can do, is done at once. Requests that wait for
// their Rollback and for nothing else are alike: one of them is enough.
func (b *batch) moves() []move {
	if !b.keepsCluster() || !b.allAlive() {
		return nil
	}
	var list []move
	rolled := false
	for i := range b.items {
		it := &b.items[i]
		if it.fixed {
			continue
		}
		own := b.movesOf(i)
		// One that is there may stay, and one that waits may yet be submitted.
		if len(own) == 1 && isLocal(&own[0]) && !it.isThere() && it.Now.Status != Waiting {
			return own
		}
		for _, mv := range own {
			alike := mv.Action == rollback && len(own) == 1
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
func isLocal(mv *move) bool {
	switch mv.Action {
	case initialcheck, pushToQueue, processQueue:
		return true
	case completeApply:
		return !mv.P.ok
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
			list = append(list, move{Action: e.by, P: witness{r: it.change, ok: e.ok, conf: conf == yes}})
		}
	}
	return list
}
