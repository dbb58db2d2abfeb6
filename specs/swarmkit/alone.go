package swarmkit

import (
	"slices"
	"sync"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
)

// Most steps give one task another state, and change nothing else. Five actions do that, with guards
// that read the task and IsUp(t.node) only. So their clauses decide once, for each state, which of
// them explains the step. Such a step needs no pair of states.

// alone is an action that explains such a step.
type alone struct {
	by      *action // the first in Next; nil: it is none of the five
	linked  bool    // only while the task's node is up
	setback bool
}

// aloneActions are by the task's status before the step, and its state after it.
var aloneActions = sync.OnceValue(func() *perStatus[[Orphaned + 1]alone] {
	var all perStatus[[Orphaned + 1]alone]
	five := relation{allocateTask, progressTask, rejectTask, shutdownComplete, containerExit}
	for from, row := range ways() {
		for desired, list := range row {
			for to, by := range leading() {
				for _, a := range by {
					i := slices.IndexFunc(list, func(w way) bool { return w.by == a && w.state == State(to) && w.state != State(from) })
					if i < 0 {
						continue
					}
					if slices.Contains(five, a) && swarm.Permitted(a.Actor, State(from), State(to)) {
						exits := a == shutdownComplete && isExit(&taskValue{desired: State(desired)})
						all[from][desired][to] = alone{a, list[i].linked, isSetback(a) || exits}
					}
					break
				}
			}
		}
	}
	return &all
})

// stepsAlone judges the step, if one of the five actions explains it as its line claims. Else it
// changes nothing, and reports false.
func (m *machine) stepsAlone(step *trace.Step) bool {
	ev := &step.Events[0]
	if len(step.Events) > 1 || ev.Kind != kindTask || ev.Op != trace.OpUpdate || len(ev.Fields) != 1 ||
		ev.Fields[0].Name != fieldState || ev.Fields[0].Type != trace.String || m.s.moby || m.cover != nil {
		return false
	}
	t := m.s.tasks.Of(ev)
	if t == nil || m.restsOnUnseen(&t.taskValue) {
		return false
	}
	if m.aloneActions == nil {
		m.aloneActions = aloneActions()
	}
	to := swarm.ParseState(ev.Fields[0].Str)
	a := &m.aloneActions[t.state][t.desired][to]
	if a.by == nil || a.linked && !t.node.isUp() || !a.by.Title().Meets(ev) {
		return false
	}
	v := &m.shows.task
	if *v = t.withState(to); m.see(t.id, v, nil, nil).breaks() {
		return false
	}
	m.binder.begin(m.s)
	m.by = a.by
	changed := t.tallies() ^ v.tallies()
	m.s.setTask(t, *v)
	if m.ledger != nil {
		m.followTask(t, t.waits)
		m.followContainers(&t.taskValue, t.in, changed)
		m.setbacks += int32(b2i(a.setback))
		m.followDesired()
	}
	m.s.sweep()
	return true
}
