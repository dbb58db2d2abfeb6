package converge

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// picture compares a service with its desired state.
type picture struct {
	running, wanted int
	waiting         []Waiting
	ends            []end // reasons that end the wait if they persist
	unsettled       bool  // some tasks count only because nothing replaces them
}

// end is a reason to end the wait early, at once or at a time.
type end struct {
	at     time.Time
	cause  Cause
	reason string
}

// painter computes the picture of a service.
type painter struct {
	store   *store
	service *service
	id      string
	limit   int64 // the history limit; negative: none
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

// places returns the slots in order.
func (p *painter) places() []vslot {
	var all []vslot
	for at := range p.slots {
		all = append(all, at)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return a.number < b.number || a.number == b.number && a.node < b.node
	})
	return all
}

// open records an open end that is not about a task.
func (p *painter) open(w Waiting, key string) {
	w.Since = moment(p.opened(key))
	p.picture.waiting = append(p.picture.waiting, w)
}

// openTask records an open end about a task.
func (p *painter) openTask(t *task, action, why string) {
	p.picture.waiting = append(p.picture.waiting, Waiting{
		Task: t.id, Slot: int(t.slot), Node: t.node, State: t.state, Desired: t.desired, Since: moment(t.since),
		Action: action, Why: why, Err: t.err, Message: t.message,
	})
}

// mayEnd records an end that comes if nothing changes. patience counts from the start of the
// wait at the earliest.
func (p *painter) mayEnd(since time.Time, patience time.Duration, cause Cause, reason string) {
	if since.Before(p.start) {
		since = p.start
	}
	p.picture.ends = append(p.picture.ends, end{since.Add(patience), cause, reason})
}
