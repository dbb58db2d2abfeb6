package swarmkit

import "sync"

// How far a task is from what a step makes of it, were it alone: as many actions as
// must change it. The actions' clauses and effects say which there are.

// status is a task's state and its desired state.
type status struct{ state, desired State }

// perStatus is something of each status.
type perStatus[T any] [Orphaned + 1][Orphaned + 1]T

const unreachable = 255

// gone is of a task that is not there.
var gone = status{}

// distances are how many actions lead from one status to another, of a task that is
// not deleted and created again on the way.
var distances = sync.OnceValue(func() *perStatus[perStatus[uint8]] {
	var all perStatus[perStatus[uint8]]
	var successors perStatus[[]status]
	for state := range successors {
		for desired := range successors[state] {
			successors[state][desired] = status{State(state), State(desired)}.successors()
			to := &all[state][desired]
			for i := range to {
				for j := range to[i] {
					to[i][j] = unreachable
				}
			}
			to[state][desired] = 0
		}
	}
	for state := range all {
		for desired := range all[state] {
			to, from := &all[state][desired], status{State(state), State(desired)}
			for todo := []status{from}; len(todo) > 0; todo = todo[1:] {
				at := todo[0]
				if at == gone && at != from {
					continue
				}
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
	v := taskValue{sv, 1, taskRest{node: n, taskStates: taskStates{state: at.state, desired: at.desired}}}
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
	if v.isReapable() {
		list = append(list, gone)
	}
	if at == gone {
		list = append(list, status{New, Running}, status{New, Ready})
	}
	return list
}

// to is how many actions lead there.
func (at status) to(goal status) int {
	return int(distances()[at.state][at.desired][goal.state][goal.desired])
}

func (v *taskValue) status() status { return status{v.state, v.desired} }

// canBecome says that a task which is not deleted on the way may yet get from v to goal.
func canBecome(v, goal *taskValue) bool {
	return v.status().to(goal.status()) < unreachable && (v.node == goal.node || v.node == nil && v.state.Prec(Assigned))
}
