package swarmkit

import (
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Probe implements validators.Prober. Lines by which nodes come or go are left
// out: they take effect when they are bound.
func (m *machine) Probe(step *trace.Step) []validators.Part {
	step = swarm.WithoutArrivals(step, func(id string) bool { n := m.s.nodes.Get(id); return n != nil && n.exists })
	if len(step.Events) == 0 {
		return nil
	}
	undo := m.rewind(step)
	m.beginTransaction(step)
	m.bind(step)
	var parts []validators.Part
	switch {
	case m.taken || m.faults.Has(validators.OfTransition) || m.pair.stutters():
	case m.s.moby:
		e := explainer{m: m, w: &m.whole, tried: &parts}
		e.explain()
	default:
		parts = m.parts()
	}
	undo()
	m.s.sweep()
	return parts
}

// rewind returns how to undo what binding the step changes of the history that
// the profile moby keeps.
func (m *machine) rewind(step *trace.Step) (undo func()) {
	if !m.s.moby {
		return func() {}
	}
	now, uses := m.history.now, m.uses
	m.uses = nil
	nodes, tasks := map[*node]dockerNode{}, map[*task]taskValue{}
	for i := range step.Events {
		ev := &step.Events[i]
		if n := m.s.nodes.Of(ev); ev.Kind == kindNode && n != nil {
			nodes[n] = *n.docker
		}
		if t := m.s.tasks.Of(ev); ev.Kind == kindTask && t != nil {
			tasks[t] = t.value()
		}
	}
	return func() {
		m.history.now, m.uses = now, uses
		m.whole.reset()
		for _, n := range m.gone {
			n.shown = false
		}
		for n, docker := range nodes {
			*n.docker = docker
		}
		for t, v := range tasks {
			if t.value() != v {
				m.s.setTask(t, &v)
			}
		}
	}
}

// parts are the step as a whole and, where it may be the sum of several actions,
// what it does in each vslot, to each service and to each node.
func (m *machine) parts() []validators.Part {
	whole := m.subject()
	parts := []validators.Part{{What: whole.what + validators.Among(m.count(), "objects", false), Line: whole.line, Whole: true,
		Attempts: next.Attempts(&m.pair)}}
	if m.count() == 1 || !m.batched {
		return parts
	}
	add := func(what subject, p *pair) {
		p.s = m.s
		parts = append(parts, validators.Part{What: what.what, Line: what.line, Attempts: next.Attempts(p)})
	}
	for _, group := range grouped(m.tasks, func(c *taskChange) slot { return c.atFirst().slotOf() }) {
		add(group[0].subject(), &pair{tasks: group})
	}
	for i := range m.services {
		add(m.services[i].subject(), &pair{services: m.services[i : i+1]})
	}
	for i := range m.nodes {
		add(m.nodes[i].subject(), &pair{nodes: m.nodes[i : i+1]})
	}
	return parts
}
