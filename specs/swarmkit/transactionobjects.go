package swarmkit

import "fmt"

// Nodes and services that a transaction changes.

func (e *explainer) nodes() bool {
	for _, n := range e.w.came {
		p := e.part(nil, nil)
		if p.node = n.node; nodeAppears.Match(p) {
			e.beside(nodeAppears, n)
		}
	}
	for i := range e.m.nodes {
		p := e.part(nil, nil)
		p.nodes = e.m.nodes[i : i+1]
		if !e.must(p, nodeRules) {
			return false
		}
	}
	return true
}

// removed explains the removal of nodes.
func (e *explainer) removed() bool {
	for _, n := range e.w.left {
		p := e.part(e.m.tasks, nil)
		if p.node = n.node; !nodeDisappears.Match(p) {
			return e.fail(subject{n.line, fmt.Sprintf("node %s is removed", n.id)}, p, relation{&nodeDisappears.Action})
		}
		e.beside(nodeDisappears, n)
	}
	return true
}

// beside notes an allowance that itself makes no change.
func (e *explainer) beside(a *allowance, n nodeMove) {
	e.m.plan = append(e.m.plan, planned{action: &a.Action, objectKey: objectKey{kindNode, n.id}})
}

// services explains changes of services. A service that is flagged marks its tasks.
func (e *explainer) services() bool {
	for i := range e.m.services {
		c := &e.m.services[i]
		p := e.part(e.flaggedWith(c), nil)
		p.services = e.m.services[i : i+1]
		if !e.must(p, serviceRules) {
			return false
		}
	}
	return true
}

// flaggedWith returns the tasks that the step marks for removal together with their service.
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
