package workerimpl

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// binder makes the pair of a step. It makes records of what
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
	many        bool     // events of the step: there is an index
	taken       bool     // under --attach: the step shows an object for the first time, and is taken as it is
}

type objectKey struct {
	kind trace.Kind
	id   string
}

// eachNode calls do for the nodes that the step changes.
func (b *binder) eachNode(do func(*nodeChange)) {
	each(do, b.nodes)
	each(do, b.environment)
}

// few is how many events of a step are searched one by one.
const few = 8

func (b *binder) reset() {
	reset(&b.tasks, &b.idleTasks)
	reset(&b.conts, &b.idleConts)
	reset(&b.nodes, &b.environment)
	b.containers, b.faults, b.hired, b.taken = nil, b.faults[:0], b.hired[:0], false
	b.number++
	clear(b.index)
}

// reset empties the lists: their strings point into lines that die.
func reset[V comparable](list, idle *[]change[V]) {
	clear(*list)
	clear(*idle)
	*list, *idle = (*list)[:0], (*idle)[:0]
}

func (m *machine) bind(step *trace.Step) {
	b := &m.binder
	b.reset()
	if b.many = len(step.Events) > few; b.many && b.index == nil {
		b.index = map[objectKey]int{}
	}
	for i := range step.Events {
		ev := &step.Events[i]
		switch {
		case ev.Op == trace.OpReject: // records that nothing happened
		case ev.Kind == kindTask:
			m.bindTask(ev, i)
		case ev.Kind == kindContainer:
			m.bindContainer(ev, i)
		case ev.Kind == kindNode:
			m.bindNode(ev, i)
		}
	}
	b.drop()
	b.group()
}

func (m *machine) bindTask(ev *trace.Event, i int) {
	c, before, updates := taskTable.bind(m, &m.tasks, ev, i)
	if updates {
		sameService := before.service == c.new.service || before.Unseen&ofService != 0
		m.expect(sameService, ev, i, "an update may not change a task's service")
		sameSlot := before.slot == c.new.slot && (before.slot != globalSlot || before.node == c.new.node) ||
			before.Unseen&(ofSlot|ofNode) != 0
		m.expect(sameSlot, ev, i, "an update may not change a task's slot (of a global task, its node)")
	}
}

func (m *machine) bindContainer(ev *trace.Event, i int) {
	c, before, updates := containerTable.bind(m, &m.conts, ev, i)
	if updates && before.node != nil && c.new.node != nil {
		m.expect(before.node == c.new.node, ev, i, "an update may not move a container to another node: each worker has its own")
	}
	if n := c.new.node; c.is && n != nil && m.s.hire(n, true) {
		m.hired = append(m.hired, hiring{n, i})
	}
}

func (m *machine) bindNode(ev *trace.Event, i int) {
	n := m.s.nodes.Of(ev)
	if m.inInit && ev.Op == trace.OpUpdate && (n == nil || !n.shown) {
		// Init has every node up; this one shows itself only now.
		m.s.setNode(ev.ID, &nodeValue{up: true})
		m.followNode(m.s.nodes.Of(ev))
	}
	nodeTable.bind(m, &m.nodes, ev, i)
}

// bind adds the line to the change of its object, whose value before it returns.
// updates says that the line changes fields of an object that there is.
func (t *table[V]) bind(m *machine, list *[]change[V], ev *trace.Event, i int) (c *change[V], before V, updates bool) {
	c = t.changeOf(m, list, ev)
	c.line, before = i, c.new
	had, sighted := c.is, m.s.attach && !c.was && !c.is // under --attach: the first sight of it,
	m.taken = m.taken || sighted
	switch {
	case sighted && (ev.Op == trace.OpDelete || t.Hidden == 0 && !t.Shows(ev)): // and the last, or it shows nothing
		return c, before, false
	case sighted:
	case ev.Op == trace.OpCreate:
		if c.remade = c.was && !had; had {
			m.expect(false, ev, i, fmt.Sprintf("create of a %s that exists", ev.Kind))
		}
	case !had:
		m.expect(false, ev, i, fmt.Sprintf("%s of a %s %s", ev.Op, ev.Kind, validators.NoSuchObject))
		if ev.Op == trace.OpDelete {
			return c, before, false
		}
	case ev.Op == trace.OpDelete:
		c.is, c.kept, c.remade = false, false, false
		return c, before, false
	}
	c.is = true
	now := t.marks(&c.new)
	unseen := now.Unseen
	switch {
	case had && ev.Op != trace.OpCreate:
	case t.Hidden != 0 && ev.Op == trace.OpUpdate: // an update without effect, too
		c.new = t.blank(m.s)
		now.Unseen = t.Hidden
	case ev.Op != trace.OpUpdate:
		c.new = t.blank(m.s)
		now.Bad = t.Whole
	}
	was := now.Bad
	t.Merge(m.s, &c.new, now, new(model.Columns), ev.Fields)
	if now.Bad&^was != 0 || ev.Op == trace.OpCreate && now.Bad != 0 {
		m.faults.Add(validators.OfType, i, t.FirstWrong(m.s, ev, now.Bad))
	}
	// Under --attach, what is about what the stream has not shown is taken as it is.
	n := t.place(&c.new)
	m.taken = m.taken || m.s.attach && (unseen|now.Unseen != 0 || n != nil && !n.shown)
	return c, before, had && ev.Op == trace.OpUpdate
}

// changeOf is the change of the line's object.
func (t *table[V]) changeOf(m *machine, list *[]change[V], ev *trace.Event) *change[V] {
	if key := (objectKey{ev.Kind, ev.ID}); m.many {
		if at, known := m.index[key]; known {
			return &(*list)[at]
		}
		m.index[key] = len(*list)
	}
	for i := 0; !m.many && i < len(*list); i++ {
		if c := &(*list)[i]; c.id == ev.ID {
			return c
		}
	}
	n := len(*list)
	*list = slices.Grow(*list, 1)[:n+1]
	c := &(*list)[n]
	*c = change[V]{}
	c.id, c.kept, c.unit = ev.ID, true, t.unit(m.s, ev)
	if v := t.get(m.s, ev.ID, c.unit); v != nil {
		c.old, c.new, c.was, c.is = *v, *v, true, true
	}
	return c
}

func (b *binder) expect(holds bool, ev *trace.Event, line int, text string) {
	if !holds {
		b.faults.Add(validators.OfTransition, line, fmt.Sprintf("%s %s: %s", ev.Kind, ev.ID, text))
	}
}
