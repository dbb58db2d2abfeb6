package swarmkit

import "slices"

// pair is a step's two states: the old one as a whole, and what differs in the
// new one. Unprimed expressions read old values and the state's counts, primed
// ones the new values.
type pair struct {
	s        *state
	tasks    []taskChange
	services []serviceChange
	nodes    []nodeChange

	// Witnesses, set by an action's Bind.
	t       *taskChange    // t, oldT, the victim
	created *taskChange    // the new task
	sid     *service       // sid
	spec    *serviceChange // what becomes of it
	node    *node          // n
	vslot   *vslot         // in the old state; an empty one where no task is in it
	none    vslot          // that empty one
	nothing slotRest       // that it has
	blank   dockerSlot     // and what the profile moby keeps of it

	whole *transaction // under the profile moby: the step that the pair is a part of
	slot  *slotStep    // what the step does to the vslot
}

// taskChange is a task that differs between the states. A task that a step
// deletes and recreates with another service or vslot is two: Id(t) differs.
type taskChange struct {
	id       string
	record   *task // in the old state; nil: look it up
	waits    held
	old, new taskValue
	span
}

// span is what the step's lines make of an object.
type span struct {
	was, is bool // exists in the old, in the new state
	remade  bool // the step's lines delete it and then create it
	line    int  // of its last event, an index into the step
}

// lasts says that the object may not vanish on the way.
func (s *span) lasts() bool { return s.was && s.is && !s.remade }

// atFirst is the task as it was or, where it is new, as it is.
func (c *taskChange) atFirst() *taskValue {
	if c.was {
		return &c.old
	}
	return &c.new
}

// states are the task's before and after; NoState, which is null, where it is not there.
func (c *taskChange) states() (from, to State) {
	if c.was {
		from = c.old.state
	}
	if c.is {
		to = c.new.state
	}
	return from, to
}

// past is what the history bears on of a task that was there.
func (c *taskChange) past() *past {
	if c.record == nil || c.record.extra == nil {
		return &past{}
	}
	return c.record.past
}

// serviceChange is a service that differs between the states.
type serviceChange struct {
	id       string
	record   *service // where it exists in the old state
	old, new serviceValue
	span

	created       bool // as service.created
	oldMode, mode mode // under the profile moby
}

// nodeChange is a node that exists in both states and differs.
type nodeChange struct {
	id       string
	old, new nodeValue
	line     int
}

func (p *pair) reset() {
	if p.count() == 0 {
		return
	}
	// Their strings point into lines that are gone soon.
	p.tasks, p.services, p.nodes = emptyList(p.tasks), emptyList(p.services), emptyList(p.nodes)
}

// count is how many objects differ.
func (p *pair) count() int { return len(p.tasks) + len(p.services) + len(p.nodes) }

func (p *pair) stutters() bool { return p.count() == 0 }

// remakes: the step's lines delete an object and then create it.
func (p *pair) remakes() bool {
	return slices.ContainsFunc(p.tasks, func(c taskChange) bool { return c.remade }) ||
		slices.ContainsFunc(p.services, func(c serviceChange) bool { return c.remade })
}

// unseen reports whether sid may have tasks that the stream has not shown. Then no count of
// them is too small for a step. What is owed follows from the shown ones.
func (p *pair) unseen() bool { return p.s.mayHide(p.sid) && p != &p.s.still }

// lookVSlot sets the witness vslot of the task in the old state.
func (p *pair) lookVSlot(v *taskValue) {
	if p.vslot = v.service.vslot(v.vslot()); p.vslot == nil {
		p.nothing.docker = &p.blank
		p.none = vslot{service: v.service, key: v.vslot(), slotRest: &p.nothing}
		p.vslot = &p.none
	}
}

// Binds: each sets the witnesses from what changed.

// bindCreated takes the first task that the step creates.
func bindCreated(p *pair) bool {
	c := p.first(func(c *taskChange) bool { return !c.was })
	if c == nil {
		return false
	}
	p.created, p.sid = c, c.new.service
	p.lookVSlot(&c.new)
	return true
}

// The first task whose state the step changes, whose desired state it does, or which
// it deletes.
var (
	bindState   = someTask(func(c *taskChange) bool { return c.was && c.is && c.old.state != c.new.state })
	bindDesired = someTask(func(c *taskChange) bool { return c.was && c.is && c.old.desired != c.new.desired })
	bindDeleted = someTask(func(c *taskChange) bool { return c.was && !c.is })
)

// bindRemoved is as bindDesired, of a task that is marked for removal.
func bindRemoved(p *pair) bool { return bindDesired(p) && p.t.new.desired == Remove }

func someTask(is func(*taskChange) bool) func(*pair) bool {
	return func(p *pair) bool {
		c := p.first(is)
		if c == nil {
			return false
		}
		p.setTask(c)
		return true
	}
}

func (p *pair) first(is func(*taskChange) bool) *taskChange {
	for i := range p.tasks {
		if c := &p.tasks[i]; is(c) {
			return c
		}
	}
	return nil
}

func (p *pair) setTask(c *taskChange) {
	p.t, p.sid, p.node = c, c.old.service, c.old.node
	if c.record != nil {
		p.vslot = c.record.in
		return
	}
	p.lookVSlot(&c.old)
}

func bindService(was, is bool) func(*pair) bool {
	return func(p *pair) bool { return p.findService(was, is) }
}

// findService takes the first service that the step changes in the given way.
func (p *pair) findService(was, is bool) bool {
	for i := range p.services {
		if c := &p.services[i]; c.was == was && c.is == is {
			p.spec, p.sid = c, p.s.services.Get(c.id)
			return true
		}
	}
	return false
}

// bindNode takes the first node that goes up or down.
func bindNode(up bool) func(*pair) bool {
	return func(p *pair) bool {
		for i := range p.nodes {
			if c := &p.nodes[i]; c.new.up == up {
				p.node = p.s.nodes.Get(c.id)
				return true
			}
		}
		return false
	}
}

// Effects.

// updates is UpdateTasks(t :> want): t becomes want and no other task changes.
func (p *pair) updates(c *taskChange, want taskValue) bool {
	return len(p.tasks) == 1 && c.is && c.new == want && c.new.sharesVSlot(&c.old)
}

// creates is tasks' = tasks \union { want }.
func (p *pair) creates(want taskValue) bool {
	return len(p.tasks) == 1 && !p.created.was && p.made(want)
}

// made says that the new task is as wanted, but for what no rule is about.
func (p *pair) made(want taskValue) bool {
	want.docker = p.created.new.docker
	return p.created.new == want
}

// all says that every task that changes exists in both states and satisfies f.
func (p *pair) all(f func(*taskChange) bool) bool {
	for i := range p.tasks {
		if c := &p.tasks[i]; !c.was || !c.is || !f(c) {
			return false
		}
	}
	return true
}
