package swarmkit

import (
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
)

// stepsAlone judges a step that gives one task another state, as three fifths of a generated
// trace's steps do. If an action of stateWays explains it as the line claims, it needs no pair of
// states. Else stepsAlone changes nothing, and reports false.
func (m *machine) stepsAlone(step *trace.Step) bool {
	ev := &step.Events[0]
	if len(step.Events) > 1 || ev.Kind != kindTask || ev.Op != trace.OpUpdate || len(ev.Fields) != 1 ||
		ev.Fields[0].Name != fieldState || ev.Fields[0].Type != trace.String || m.s.moby || m.cover != nil {
		return false
	}
	t := m.s.tasks.Of(ev)
	if t == nil {
		return false
	}
	v := &m.shows.task
	if *v = t.value(); m.restsOnUnseen(v) {
		return false
	}
	to := swarm.ParseState(ev.Fields[0].Str)
	w := &stateWays()[t.state][t.desired][to]
	if w.by == nil || w.linked && !t.node.isUp() || !w.by.Title().Meets(ev) {
		return false
	}
	if *v = v.withState(to); m.see(t.id, v, nil, nil).breaks() {
		return false
	}
	m.binder.begin(m.s)
	m.by = w.by
	changed := t.tallies() ^ v.tallies()
	m.s.setState(t, v, changed)
	if m.ledger != nil {
		m.followTask(t, t.waits)
		m.followContainers(v, t.in, changed)
		m.setbacks += int32(b2i(isSetback(w.by) || w.by == shutdownComplete && isExit(t.desired)))
		m.followDesired()
	}
	m.s.sweep()
	return true
}
