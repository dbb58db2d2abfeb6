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

	// Witnesses, set by an action's Some.
	t    *taskChange      // t; where it becomes another, that is t2
	c    *containerChange // containers[id]
	n    *node            // n
	unit *unit            // of t or c

	next local // that an effect writes
}

// span is what an event made of an object of the step.
type span struct {
	was, is bool // exists in the old, in the new state
	kept    bool // and throughout: the step has no line that deletes it
	remade  bool // the step's lines delete it and then create it
	line    int  // of its last event, an index into the step
}

// lasts says that the object exists in both states and on the way.
func (s *span) lasts() bool { return s.was && s.is && s.kept }

// change is an object that differs between the states.
type change[V comparable] struct {
	span
	id       string
	unit     *unit // nil of a node
	old, new V
}

// now is the object after the step, nil where there is none.
func (c *change[V]) now() *V {
	if c.is {
		return &c.new
	}
	return nil
}

// each calls do for the changes of the list.
func each[V comparable](do func(*change[V]), list []change[V]) {
	for i := range list {
		do(&list[i])
	}
}

type (
	// A task that a step deletes and recreates with another service or vslot is
	// two: Id(t) differs.
	taskChange = change[taskValue]
	// A container that a step deletes and recreates on another worker is two.
	containerChange = change[containerValue]
	// Where a node appears or disappears, that is the environment's doing.
	nodeChange = change[nodeValue]
)

// workerOf is the worker that the container is of, or meanwhile was.
func workerOf(c *containerChange) *node {
	if c.is || !c.was {
		return c.new.node
	}
	return c.old.node
}

// changed is the variables that change.
func (p *pair) changed() (all variables) {
	if len(p.tasks) > 0 {
		all |= tasks
	}
	if len(p.nodes) > 0 {
		all |= nodes
	}
	if len(p.containers) > 0 {
		all |= containers
	}
	return all
}

// same says that the variables stay as they are.
func (p *pair) same(of variables) bool { return p.changed()&of == 0 }

// inNode is n \in Node.
func (p *pair) inNode(n *node) bool { return n != nil && n.shown }

// Quantifiers: each sets the witnesses from what changed.

// The first task that the step creates, updates, gives another state, or deletes.
func someCreated(p *pair) bool { return p.someTask(func(c *taskChange) bool { return !c.was }) }
func someUpdated(p *pair) bool { return p.someTask(func(c *taskChange) bool { return c.was && c.is }) }
func someState(p *pair) bool {
	return p.someTask(func(c *taskChange) bool { return c.was && c.is && c.old.state != c.new.state })
}
func someDeleted(p *pair) bool { return p.someTask(func(c *taskChange) bool { return !c.is }) }

func (p *pair) someTask(is func(*taskChange) bool) bool {
	for i := range p.tasks {
		if c := &p.tasks[i]; is(c) {
			p.t, p.unit = c, c.unit
			return true
		}
	}
	return false
}

// someContainer takes the first container that was there and changes.
func someContainer(p *pair) bool {
	for i := range p.containers {
		if c := &p.containers[i]; c.was {
			p.c, p.unit = c, c.unit
			return true
		}
	}
	return false
}

// someNode takes the first node that goes up, or down.
func someNode(up bool) func(*pair) bool {
	return func(p *pair) bool {
		for i := range p.nodes {
			if c := &p.nodes[i]; c.new.up == up {
				p.n = p.s.nodes.Get(c.id)
				return true
			}
		}
		return false
	}
}

// allTasks says that every task that changes exists in both states and
// satisfies f.
func (p *pair) allTasks(f func(*taskChange) bool) bool {
	for i := range p.tasks {
		if c := &p.tasks[i]; !c.was || !c.is || !f(c) {
			return false
		}
	}
	return true
}
