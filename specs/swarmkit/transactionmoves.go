package swarmkit

// Tasks whose state a transaction changes.

// moves explains changes of state: of all of a node's tasks at once, or of each
// by itself.
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
			return e.fail(c.subject(), e.part(m.tasks[i:i+1], nil), concat(moveRules, undoRules))
		}
	}
	return true
}

// returning leaves it open whether nodes that come up in this step were up
// before its tasks changed or after: the dispatcher stores a node's return and
// its agent's reports in one batch, the reports first. Of a batch that is cut,
// the node's line may be in a later step.
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

// orphans explains the tasks that are orphaned, all of a node at once.
func (e *explainer) orphans() bool {
	var groups map[*node][]taskChange // most steps orphan none
	var nodes []*node
	for i := range e.m.tasks {
		c := &e.m.tasks[i]
		if n := c.old.node; c.new.state == Orphaned && n != nil {
			if groups == nil {
				groups = map[*node][]taskChange{}
			}
			if groups[n] == nil {
				nodes = append(nodes, n)
			}
			groups[n] = append(groups[n], *c)
		}
	}
	for _, n := range nodes {
		if !e.must(e.part(groups[n], nil), orphanRules) {
			return false
		}
	}
	return true
}

// chain explains a task's way of several actions of its agent, whose reports
// the dispatcher sums up: ProgressTask, again and again, and at the end at most
// one of RejectTask, ShutdownComplete and ContainerExit.
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
