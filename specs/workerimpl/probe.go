package workerimpl

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
	m.bind(step)
	var parts []validators.Part
	if !m.taken && !m.faults.Has(validators.OfTransition) && !m.ofNone && m.count() > 0 {
		views, _ := m.listViews()
		for _, n := range views {
			parts = append(parts, m.parts(m.at(n))...)
		}
	}
	for _, h := range m.hired {
		m.s.hire(h.node, false)
	}
	m.s.sweep()
	return parts
}

// parts are the step as the worker sees it and, where it may be the sum of
// several actions, what it does to each task with its container.
func (m *machine) parts(p *pair) []validators.Part {
	n := len(p.tasks) + len(p.containers) + len(p.nodes)
	if n == 0 {
		return nil
	}
	line, what := p.subject()
	what += m.instance(p)
	what += validators.Among(n, "objects", false)
	list := []validators.Part{{What: what, Line: line, Whole: true, Attempts: near.Attempts(p)}}
	if n == 1 || !m.batched {
		return list
	}
	alone := map[string]*pair{}
	var ids []string
	of := func(id string) *pair {
		if alone[id] == nil {
			alone[id] = &pair{s: p.s, node: p.node}
			ids = append(ids, id)
		}
		return alone[id]
	}
	each(func(c *taskChange) { q := of(c.id); q.tasks = append(q.tasks, *c) }, p.tasks)
	each(func(c *containerChange) { q := of(c.id); q.containers = append(q.containers, *c) }, p.containers)
	for _, id := range ids {
		line, what := alone[id].subject()
		list = append(list, validators.Part{What: what + m.instance(p), Line: line, Attempts: near.Attempts(alone[id])})
	}
	return list
}
