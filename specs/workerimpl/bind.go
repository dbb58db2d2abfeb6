package workerimpl

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// binder makes the pair of a step. It makes records of services and nodes that
// the step names, lets nodes appear, and changes nothing else of the state.
type binder struct {
	pair
	conts       []containerChange // those of each worker next to each other
	environment []nodeChange      // nodes that appear or disappear
	idleTasks   []taskChange      // that do not differ, but may go and come on the way of a batched step
	idleConts   []containerChange
	index       map[objectKey]int // of the changes, in steps of many events
	faults      validators.Faults
	hired       []hiring // nodes that are a worker from this step on
	touched     []*node  // workers on which the step changes a task or container
	ofNone      bool     // the step changes a container whose node is outside its type
	number      int      // of the step
	taken       bool     // under --attach: the step shows an object for the first time, and is taken as it is
}

type objectKey struct {
	kind trace.Kind
	id   string
}

// few is how many events of a step are searched one by one.
const few = 8

func (b *binder) reset() {
	clear(b.tasks) // their strings point into lines that die
	clear(b.nodes)
	clear(b.conts)
	clear(b.environment)
	clear(b.idleTasks)
	clear(b.idleConts)
	b.tasks, b.nodes, b.conts, b.environment = b.tasks[:0], b.nodes[:0], b.conts[:0], b.environment[:0]
	b.idleTasks, b.idleConts, b.containers = b.idleTasks[:0], b.idleConts[:0], nil
	b.faults, b.hired, b.taken = b.faults[:0], b.hired[:0], false
	b.number++
	clear(b.index)
}

func (m *machine) bind(step *trace.Step) {
	b := &m.binder
	b.reset()
	many := len(step.Events) > few
	if many && b.index == nil {
		b.index = map[objectKey]int{}
	}
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Op == trace.OpReject {
			continue // records that nothing happened
		}
		switch ev.Kind {
		case kindTask:
			m.bindTask(ev, i, many)
		case kindContainer:
			m.bindContainer(ev, i, many)
		case kindNode:
			m.bindNode(ev, i, many)
		}
	}
	b.drop()
	b.group()
}

// opened says what an event does to the span of its object, and whether the
// object has values from now on that the event's fields are to be merged into.
func (m *machine) opened(c *span, ev *trace.Event, i int) (had, anew, goes bool) {
	b := &m.binder
	c.line = i
	had = c.is
	switch {
	case m.attach && !c.was && !had && ev.Op != trace.OpDelete: // first sight
		b.taken = true
		anew = true
	case m.attach && !had && ev.Op == trace.OpDelete: // and the last
		b.taken = true
		return had, false, false
	case ev.Op == trace.OpCreate:
		if had {
			b.expect(false, ev, i, fmt.Sprintf("create of a %s that exists", ev.Kind))
		}
		c.remade = c.was && !had
		anew = true
	case !had:
		b.expect(false, ev, i, fmt.Sprintf("%s of a %s %s", ev.Op, ev.Kind, validators.NoSuchObject))
		if ev.Op == trace.OpDelete {
			return had, false, false
		}
		anew = true
	case ev.Op == trace.OpDelete:
		c.is, c.stands, c.remade = false, false, false
		return had, false, false
	}
	c.is = true
	return had, anew, true
}

func (m *machine) bindTask(ev *trace.Event, i int, many bool) {
	b := &m.binder
	c, isNew := changeOf(b, &b.tasks, ev, many)
	if u := m.s.units.Get(ev.ID); isNew && u != nil && u.hasTask {
		c.begin(u.task)
	}
	before := c.new
	had, goes := taskTable.bind(m, c, ev, i)
	if !goes {
		return
	}
	if had && ev.Op == trace.OpUpdate {
		sameService := before.service == c.new.service || before.Unseen&ofService != 0
		b.expect(sameService, ev, i, "an update may not change a task's service")
		sameSlot := before.slot == c.new.slot && (before.slot != globalSlot || before.node == c.new.node) ||
			before.Unseen&(ofSlot|ofNode) != 0
		b.expect(sameSlot, ev, i, "an update may not change a task's slot (of a global task, its node)")
	}
	m.takeUnseen(before.Unseen|c.new.Unseen, c.new.node)
}

func (m *machine) bindContainer(ev *trace.Event, i int, many bool) {
	b := &m.binder
	c, isNew := changeOf(b, &b.conts, ev, many)
	if u := m.s.units.Get(ev.ID); isNew && u != nil && u.hasCont {
		c.begin(u.cont)
	}
	before := c.new
	had, goes := containerTable.bind(m, c, ev, i)
	if !goes {
		return
	}
	if had && ev.Op == trace.OpUpdate && before.node != nil && c.new.node != nil {
		b.expect(before.node == c.new.node, ev, i, "an update may not move a container to another node: each worker has its own")
	}
	if n := c.new.node; n != nil && m.s.hire(n) {
		b.hired = append(b.hired, hiring{n, i})
	}
	m.takeUnseen(before.Unseen|c.new.Unseen, c.new.node)
}

// takeUnseen takes a step as it is, under --attach, that is about what the stream
// has not shown.
func (m *machine) takeUnseen(unseen model.Columns, n *node) {
	if m.attach && (unseen != 0 || n != nil && !n.shown) {
		m.taken = true
	}
}

func (m *machine) bindNode(ev *trace.Event, i int, many bool) {
	b := &m.binder
	n := m.s.nodes[ev.ID]
	if m.inInit && ev.Op == trace.OpUpdate && (n == nil || !n.shown) {
		// Init has every node up; this one shows itself only now.
		m.s.putNode(ev.ID, nodeValue{up: true})
		n = m.s.nodes[ev.ID]
		m.followNode(n)
	}
	c, isNew := changeOf(b, &b.nodes, ev, many)
	if isNew && n != nil && n.exists {
		c.begin(n.nodeValue)
	}
	nodeTable.bind(m, c, ev, i)
}

// bind adds the line to the change. goes says that the object has values then.
func (t *table[V]) bind(m *machine, c *change[V], ev *trace.Event, i int) (had, goes bool) {
	had, anew, goes := m.opened(&c.span, ev, i)
	if !goes {
		return had, false
	}
	now := t.marks(&c.new)
	switch {
	case !anew:
	case t.hidden != 0 && (ev.Op == trace.OpUpdate || m.attach && !c.was): // an update in vain, too
		c.new = t.blank(m.s)
		now.Unseen = t.hidden
	case ev.Op != trace.OpUpdate:
		c.new = t.blank(m.s)
		now.Bad = t.Whole
	}
	was := now.Bad
	t.Merge(m.s, &c.new, now, new(model.Columns), ev.Fields)
	if now.Bad&^was != 0 || ev.Op == trace.OpCreate && now.Bad != 0 {
		m.faults.Add(validators.OfType, i, t.FirstWrong(m.s, ev, now.Bad))
	}
	return had, true
}

// changeOf is the change of the event's object, and whether it is new to the step.
func changeOf[V comparable](b *binder, list *[]change[V], ev *trace.Event, many bool) (c *change[V], isNew bool) {
	if key := (objectKey{ev.Kind, ev.ID}); many {
		if at, known := b.index[key]; known {
			return &(*list)[at], false
		}
		b.index[key] = len(*list)
	}
	for i := 0; !many && i < len(*list); i++ {
		if c := &(*list)[i]; c.id == ev.ID {
			return c, false
		}
	}
	*list = append(*list, change[V]{id: ev.ID, span: span{stands: true}})
	return &(*list)[len(*list)-1], true
}

// begin makes the change one of an object that there is.
func (c *change[V]) begin(v V) { c.old, c.new, c.was, c.is = v, v, true, true }

func (b *binder) expect(holds bool, ev *trace.Event, line int, text string) {
	if !holds {
		b.faults.Add(validators.OfTransition, line, fmt.Sprintf("%s %s: %s", ev.Kind, ev.ID, text))
	}
}
