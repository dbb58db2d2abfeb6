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
		rules := otherMoves[c.new.state]
		if e.reports() {
			rules = moveRules // straight explains none
		}
		if !e.straight(m.tasks[i:i+1]) && !e.try(e.part(m.tasks[i:i+1], nil), rules) && !e.chain(*c) {
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

// reports says that the attempts of all rules are listed or counted.
func (e *explainer) reports() bool { return e.m.cover != nil || e.tried != nil }

// straight explains the change of one task by an action in stateWays.
func (e *explainer) straight(one []taskChange) bool {
	if e.reports() {
		return false
	}
	a := e.leg(one, moveRules)
	if a != nil {
		e.owe(a, &e.m.part)
	}
	return a != nil
}

// leg is take for one task, by stateWays.
func (e *explainer) leg(one []taskChange, rules relation) *action {
	if e.reports() {
		return e.take(e.part(one, nil), rules)
	}
	c := &one[0]
	w := &e.ways[c.old.state][c.old.desired][c.new.state]
	if w.by == nil || !slices.Contains(rules, w.by) || w.linked && !c.old.node.isUp() || c.new != c.old.withState(c.new.state) {
		return nil
	}
	p := e.part(one, nil)
	p.setTask(c)
	e.explained(w.by, p)
	e.parts++
	return w.by
}

// chain explains several actions of an agent on a task, since the dispatcher stores only the
// latest report. These are ProgressTask any number of times, and then at most one of
// RejectTask, ShutdownComplete and ContainerExit.
func (e *explainer) chain(c taskChange) bool {
	e.w.group = append(e.w.group[:0], c)
	leg := &e.w.group[0]
	for leg.old.state < Running {
		leg.new = leg.old.withState(leg.old.state + 1)
		if e.leg(e.w.group, progressRules) == nil {
			return false
		}
		leg.old, leg.new = leg.new, c.new
		if a := e.leg(e.w.group, agentRules); a != nil {
			e.owe(a, &e.m.part)
			return true
		}
	}
	return false
}
