package updatecluster

import (
	"fmt"
	"slices"

	"tracecheck/validators/model"
)

// A batched step is the sum of several actions. Requests share nothing but the
// ranks that Submit hands out and the cluster, which one request at a time
// modifies. The ranks fix the order of the submissions, and between which of
// them each application falls. So the order follows by itself (order.go), but
// for requests that are in the queue without being valid: no step leads there,
// and such a request may go more than one way, which is searched for
// (search.go). In both the actions' own guards and effects decide on each
// action.

type walk = model.Walk[State, witness]

// batch is the making of one sequence of actions.
type batch struct {
	*walk
	*pathGraph
	s      *State
	items  []item
	at     map[string]int // items by id
	wanted Cluster        // clusterState' and, where the step logs it, lastSubmitted'
	logs   bool           // it logs it
	frozen bool           // clusterState does not differ, and so may not change on the way
	typed  bool           // what differs of it is inside its type
	weird  bool           // some request may go more than one way
}

// item is a request that differs between the step's states.
type item struct {
	*change
	goal  places
	fixed bool // status and rank do not differ, and so may not change on the way
	weird bool // in the queue without being valid
}

// search explains a step, and notes which requests are in the queue, since a line claims
// their push.
func search(w *walk) model.Outcome {
	outcome := searchConf(w)
	if outcome == model.Solved {
		w.Claims(func(c model.Claim[State, witness]) model.ClaimStatus {
			if c.IsMet && c.Action == pushToQueue {
				w.S.claimedPush(c.ID)
			}
			return model.ClaimOpen
		})
	}
	return outcome
}

// searchConf explains a step, for each value that confOK may have, and notes which
// it can only be.
func searchConf(w *walk) model.Outcome {
	s := w.S
	c := s.cluster.The()
	conf := c.Now.Conf
	if conf == unknown {
		conf = c.New.Conf
	}
	if conf != unknown {
		return solve(w, conf, false)
	}
	left := w.Left
	with := solve(w, yes, false)
	if with == model.Exhausted {
		return with
	}
	if left -= w.Left; with == model.Unsolved {
		w.Keep()
	}
	w.Restart()
	without := solve(w, no, false)
	if without == model.Exhausted || with == model.Unsolved {
		return without
	}
	w.Restart()
	w.Left += left // the same again
	with = solve(w, yes, false)
	if without == model.Solved {
		w.Assume(func() { c.Write().Conf = unknown })
	}
	return with
}

func solve(w *walk, conf ternary, weird bool) model.Outcome {
	b := newBatch(w, conf)
	b.weird = b.weird || weird
	return b.solve(conf, weird)
}

func newBatch(w *walk, conf ternary) *batch {
	s := w.S
	c := s.cluster.The()
	differs := c.Differs(ofState)
	b := &batch{walk: w, pathGraph: paths(), s: s, wanted: c.New, logs: c.Logged&ofLast != 0, frozen: !differs && !s.unseen(ofState), typed: !differs || !c.IsBad(), at: map[string]int{}}
	b.items = make([]item, len(s.requests.Changed()))
	w.Assume(func() {
		c.Write().Conf = conf
		for i, r := range s.requests.Changed() {
			it := item{change: r, fixed: r.Old.Status == r.New.Status && r.Old.Rank == r.New.Rank}
			if r.Old.Queue != in {
				r.Write().Queue = out // what may have been pushed can be pushed
			}
			it.weird = r.Old.Queue == in && r.Old.Status != Valid && !it.fixed
			b.weird = b.weird || it.weird
			for _, q := range [...]membership{out, in} {
				if r.New.Queue&q != 0 {
					it.goal |= placeOf(&Request{Status: r.New.Status, Queue: q}).set()
				}
			}
			b.items[i], b.at[r.ID] = it, i
		}
		if c.Now.LastFree {
			b.bindLast(c.Write())
		}
	})
	return b
}

// bindLast takes lastSubmitted, where it is not known, from the first rank that
// a submission gets.
func (b *batch) bindLast(c *Cluster) {
	first, any := int64(0), false
	for i := range b.items {
		it := &b.items[i]
		if r := it.New.Rank; it.Old.Status == Waiting && r.Set && r.Value > c.Last && (!any || r.Value < first) {
			first, any = r.Value, true
		}
	}
	if any {
		c.Last, c.LastFree = first-1, false
	} else if b.logs && b.wanted.Last > c.Last {
		c.Last, c.LastFree = b.wanted.Last, false
	}
}

// solve finds the actions.
func (b *batch) solve(conf ternary, again bool) model.Outcome {
	c := b.s.cluster.The()
	if c.IsBad() && c.Logged&(ofLast|ofConf) != 0 || !c.Old.Conf.mayBe(conf == yes) || !c.New.Conf.mayBe(conf == yes) || !b.assign() {
		return model.Unsolved
	}
	for i := range b.items {
		it := &b.items[i]
		if it.IsBad() || it.fixed && !b.settle(i) || !b.alive(it, *it.Now) {
			b.Stuck(it.Line, what(b.s, it.change))
			return model.Unsolved
		}
	}
	if b.weird {
		return b.SearchAmong(b.moves, b.arrived)
	}
	if !b.inOrder() {
		if b.allThere() {
			b.Because(fmt.Sprintf(". The cluster cannot be left as %s", &b.wanted))
		}
		return model.Unsolved
	}
	if b.ClaimsMet() {
		return model.Solved
	}
	if again || !b.orderMatters() {
		return model.Unsolved
	}
	b.Keep()
	b.Restart()
	return solve(b.walk, conf, true)
}

// assign looks at what lines claim: whether an action can change the object. A
// request that may have been pushed to the queue unlogged may be so in this step.
func (b *batch) assign() bool {
	return b.Claims(func(c model.Claim[State, witness]) model.ClaimStatus {
		if c.Kind == kindCluster {
			return model.ClaimOpen
		}
		if i, changes := b.at[c.ID]; changes {
			it := &b.items[i]
			pushed := placeOf(&Request{Status: Valid, Queue: in}).set()
			if c.Action == pushToQueue && it.goal&pushed != 0 && it.goal != pushed {
				it.goal = pushed // a goal that leaves it open is of a valid request
			}
			return model.ClaimOpen
		}
		for _, r := range b.s.requests.Touched() {
			if r.ID == c.ID && c.Action == pushToQueue && mayBePushed(r) {
				return model.ClaimMet
			}
		}
		return model.ClaimImpossible
	})
}

// orderMatters says that another order of the same actions may meet the claims.
// Only CompleteApply and Rollback may either leave the cluster as it is or
// change it.
func (b *batch) orderMatters() bool {
	return b.Claims(func(c model.Claim[State, witness]) model.ClaimStatus {
		if !c.IsMet && (c.Kind != kindCluster || c.Action != completeApply && c.Action != rollback || !b.Took(c.Action)) {
			return model.ClaimImpossible
		}
		return model.ClaimOpen
	})
}

// settle does the one action that can change a request's membership of queue
// and not its status.
func (b *batch) settle(i int) bool {
	it := &b.items[i]
	if it.Now.Queue == out {
		return b.take(i, pushToQueue, witness{}) && it.isThere()
	}
	return b.take(i, processQueue, witness{}) && it.isThere()
}

// take does the action on the item, if its guards hold.
func (b *batch) take(i int, a *action, p witness) bool {
	p.r, p.conf = b.items[i].change, b.s.now().Conf == yes
	if !b.Take(a, &p) {
		return false
	}
	if !b.keepsCluster() {
		b.Back(b.Len() - 1)
		return false
	}
	return true
}

// keepsCluster says that clusterState is as it was, where it may not change on the way.
func (b *batch) keepsCluster() bool {
	c := b.s.cluster.The()
	return !b.frozen || c.Now.Req == c.Old.Req && c.Now.Complete == c.Old.Complete
}

// isThere says that the item is at its goal.
func (it *item) isThere() bool {
	return it.goal&placeOf(it.Now).set() != 0 && it.Now.Rank == it.New.Rank
}

// allThere says that all items are at their goals.
func (b *batch) allThere() bool {
	return !slices.ContainsFunc(b.items, func(it item) bool { return !it.isThere() })
}

// arrived says that the state on the way is the step's new one.
func (b *batch) arrived() bool {
	c := b.s.now()
	return b.allThere() && b.typed && (b.s.unseen(ofReq) || c.Req == b.wanted.Req) &&
		(b.s.unseen(ofComplete) || c.Complete == b.wanted.Complete) && (!b.logs || c.Last == b.wanted.Last)
}

// alive says that the item, where it is now, may yet get to its goal.
func (b *batch) alive(it *item, now Request) bool {
	at := placeOf(&now)
	if it.goal&at.set() != 0 && now.Rank == it.New.Rank {
		return true
	}
	conf := model.BoolInt(b.s.now().Conf == yes)
	if b.reachable[conf][at]&^at.set()&it.goal == 0 {
		return false
	}
	switch {
	case now.Status == Waiting: // its rank may yet change
		return true
	case now.Rank != it.New.Rank:
		return false
	}
	return b.withoutStart[conf][at]&it.goal != 0 || now.Rank.Set && now.Rank.Value >= b.s.now().Last
}

// needsStart says that the item's goal lies behind a StartApply.
func (b *batch) needsStart(it *item) bool {
	return !it.isThere() && b.withoutStart[model.BoolInt(b.s.now().Conf == yes)][placeOf(it.Now)]&it.goal == 0
}
