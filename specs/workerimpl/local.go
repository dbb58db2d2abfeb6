package workerimpl

import (
	"slices"
	"sync"

	"tracecheck/validators"
	"tracecheck/validators/model"
)

// Whatever an action does, it does to ids one by one, and what it does to one
// depends on few values. So the actions are run over all of these, once.

// sample is a state of one id, one worker and one other node.
type sample struct {
	pair
	own, other node
	task       taskChange
	cont       containerChange
	unit       unit
	places     [elsewhere + 1]*node
}

func newSample() *sample {
	m := &sample{own: node{shown: true, exists: true}, other: node{shown: true, exists: true}}
	m.pair = pair{s: &state{none: &service{}}, node: &m.own, t: &m.task, c: &m.cont}
	m.places = [...]*node{unassigned: nil, atWorker: &m.own, elsewhere: &m.other}
	return m
}

// effect is what an action on whole sets makes of an id: its task's state, and
// the worker's container.
type effect struct {
	task State
	cont containerState
}

// reaction is what each action on whole sets makes of an id, and which of them change its
// task, and the worker's container.
type reaction struct {
	effects           [symbolModes]effect
	tasks, containers symbols
}

// symbols is a set of the actions on whole sets.
type symbols uint8

func (of symbols) has(l symbol) bool { return of>>l&1 != 0 }

// reactions has them by the task's place, its state, the container's, and the task's
// desired_state. Where there is no task, that is a separate place.
type reactions [noTask + 1][Orphaned + 1][badContainer + 1][Orphaned + 1]reaction

var allReactions = sync.OnceValue(func() *reactions {
	var all reactions
	m := newSample()
	for at := range all {
		for task := range Orphaned + 1 {
			for cont := range badContainer + 1 {
				for desired := range Orphaned + 1 {
					u := local{cont: cont}
					if at != noTask {
						u.has, u.task = true, taskValue{node: m.places[at], taskStates: taskStates{state: task, desired: desired}}
					}
					r := &all[at][task][cont][desired]
					for l, a := range wholes {
						to := a.run(&m.pair, u)
						r.effects[l] = effect{to.task.state, to.cont}
						r.tasks |= symbols(model.BoolInt(to.task.state != u.task.state)) << l
						r.containers |= symbols(model.BoolInt(to.cont != cont)) << l
					}
				}
			}
		}
	}
	return &all
})

const noTask = int(elsewhere) + 1

// owed is what a task waits for if its node is up, by its state and its
// desired_state.
type owed [Orphaned + 1][Orphaned + 1]validators.Wait

var allOwed = sync.OnceValue(func() *owed {
	var all owed
	m := newSample()
	m.own.up = true
	for from := New; from <= Orphaned; from++ {
		for desired := Ready; desired <= Remove; desired++ {
			m.task.old = taskValue{node: &m.own, taskStates: taskStates{state: from, desired: desired}}
			for to := New; to <= Orphaned; to++ {
				if m.task.new = m.task.old.withState(to); progressTask.enabled(&m.pair) {
					all[from][desired] = waitProgressTask
				}
			}
			if wsShutdownComplete.enabled(&m.pair) {
				all[from][desired] = waitWSShutdownComplete
			}
		}
	}
	return &all
})

// arc is what an action makes of one id.
type arc struct {
	by      *action
	task    State
	place   place // as in a sample
	cont    containerState
	tasks   bool   // it changes the task,
	conts   bool   // the container
	desired uint16 // with which desired_state it does: a bit of each
	up      bool   // the task's node must be up
}

// arcs has them by the task's state, whether it is or would be global, its place
// and the container's state.
var arcs = sync.OnceValue(func() *[Orphaned + 1][2][elsewhere + 1][isFailed + 1][]arc {
	var all [Orphaned + 1][2][elsewhere + 1][isFailed + 1][]arc
	m := newSample()
	for state := range Orphaned + 1 {
		for global := range 2 {
			for at := range elsewhere + 1 {
				for cont := range isFailed + 1 {
					from := local{cont: cont, task: taskValue{service: m.s.none, slot: int64(1 - global)}}
					if state != NoState {
						from.has, from.task.node, from.task.state = true, m.places[at], state
					}
					all[state][global][at][cont] = m.arcs(from)
				}
			}
		}
	}
	return &all
})

// arcs runs the actions that write one id, for all witnesses.
func (m *sample) arcs(from local) (list []arc) {
	t := &from.task
	nodes := []*node{&m.own, &m.other, nil}
	if t.node != nil {
		nodes = []*node{t.node}
	}
	for _, by := range [...]*action{createTask, updateTask, progressTask, rejectTask, removeTask} {
		if by == updateTask { // of the desired_state alone
			list = m.arc(list, by, from, *t, noContainer)
		}
		for _, n := range nodes {
			for to := New; to <= Orphaned; to++ {
				t2 := *t
				t2.node, t2.state = n, to
				list = m.arc(list, by, from, t2, noContainer)
			}
		}
	}
	for _, by := range [...]*action{containerExit, shutdownComplete} {
		for to := range isFailed + 1 {
			list = m.arc(list, by, from, *t, to)
		}
	}
	return list
}

// arc adds what the action makes of an id with the witnesses t2 and s2, if
// anything. A t2 in the state of t has another desired_state.
func (m *sample) arc(list []arc, by *action, from local, t2 taskValue, s2 containerState) []arc {
	for _, up := range [...]bool{false, true} {
		for desired := Ready; desired <= Remove; desired++ {
			if !desired.IsDesiredState() {
				continue
			}
			if m.own.up, m.other.up = up, up; from.has || by == createTask {
				from.task.desired, t2.desired = desired, desired
			}
			if from.has && t2.state == from.task.state && t2.node == from.task.node {
				t2.desired = Running + Shutdown - min(desired, Shutdown)
			}
			m.unit = unit{hasTask: from.has, task: from.task, hasCont: from.cont != noContainer, cont: containerValue{node: &m.own, state: from.cont}}
			m.task = taskChange{unit: &m.unit, old: from.task, new: t2, span: span{was: from.has, is: true}}
			m.cont = containerChange{unit: &m.unit, old: m.unit.cont, new: containerValue{node: &m.own, state: s2}, span: span{was: m.unit.hasCont, is: s2 != noContainer}}
			if !by.enabled(&m.pair) {
				continue
			}
			to := by.run(&m.pair, from)
			r := arc{by: by, cont: to.cont, tasks: to.has != from.has || to.task != from.task, conts: to.cont != from.cont, up: up}
			if to.has {
				r.task, r.place = to.task.state, place(slices.Index(m.places[:], to.task.node))
			}
			list = r.addTo(list, desired)
		}
	}
	return list
}

// addTo adds the arc, unless it is there: then with the desired_state as well.
func (r *arc) addTo(list []arc, desired State) []arc {
	for i := range list {
		have := &list[i]
		if have.by == r.by && have.task == r.task && have.place == r.place && have.cont == r.cont {
			have.desired |= 1 << desired
			return list
		}
	}
	if r.tasks || r.conts {
		r.desired = 1 << desired
		list = append(list, *r)
	}
	return list
}

// with says that the action does it where that is the desired_state.
func (r *arc) with(desired State) bool { return r.desired>>desired&1 != 0 }
