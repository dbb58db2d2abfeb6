package swarmkit

import "slices"

// Tasks whose state a transaction changes.

// moves explains changes of state. A node's tasks are orphaned together. Any other task is
// explained alone.
func (e *explainer) moves() bool {
	m := e.m
	e.returning(true)
	defer e.returning(false)
	if !e.orphans() {
		return false
	}
	for i := range m.tasks {
		c := &m.tasks[i]
		if c.new.state == Orphaned && c.old.node != nil {
			continue
		}
		if !e.try(e.part(m.tasks[i:i+1], nil), moveRules) && !e.chain(*c) {
			return e.fail(c.subject(), e.part(m.tasks[i:i+1], nil), slices.Concat(moveRules, undoRules))
		}
	}
	return true
}

// returning makes nodes that come up in this step count as up or down, as the rules need
// it. The dispatcher stores a node's return and its agent's reports in one batch, the
// reports first. If the batch is cut, the node's line may be in a later step.
func (e *explainer) returning(open bool) {
	for i := range e.m.nodes {
		if c := &e.m.nodes[i]; !c.old.up && c.new.up {
			e.m.s.nodes.Get(c.id).either = open
		}
	}
	if !e.w.cut {
		return
	}
	for i := range e.m.tasks {
		if n := e.m.tasks[i].old.node; n != nil && n.exists && !n.up {
			n.either = open
		}
	}
}

// orphans explains the orphaned tasks of each node.
func (e *explainer) orphans() bool {
	var list []taskChange
	for i := range e.m.tasks {
		if c := &e.m.tasks[i]; c.new.state == Orphaned && c.old.node != nil {
			list = append(list, *c)
		}
	}
	if list == nil { // as in most steps
		return true
	}
	for _, group := range grouped(list, func(c *taskChange) *node { return c.old.node }) {
		if !e.must(e.part(group, nil), orphanRules) {
			return false
		}
	}
	return true
}

// chain explains several actions of an agent on a task, since the dispatcher stores only the
// latest report. These are ProgressTask any number of times, and then at most one of
// RejectTask, ShutdownComplete and ContainerExit.
func (e *explainer) chain(c taskChange) bool {
	leg := func(to taskValue, rules relation) *action {
		one := c
		one.new = to
		e.w.group = append(e.w.group[:0], one)
		return e.take(e.part(e.w.group, nil), rules)
	}
	for c.old.state < Running {
		next := c.old.withState(c.old.state + 1)
		if leg(next, progressRules) == nil {
			return false
		}
		c.old = next
		if a := leg(c.new, agentRules); a != nil {
			e.owe(a, &e.m.part)
			return true
		}
	}
	return false
}
