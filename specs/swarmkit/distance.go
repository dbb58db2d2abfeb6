package swarmkit

import "sync"

// How far a task is from what a step makes of it, were it alone: as many actions as
// must change it. The actions' clauses and effects say which there are.

// status is a task's state and its desired state.
type status struct{ state, desired State }

// perStatus is something of each status.
type perStatus[T any] [Orphaned + 1][Orphaned + 1]T

const unreachable = 255

// distances are how many actions lead from one status to another.
var distances = sync.OnceValue(func() *perStatus[perStatus[uint8]] {
	var all perStatus[perStatus[uint8]]
	var successors perStatus[[]status]
	for state := range successors {
		for desired := range successors[state] {
			successors[state][desired] = status{State(state), State(desired)}.successors()
		}
	}
	for state := range Orphaned + 1 {
		for desired := range Orphaned + 1 {
			to := &all[state][desired]
			for i := range to {
				for j := range to[i] {
					to[i][j] = unreachable
				}
			}
			to[state][desired] = 0
			for todo := []status{{state, desired}}; len(todo) > 0; todo = todo[1:] {
				at := todo[0]
				for _, next := range successors[at.state][at.desired] {
					if d := &to[next.state][next.desired]; *d == unreachable {
						*d = to[at.state][at.desired] + 1
						todo = append(todo, next)
					}
				}
			}
		}
	}
	return &all
})

// successors are what the actions make of a task, by itself or with others.
func (at status) successors() (list []status) {
	for _, w := range ways()[at.state][at.desired] {
		list = append(list, status{w.state, w.desired})
	}
	n, sv := &node{}, &service{}
	p := pair{sid: sv, node: n}
	v := taskValue{service: sv, node: n, slot: 1, state: at.state, desired: at.desired}
	for _, e := range [...]*effect{orphansOwned, removesAll} {
		if e.of(&p, &v) {
			to := e.to(v)
			list = append(list, status{to.state, to.desired})
		}
	}
	p.tasks = []taskChange{{old: v, new: v.withDesired(Shutdown), span: span{was: true, is: true}}, {new: newTask(sv, v.vslot(), Ready), span: span{is: true}}}
	if restartTask.Match(&p) {
		list = append(list, status{at.state, Shutdown})
	}
	return list
}

// deletion is how many actions it takes until a task is deleted.
var deletion = sync.OnceValue(func() *perStatus[uint8] {
	var all perStatus[uint8]
	for i, row := range distances() {
		for j, to := range row {
			all[i][j] = unreachable
			for state := range Orphaned + 1 {
				for desired := range Orphaned + 1 {
					if v := (taskValue{state: state, desired: desired}); v.isReapable() && to[state][desired] != unreachable {
						all[i][j] = min(all[i][j], to[state][desired]+1)
					}
				}
			}
		}
	}
	return &all
})

// canBecome says that a task which is not deleted on the way may yet get from v to goal.
func canBecome(v, goal *taskValue) bool {
	return stepsTo(v, goal) < unreachable && (v.node == goal.node || v.node == nil && v.state.Prec(Assigned))
}

// stepsTo is how many actions lead from v to goal.
func stepsTo(v, goal *taskValue) int {
	return int(distances()[v.state][v.desired][goal.state][goal.desired])
}

// created is how many actions it takes until a task that is not there is as goal.
func created(goal *taskValue) int {
	return 1 + int(min(distances()[New][Running][goal.state][goal.desired], distances()[New][Ready][goal.state][goal.desired]))
}
