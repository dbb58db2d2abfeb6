package swarmkit

import "fmt"

// Nodes and services that a transaction changes.

func (e *explainer) nodes() bool {
	m := e.m
	for _, n := range e.w.came {
		p := e.part(nil, nil)
		p.node = n.node
		if nodeAppears.Match(p) {
			e.beside(&nodeAppears.Action, n.id)
		}
	}
	for i := range m.nodes {
		p := e.part(nil, nil)
		p.nodes = m.nodes[i : i+1]
		if e.told != nil {
			e.tell(m.nodes[i].subject(), nodeRules)
		}
		a := nodeRules.Match(p)
		if a == nil {
			e.why = trouble{m.nodes[i].subject(), nodeRules.Nearest(p, nearestShown)}
			return false
		}
		e.explained(a, m.nodes[i].id)
	}
	return true
}

// services explains what becomes of services. One that is flagged takes its
// tasks along.
func (e *explainer) services() bool {
	m := e.m
	for i := range m.services {
		c := &m.services[i]
		p := e.part(e.flaggedWith(c), nil)
		p.services = m.services[i : i+1]
		if e.told != nil {
			e.tell(c.subject(), serviceRules)
		}
		a := serviceRules.Match(p)
		if a == nil {
			e.why = trouble{c.subject(), serviceRules.Nearest(p, nearestShown)}
			return false
		}
		e.explained(a, c.id)
		for k := range p.tasks {
			m.plan = append(m.plan, planned{a, p.tasks[k].id, true})
		}
	}
	return true
}

// flaggedWith takes the tasks that are marked for removal while their service is
// flagged for it.
func (e *explainer) flaggedWith(c *serviceChange) []taskChange {
	e.w.group = e.w.group[:0]
	if c.was && c.is && c.new.remove && !c.old.remove {
		for i := range e.w.changes {
			if t := &e.w.changes[i]; t.writes == marksRemove && t.old.service == c.record {
				e.w.group = append(e.w.group, *t.taskChange)
				t.done = true
			}
		}
	}
	return e.w.group
}

// removed explains that nodes are removed.
func (e *explainer) removed() bool {
	for _, n := range e.w.left {
		p := e.part(e.m.tasks, nil)
		p.node = n.node
		if !nodeDisappears.Match(p) {
			e.why = trouble{subject{n.line, fmt.Sprintf("node %s is removed", n.id)}, relation{&nodeDisappears.Action}.Nearest(p, nearestShown)}
			return false
		}
		e.beside(&nodeDisappears.Action, n.id)
	}
	return true
}
