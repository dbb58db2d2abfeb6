package converge

import (
	"cmp"
	"slices"
	"time"
)

// picture compares a service with its desired state.
type picture struct {
	running, wanted int
	waiting         []Waiting
	ends            []end // what ends the wait if it stays
	unsettled       bool  // some tasks count only because nothing replaces them
}

// end is a reason to give up: at once, or when the time has come.
type end struct {
	at     time.Time
	cause  Cause
	reason string
}

// painter makes the picture of a service.
type painter struct {
	store   *store
	service *service
	id      string
	limit   int64 // of the history: negative is none
	grace   time.Duration
	stable  time.Duration
	start   time.Time              // of the wait
	opened  func(string) time.Time // since when an open end without a task is there
	slots   map[vslot][]*task
	picture picture
}

// paint compares the service with its tasks. In the order of SwarmKit's
// InDesiredState: the right number of running tasks, where they belong, and not
// too many that have ended.
func (p *painter) paint() picture {
	p.slots = map[vslot][]*task{}
	for _, t := range p.store.of[p.id] {
		p.slots[t.vslot()] = append(p.slots[t.vslot()], t)
	}
	for _, list := range p.slots {
		slices.SortFunc(list, func(a, b *task) int { return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.id, b.id)) })
	}
	p.update()
	places := p.places()
	if p.service.isGlobal() {
		p.everyNode(places)
	} else {
		p.replicas(places)
	}
	p.leftovers(places)
	return p.picture
}

// places are the slots in their order.
func (p *painter) places() []vslot {
	var all []vslot
	for at := range p.slots {
		all = append(all, at)
	}
	slices.SortFunc(all, func(a, b vslot) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.node, b.node))
	})
	return all
}

// open notes an open end that is no task's.
func (p *painter) open(w Waiting, key string) {
	w.Since = moment(p.opened(key))
	p.picture.waiting = append(p.picture.waiting, w)
}

// openTask notes that a task is not as it should be.
func (p *painter) openTask(t *task, action, why string) {
	p.picture.waiting = append(p.picture.waiting, Waiting{
		Task: t.id, Slot: int(t.slot), Node: t.node, State: t.state, Desired: t.desired, Since: moment(t.since),
		Action: action, Why: why, Err: t.err, Message: t.message,
	})
}

// mayEnd notes an end that comes if nothing changes: patience counts from when
// the wait began.
func (p *painter) mayEnd(since time.Time, patience time.Duration, cause Cause, reason string) {
	if since.Before(p.start) {
		since = p.start
	}
	p.picture.ends = append(p.picture.ends, end{since.Add(patience), cause, reason})
}
