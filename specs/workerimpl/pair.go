package workerimpl

// pair is a step's two states as the instance of one worker sees them: the old
// one as a whole, and what differs in the new one. Unprimed expressions read
// old values and the state's counts, primed ones the new values.
type pair struct {
	s          *state
	node       *node // the module's constant
	tasks      []taskChange
	nodes      []nodeChange
	containers []containerChange // of the worker

	// Witnesses, set by an action's Bind.
	t *taskChange      // t
	c *containerChange // containers[id]
	n *node            // n
}

// span is what an event made of an object of the step.
type span struct {
	was, is bool // stands in the old, in the new state
	stands  bool // and throughout: the step has no line that deletes it
	remade  bool // the step's lines delete it and then create it
	line    int  // of its last event, an index into the step
}

// passes says that the step's lines delete the object, so that it may go and
// come on the way even where nothing of it differs at the end.
func (s *span) passes() bool { return !s.stands || s.remade }

// lasts says that the object stands in both states and on the way.
func (s *span) lasts() bool { return s.was && s.is && s.stands }

// taskChange is a task that differs between the states. A task that a step
// deletes and makes anew with another service or vslot is two: Id(t) differs.
type taskChange struct {
	span
	id       string
	old, new taskValue
}

// containerChange is a container of one worker that differs between the
// states. One that a step deletes and makes anew on another worker is two.
type containerChange struct {
	span
	id       string
	old, new containerValue
}

// node is the worker that the container is of, or meanwhile was.
func (c *containerChange) node() *node {
	if c.is || !c.was {
		return c.new.node
	}
	return c.old.node
}

// nodeChange is a node that differs between the states. Where it appears or
// disappears, that is the environment's doing.
type nodeChange struct {
	span
	id       string
	old, new nodeValue
}

// stutters says that nothing changes of what the instance sees.
func (p *pair) stutters() bool {
	return len(p.tasks)+len(p.nodes)+len(p.containers) == 0
}

// Unchanged variables.
func (p *pair) sameTasks() bool      { return len(p.tasks) == 0 }
func (p *pair) sameNodes() bool      { return len(p.nodes) == 0 }
func (p *pair) sameContainers() bool { return len(p.containers) == 0 }

// unit is the record of the task's or container's id in the old state, nil if
// there is none.
func (p *pair) unit(id string) *unit { return p.s.units.Get(id) }

// inNode is n \in Node.
func (p *pair) inNode(n *node) bool { return n != nil && n.shown }

// Binds: each sets the witnesses from what changed.

// bindCreated takes the first task that the step creates.
func bindCreated(p *pair) bool {
	return p.bindTask(func(c *taskChange) bool { return !c.was })
}

// bindUpdated takes the first task that the step updates.
func bindUpdated(p *pair) bool {
	return p.bindTask(func(c *taskChange) bool { return c.was && c.is })
}

// bindState takes the first task whose state the step changes.
func bindState(p *pair) bool {
	return p.bindTask(func(c *taskChange) bool { return c.was && c.is && c.old.state != c.new.state })
}

// bindDeleted takes the first task that the step deletes.
func bindDeleted(p *pair) bool {
	return p.bindTask(func(c *taskChange) bool { return !c.is })
}

func (p *pair) bindTask(f func(*taskChange) bool) bool {
	for i := range p.tasks {
		if c := &p.tasks[i]; f(c) {
			p.t = c
			return true
		}
	}
	return false
}

// bindContainer takes the first container that was there and changes.
func bindContainer(p *pair) bool {
	for i := range p.containers {
		if c := &p.containers[i]; c.was {
			p.c = c
			return true
		}
	}
	return false
}

// bindNode takes the first node that goes up or down.
func bindNode(p *pair, up bool) bool {
	for i := range p.nodes {
		if c := &p.nodes[i]; c.new.up == up {
			p.n = p.s.nodes[c.id]
			return true
		}
	}
	return false
}

// Effects.

// updates is UpdateTasks(t :> want): t becomes want and no other task changes.
func (p *pair) updates(want taskValue) bool {
	return len(p.tasks) == 1 && p.t.was && p.t.is && p.t.new == want
}

// updatesAll is UpdateTasks over a set: each changed task becomes what it
// should, and as many change as the index says must.
func (p *pair) updatesAll(count int, f func(*taskChange) bool) bool {
	return len(p.tasks) == count && p.allTasks(f)
}

// allTasks says that every task that changes stands in both states and
// satisfies f.
func (p *pair) allTasks(f func(*taskChange) bool) bool {
	for i := range p.tasks {
		if c := &p.tasks[i]; !c.was || !c.is || !f(c) {
			return false
		}
	}
	return true
}

// setsContainer is containers' = [containers EXCEPT ![id] = want].
func (p *pair) setsContainer(want containerState) bool {
	return len(p.containers) == 1 && p.c.is && p.c.new == containerValue{node: p.c.old.node, state: want}
}

// setsAll is containers' as a whole: each changed container becomes what it
// should, and as many change as the index says must.
func (p *pair) setsAll(count int, want func(*containerChange) (containerState, bool)) bool {
	if len(p.containers) != count {
		return false
	}
	for i := range p.containers {
		c := &p.containers[i]
		if !c.was {
			return false
		}
		state, stays := want(c)
		if stays != c.is || stays && c.new != (containerValue{node: c.old.node, state: state}) {
			return false
		}
	}
	return true
}
