package swarmkit

import (
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
)

// stepsAlone judges a step that gives one task another state, and perhaps a first node. So do three
// quarters of a generated trace's steps. If an action explains the step as the line claims, binding
// it would be of no use. Else stepsAlone changes nothing, and reports false.
func (m *machine) stepsAlone(step *trace.Step) bool {
	ev := &step.Events[0]
	if len(step.Events) > 1 || ev.Kind != kindTask || ev.Op != trace.OpUpdate || len(ev.Fields) > 2 || m.s.moby || m.cover != nil {
		return false
	}
	var state, place *trace.Field
	for i := range ev.Fields {
		switch f := &ev.Fields[i]; {
		case f.Type != trace.String:
			return false
		case f.Name == fieldState:
			state = f
		case f.Name == fieldNode:
			place = f
		default:
			return false
		}
	}
	t := m.s.tasks.Of(ev)
	if t == nil || state == nil {
		return false
	}
	v := &m.shows.task
	t.copyTo(v)
	v.state, v.bad = swarm.ParseState(state.Str), v.bad&^ofState
	if place != nil {
		n := m.s.nodes.Get(place.Str)
		if n == nil || t.unseen&ofNode != 0 {
			return false
		}
		v.node, v.bad = n, v.bad&^ofNode
	}
	by := m.explains(t, v)
	if by == nil || m.restsOnUnseen(v) || !by.Title().Meets(ev) || m.breaks(t.id, v) {
		return false
	}
	m.binder.begin(m.s)
	m.by = by
	changed := t.tallies() ^ v.tallies() // a first node has the task owned, too
	m.s.setState(t, v, changed)
	if m.ledger != nil {
		m.followTask(t, t.held())
		m.followContainers(v, t.in, changed)
		m.setbacks += int32(b2i(isSetback(by) || by == shutdownComplete && isExit(t.desired)))
		m.followDesired()
	}
	m.s.sweep()
	return true
}

// explains returns the action that makes the task the value, whose state differs, and perhaps the
// node. It is nil if there is none.
func (m *machine) explains(t *task, v *taskValue) *action {
	if m.ways == nil {
		m.ways = stateWays()
	}
	if w := &m.ways[t.state][t.desired][v.state]; w.by != nil && v.node == t.node && (!w.linked || t.node.isUp()) {
		return w.by
	}
	p := &m.way
	p.s = m.s
	p.tasks = append(p.tasks[:0], taskChange{id: t.id, record: t, old: t.value(), new: *v, span: span{was: true, is: true}})
	if scheduler.Match(p) && m.notPermitted(p, scheduler) == nil {
		return scheduler
	}
	return nil
}
