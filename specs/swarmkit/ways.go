package swarmkit

import (
	"slices"
	"sync"
)

// way is what an action makes of one task that exists.
type way struct {
	by             *action
	state, desired State
	linked         bool // only while the task's node is up
}

// of is what the way makes of the task. The scheduler puts it on the node.
func (w *way) of(v taskValue, n *node) taskValue {
	switch {
	case w.by == scheduler:
		return v.withState(w.state).withNode(n)
	case w.state != v.state:
		return v.withState(w.state)
	}
	return v.withDesired(w.desired)
}

// ways are all of them, by the task's state and its desired state: what the actions'
// clauses accept of a task that is alone in its slot, where everything else is as the
// guards want it. What is not a setback comes first, as in Next.
var ways = sync.OnceValue(func() *perStatus[[]way] {
	var all perStatus[[]way]
	n, sv := &node{shown: true, either: true}, &service{exists: true, wanted: 1}
	vs := &vslot{service: sv, key: vslotKey{slot: 1}, slotRest: &slotRest{taskCounts: taskCounts{wanted: 1, terminated: 1}}}
	p := pair{s: &state{}, tasks: []taskChange{{record: &task{in: vs}, span: span{was: true, is: true}}}}
	c := &p.tasks[0]
	byState := relation{allocateTask, scheduler, progressTask, rejectTask, shutdownComplete, containerExit}
	byDesired := relation{releaseReady, cleanupTerminated, requestRemoval}
	for state := range Orphaned + 1 {
		for desired := range Orphaned + 1 {
			c.old = taskValue{sv, 1, taskRest{node: n, taskStates: taskStates{state: state, desired: desired}}}
			vs.runnable, vs.notRemove = int32(b2i(state.Runnable())), int32(b2i(desired != Remove))
			try := func(w way) {
				if c.new = w.of(c.old, n); w.by.Match(&p) {
					n.either = false
					w.linked, n.either = !w.by.Match(&p), true
					all[state][desired] = append(all[state][desired], w)
				}
			}
			for _, a := range byState {
				for to := state + 1; to <= Orphaned; to++ { // none goes back
					try(way{by: a, state: to, desired: desired})
				}
			}
			for _, a := range byDesired {
				for to := desired + 1; to <= Orphaned; to++ {
					try(way{by: a, state: state, desired: to})
				}
			}
		}
	}
	return &all
})

// leading are the actions that a way to each state is by, in Next's order.
var leading = sync.OnceValue(func() *[Orphaned + 1]relation {
	var by [Orphaned + 1]relation
	all := ways()
	for _, a := range next {
		for from := range all {
			for _, w := range slices.Concat(all[from][:]...) {
				if w.by == a && w.state != State(from) && !slices.Contains(by[w.state], a) {
					by[w.state] = append(by[w.state], a)
				}
			}
		}
	}
	by[Orphaned] = relation{orphanTasks} // of a node's tasks at once
	return &by
})

// stateWays has the first action of Next that gives a task another state, by its state, its desired
// state and the new state. The guards of these actions read the task and IsUp(t.node) only. So the
// scheduler is left out.
var stateWays = sync.OnceValue(func() *perStatus[[Orphaned + 1]way] {
	var to perStatus[[Orphaned + 1]way]
	for state, row := range ways() {
		for desired, list := range row {
			for _, w := range list {
				if first := &to[state][desired][w.state]; w.state != State(state) && w.by != scheduler && first.by == nil {
					*first = w
				}
			}
		}
	}
	return &to
})
