package swarmkit

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
)

// binder makes the pair of a step. It makes records of services and nodes that
// the step names, and changes nothing else of the state.
type binder struct {
	pair
	index  map[objectKey]int // of the changes, in steps of many events
	faults validators.Faults
	gone   []*node // that the step's tasks say were there
	taken  bool    // under --attach: the step shows an object for the first time, and is taken as it is
}

func (b *binder) begin(s *state) {
	b.reset()
	b.s = s // the workspace is not the machine's alone
	b.faults, b.gone, b.taken = b.faults[:0], b.gone[:0], false
}

type objectKey struct {
	kind trace.Kind
	id   string
}

func keyOf(ev *trace.Event) objectKey { return objectKey{ev.Kind, ev.ID} }

// few is how many events of a step are searched one by one.
const few = 8

func (m *machine) bind(step *trace.Step) {
	b := &m.binder
	b.begin(m.s)
	switch {
	case len(step.Events) <= few:
	case b.index == nil || len(b.index) > max(maxChanges, 4*len(step.Events)): // to clear a large one would cost more
		b.index = make(map[objectKey]int, len(step.Events))
	default:
		clear(b.index)
	}
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Op == trace.OpReject {
			continue // records that nothing happened
		}
		switch ev.Kind {
		case kindTask:
			m.bindTask(ev, i, len(step.Events) > few)
		case kindService:
			m.bindService(ev, i, len(step.Events) > few)
		case kindNode:
			m.bindNode(ev, i, len(step.Events) > few)
		}
	}
	b.drop()
	if b.taken {
		m.expectPossible(step)
	}
}

// opening says what of its object an event gives.
type opening uint8

const (
	nothing opening = iota
	more            // of what is known already
	partial         // of what is not
	whole
)

// bind overlays the event on the object's new value, and says whether it has one.
func (t *table[V]) bind(m *machine, c *span, v *V, unseen columns, ev *trace.Event, i int) bool {
	opens := m.opens(c, ev, i, unseen)
	switch opens {
	case nothing:
		return false
	case whole, partial:
		t.begin(m.s, v, opens == whole)
	}
	bad := t.merge(m.s, v, ev.Fields)
	if ev.Op == trace.OpCreate {
		bad = t.marks(v).bad // what it leaves out, too
	}
	if bad != 0 {
		m.faults.Add(validators.OfType, i, t.wrong(m.s, ev, bad))
	}
	return true
}

// opens is what the event makes of the span of its object, of which so much was unseen
// before the step.
func (m *machine) opens(c *span, ev *trace.Event, i int, unseen columns) opening {
	b := &m.binder
	had, gone := c.is, ev.Op == trace.OpDelete
	c.line = i
	switch {
	case m.s.attach && !had && (gone || !c.was): // first sight
		if b.taken = true; ev.Op == trace.OpCreate {
			c.is = true
			return whole
		}
	case ev.Op == trace.OpCreate:
		if had {
			b.refuse(ev, i, fmt.Sprintf("create of a %s that exists", ev.Kind))
		}
		c.remade = c.was && !had
		c.is = true
		return whole
	case !had:
		b.refuse(ev, i, fmt.Sprintf("%s of a %s %s", ev.Op, ev.Kind, validators.NoSuchObject))
	case gone:
		b.taken = b.taken || m.s.attach && unseen != 0
		c.is = false
	default:
		return more
	}
	if gone {
		return nothing
	}
	c.is = true
	return partial
}

func (m *machine) bindTask(ev *trace.Event, i int, many bool) {
	b := &m.binder
	t := m.s.tasks.Of(ev)
	at, ok := b.findTask(ev, t, many)
	if !ok {
		b.tasks = slices.Grow(b.tasks, 1)[:at+1]
		c := &b.tasks[at]
		*c = taskChange{id: ev.ID}
		if t != nil {
			c.record, c.waits, c.was, c.is = t, t.held(), true, true
			t.copyTo(&c.old)
			t.copyTo(&c.new)
		}
	}
	c := &b.tasks[at]
	before, had := c.new, c.is
	if !taskTable.bind(m, &c.span, &c.new, c.old.unseen, ev, i) {
		if had && (m.batched || m.s.moby) && m.restsOnUnseen(&before) { // else the task alone decides
			b.taken = true
		}
		return
	}
	if ev.Op == trace.OpCreate {
		m.observeGoneNode(&c.new, ev)
	}
	if had && before.service == c.new.service { // the line repeats the service, whose spec may be another by now
		c.new.docker = c.new.docker.withRestarts(before.docker.restarts())
	}
	m.observeIteration(c)
	if had && ev.Op == trace.OpUpdate {
		if before.service != c.new.service && before.unseen&ofService == 0 {
			b.refuse(ev, i, "an update may not change a task's service")
		}
		if !before.sharesVSlot(&c.new) && before.unseen&(ofSlot|ofNode) == 0 {
			b.refuse(ev, i, "an update may not change a task's slot (of a global task, its node)")
		}
	}
	if m.s.attach && before.unseen != 0 || m.restsOnUnseen(&c.new) {
		b.taken = true
	}
}

// restsOnUnseen says, under --attach, that a field of the task, its service or its node was
// not shown.
func (m *machine) restsOnUnseen(v *taskValue) bool {
	return m.s.attach && (v.unseen != 0 || !v.service.exists && !v.service.gone || v.node != nil && !v.node.shown)
}

func (m *machine) bindService(ev *trace.Event, i int, many bool) {
	b := &m.binder
	at, ok := b.find(ev, many, len(b.services), func(i int) string { return b.services[i].id })
	if !ok {
		c := serviceChange{id: ev.ID}
		if sv := m.s.services.Of(ev); sv != nil && sv.exists {
			c.record, c.old, c.new, c.was, c.is, c.created = sv, sv.serviceValue, sv.serviceValue, true, true, sv.created
			if m.s.moby {
				c.oldMode, c.mode = sv.docker.mode, sv.docker.mode
			}
		}
		b.services = append(b.services, c)
	}
	c := &b.services[at]
	switch sv := m.s.services.Of(ev); {
	case ev.Op == trace.OpDelete:
		c.created = false
	case ev.Op == trace.OpCreate && !c.is:
		c.created = sv == nil || sv.tasks == 0
	}
	before := c.new.unseen
	if !serviceTable.bind(m, &c.span, &c.new, c.old.unseen, ev, i) {
		return
	}
	if mode := ev.Fields.Get(fieldMode); m.s.moby && mode.Type == trace.String {
		c.mode = parseMode(mode.Str)
	}
	if m.s.attach && before|c.new.unseen != 0 {
		b.taken = true
	}
}

// bindNode: a node that appears or disappears is the environment's doing, which
// takes effect before the step and is no part of its pair.
func (m *machine) bindNode(ev *trace.Event, i int, many bool) {
	b := &m.binder
	n := m.s.nodes.Of(ev)
	if m.inInit && !m.s.attach && ev.Op == trace.OpUpdate && (n == nil || !n.shown) {
		// Init has every node up; this one shows itself only now.
		m.s.putNode(ev.ID, nodeValue{up: true})
		n = m.s.nodes.Of(ev)
		m.followNodes(n)
	}
	exists := n != nil && n.exists
	switch {
	case m.s.attach && !exists:
		b.taken = true
		if ev.Op == trace.OpDelete || ev.Op == trace.OpUpdate && ev.Fields.Get(fieldState).Type == trace.Absent {
			return // a label tells nothing of the state
		}
	case ev.Op == trace.OpCreate && exists:
		b.refuse(ev, i, "create of a node that exists")
	case ev.Op != trace.OpCreate && !exists:
		b.refuse(ev, i, fmt.Sprintf("%s of a node %s", ev.Op, validators.NoSuchObject))
		if ev.Op == trace.OpDelete {
			return
		}
	}
	at, ok := b.find(ev, many, len(b.nodes), func(i int) string { return b.nodes[i].id })
	if !ok {
		c := nodeChange{id: ev.ID}
		if exists {
			c.old = n.nodeValue
			c.new = c.old
		}
		b.nodes = append(b.nodes, c)
	}
	c := &b.nodes[at]
	c.line = i
	if ev.Op == trace.OpDelete {
		m.s.setNode(n, false, nodeValue{}) // it stays in Node: tasks may still name it
		m.nodeLeaves(n, i)
		m.followNodes(n)
		c.old, c.new = nodeValue{}, nodeValue{}
		return
	}
	if ev.Op == trace.OpCreate || !exists {
		nodeTable.begin(m.s, &c.new, true)
	}
	nodeTable.merge(m.s, &c.new, ev.Fields)
	if c.new.bad != 0 && (ev.Op == trace.OpCreate || ev.Fields.Get(fieldState).Type != trace.Absent) {
		b.faults.Add(validators.OfType, i, nodeTable.wrong(m.s, ev, c.new.bad))
	}
	if !exists {
		m.s.putNode(ev.ID, c.new)
		n = m.s.nodes.Of(ev)
		m.nodeComes(n, i)
		m.followNodes(n)
		c.old = c.new
	}
	m.observeNode(n, ev)
}

// find returns where the change of the event's object is, or would be.
func (b *binder) find(ev *trace.Event, many bool, n int, id func(int) string) (int, bool) {
	switch {
	case !many && n == 0:
		return 0, false
	case !many:
		return placeOf(false, nil, ev.ID, n, id)
	}
	return placeOf(true, b.index, keyOf(ev), n, nil)
}

// findTask is find for a task. Under the profile moby, its past has the place.
func (b *binder) findTask(ev *trace.Event, t *task, many bool) (int, bool) {
	n := len(b.tasks)
	if !many || t == nil || t.extra == nil || t.past == nil {
		return b.find(ev, many, n, func(i int) string { return b.tasks[i].id })
	}
	if at := int(t.past.place); at < n && b.tasks[at].record == t {
		return at, true
	}
	t.past.place = uint32(n)
	return n, false
}

func (b *binder) refuse(ev *trace.Event, line int, text string) {
	b.faults.Add(validators.OfTransition, line, fmt.Sprintf("%s %s: %s", ev.Kind, ev.ID, text))
}

// drop leaves only what differs between the two states, and makes two changes
// of a task that is recreated as another.
func (b *binder) drop() {
	kept := 0
	var recreated []taskChange
	for i := range b.tasks {
		c := &b.tasks[i]
		if c.was == c.is && (!c.was || c.old == c.new) {
			continue
		}
		if c.remade && c.was && c.is && (c.old.service != c.new.service || !c.old.sharesVSlot(&c.new)) {
			recreated = append(recreated, taskChange{id: c.id, new: c.new, span: span{is: true, line: c.line}})
			c.is, c.remade = false, false
		}
		if kept != i {
			b.tasks[kept] = *c
		}
		kept++
	}
	if b.tasks = b.tasks[:kept]; recreated != nil {
		b.tasks = append(b.tasks, recreated...)
	}
	if len(b.services) > 0 {
		b.services = slices.DeleteFunc(b.services, func(c serviceChange) bool {
			return c.was == c.is && (!c.was || c.old == c.new && c.mode == c.oldMode)
		})
	}
	if len(b.nodes) > 0 {
		b.nodes = slices.DeleteFunc(b.nodes, func(c nodeChange) bool { return c.old == c.new })
	}
}
