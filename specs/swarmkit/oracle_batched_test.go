package swarmkit_test

import (
	"maps"
	"slices"
)

// claim is what a line says of its own step: an actor, an action, or both.
type claim struct {
	object        object
	actor, action string
}

func (c claim) admits(l label) bool {
	return (c.actor == "" || c.actor == l.actor) && (c.action == "" || c.action == l.action)
}

// answer is unknown when a search stopped at its cap.
type answer int

const (
	no answer = iota
	yes
	unknown
)

// batch is a question about a batched step.
type batch struct {
	from, to      oracleState
	maxTerminated int
	remade        map[object]bool // deleted and then created by the step's lines
	claims        []claim         // each is to be met by an action that changes its object
	cap           int             // states to visit before the answer is unknown
}

// changeable are the objects that the step may change on its way.
func (b batch) changeable() map[object]bool {
	all := differing(b.from, b.to)
	for o := range b.remade {
		all[o] = true
	}
	return all
}

// existing are the objects that may not be absent on the way: those at both
// ends, but for the remade, which are returned apart.
func (b batch) existing() (stay, remake []object) {
	for _, o := range b.from.objects() {
		if b.to.value(o) == nil {
			continue
		}
		if b.remade[o] {
			remake = append(remake, o)
		} else {
			stay = append(stay, o)
		}
	}
	return stay, remake
}

// universe is enough for any sequence. Only objects of the step are made. Of
// a service's replicas on the way, only "fewer than the runnable tasks" and
// "more than the slots" matter: 0 and a number beyond all tasks serve for
// every other, since what one value allows, two updates allow.
func (b batch) universe() universe {
	u := universe{
		replicas:      []int{0, len(b.from.tasks) + len(b.to.tasks) + 1, globalMode},
		maxTerminated: b.maxTerminated,
	}
	may := b.changeable()
	for o := range may {
		switch o.kind {
		case "service":
			u.services = append(u.services, o.id)
			for _, s := range []oracleState{b.from, b.to} {
				if svc, ok := s.services[o.id]; ok {
					u.replicas = append(u.replicas, svc.replicas)
				}
			}
		case "task":
			u.taskIDs = append(u.taskIDs, o.id)
			if slot, ok := o.vslot.(int); ok {
				u.slots = append(u.slots, slot)
			}
		}
	}
	slices.Sort(u.services)
	slices.Sort(u.replicas)
	slices.Sort(u.slots)
	slices.Sort(u.taskIDs)
	u.replicas, u.slots = slices.Compact(u.replicas), slices.Compact(u.slots)
	u.taskIDs = slices.Compact(u.taskIDs)
	u.owns = func(id, sid string, vslot any) bool { return may[object{"task", id, sid, vslot}] }
	u.exits = func(id string) bool {
		return may[taskObject(id, b.from.tasks[id])] || may[taskObject(id, b.to.tasks[id])]
	}
	return u
}

// explained says whether actions lead from one end to the other, changing
// nothing else. A step that changes nothing stutters, and its claims need
// actions that can stutter there.
func (b batch) explained() answer { return b.explainedIn(b.universe()) }

func (b batch) explainedIn(u universe) answer {
	if b.from.equal(b.to) {
		labels := explains(b.from, b.to, b.maxTerminated)
		for _, c := range b.claims {
			if !slices.ContainsFunc(labels, c.admits) {
				return no
			}
		}
		return yes
	}
	may := b.changeable()
	stay, remake := b.existing()

	// A place is a state with what was reached on the way to it.
	type place struct {
		state   oracleState
		met     string // per claim, '1' once met
		removed string // per remade object, '1' once it was absent
	}
	mark := func(marks string, i int) string { return marks[:i] + "1" + marks[i+1:] }
	zeros := func(n int) string { return string(slices.Repeat([]byte{'0'}, n)) }
	ones := func(n int) string { return string(slices.Repeat([]byte{'1'}, n)) }

	start := place{b.from, zeros(len(b.claims)), zeros(len(remake))}
	seen := map[string]bool{}
	for queue := []place{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, step := range u.successors(at.state) {
			changed := differing(at.state, step.next)
			if len(changed) == 0 || !subset(changed, may) || slices.ContainsFunc(stay, func(o object) bool {
				return step.next.value(o) == nil
			}) {
				continue
			}
			to := place{step.next, at.met, at.removed}
			for i, c := range b.claims {
				if changed[c.object] && c.admits(step.label) {
					to.met = mark(to.met, i)
				}
			}
			for i, o := range remake {
				if step.next.value(o) == nil {
					to.removed = mark(to.removed, i)
				}
			}
			if to.state.equal(b.to) && to.met == ones(len(b.claims)) && to.removed == ones(len(remake)) {
				return yes
			}
			if k := to.state.key() + to.met + "/" + to.removed; !seen[k] {
				if len(seen) >= b.cap {
					return unknown
				}
				seen[k] = true
				queue = append(queue, to)
			}
		}
	}
	return no
}

func subset(a, b map[object]bool) bool {
	for o := range maps.Keys(a) {
		if !b[o] {
			return false
		}
	}
	return true
}
