package swarmkit

import "tracecheck/trace"

// How the history that the allowances read is kept: what the step's lines tell,
// and what it does.

// beginTransaction comes before the step is bound.
func (m *machine) beginTransaction(step *trace.Step) {
	if !m.s.moby {
		return
	}
	m.chronicle.begin(step)
	m.whole.step = step
	m.chronicle.forget(m.s)
	m.whole.reset()
	m.whole.came, m.whole.left = m.whole.came[:0], m.whole.left[:0]
}

func (m *machine) nodeComes(n *node, line int) {
	if m.s.moby {
		*n.docker = dockerNode{away: m.chronicle.now, lost: m.chronicle.now, runnable: n.docker.runnable}
		m.whole.came = append(m.whole.came, nodeMove{n, line})
	}
}

func (m *machine) nodeLeaves(n *node, line int) {
	if m.s.moby {
		n.docker.away = m.chronicle.now
		m.whole.left = append(m.whole.left, nodeMove{n, line})
	}
}

// tellNode takes what a line tells of a node.
func (m *machine) tellNode(n *node, ev *trace.Event) {
	if !m.s.moby {
		return
	}
	before, wasLost := n.docker.status, n.lost()
	n.docker.merge(ev)
	if wasLost || n.lost() {
		n.docker.lost = m.chronicle.now
	}
	if ev.Op != trace.OpSnapshot {
		n.docker.changed = m.chronicle.now
	}
	if n.docker.status == otherStatus && before != otherStatus {
		m.uses.Add(nodeUnknown, 1)
		if ev.Op == trace.OpUpdate && ev.Fields.Get(fieldStatus).Str == "unknown" {
			m.chronicle.leader, m.chronicle.leaderAt = m.chronicle.now, ev.Pos
		}
	}
}

// tellService takes what a line tells of a service that stands, or is to.
func (m *machine) tellService(sv *service, ev *trace.Event) {
	if !m.s.moby {
		return
	}
	before := sv.docker
	sv.docker.merge(ev, ev.Op != trace.OpUpdate)
	if sv.docker.updating != before.updating {
		sv.vacated, sv.docker.turned = nil, m.chronicle.now
	}
	if limit := sv.docker.limit(m.s.maxTerminated); limit >= 0 && limit < before.limit(m.s.maxTerminated) {
		sv.limited = m.chronicle.now.step
	}
	if sv.docker.iteration != before.iteration {
		sv.docker.iterated = m.chronicle.now
	}
	if sv.docker != before {
		m.s.recount(sv)
	}
}

// tellTask takes a task that a snapshot shows.
func (m *machine) tellTask(t *task, ev *trace.Event) {
	if !m.s.moby {
		return
	}
	t.past.spec = specVersionOf(ev.Fields.Get(fieldSpecVersion))
	if ev.Time != "" {
		m.chronicle.shown = max(m.chronicle.shown, ev.Nanos)
	}
	t.past.seen = t.past.seen || !t.isWanted() && t.state.Prec(Assigned)
	t.past.may = !t.isWanted() && t.state.Owned()
}

// tellIteration takes what is told late of a task's run of its job: it changes
// nothing that a rule is about.
func (m *machine) tellIteration(c *taskChange) {
	if !m.s.moby || c.record == nil || c.new.docker.iteration() == c.old.docker.iteration() {
		return
	}
	now := c.new.docker.iteration()
	c.old.docker = c.old.docker.withIteration(now)
	told := c.record.taskValue
	told.docker = told.docker.withIteration(now)
	m.s.setTask(c.record, told)
}

// tellGoneNode takes a new task of a global service as a sign that its node was there: an
// update that began before the snapshots comes to nodes that were removed before them.
func (m *machine) tellGoneNode(t *taskValue) {
	if n := t.node; m.s.moby && n != nil && !n.shown && t.slot == globalSlot && t.service.docker.updatesSinceBefore() {
		n.shown = true
		m.gone = append(m.gone, n)
		m.uses.Add(nodeGone, 1)
	}
}

// goneObjects: what a task of the snapshots names as its service, and they do not
// show, was a service. What one that has ended names as its node was a node:
// removing a node orphans its other tasks, and keeps all of them as history. A global
// service's task may be made for a node that has just been removed: none places it.
func (m *machine) goneObjects() {
	if !m.s.moby {
		return
	}
	for _, t := range m.shown().tasks {
		if n := t.node; n != nil && !n.shown && (!t.state.Runnable() || t.state.Prec(Assigned) && t.slot == globalSlot) {
			n.shown = true
			m.uses.Add(nodeGone, 1)
		}
		sv := t.service
		if told := t.taskValue; told.docker.restarts() != sv.alwaysRestarts(t.past.spec) { // its line came before the service's
			told.docker = told.docker.withRestarts(!told.docker.restarts())
			m.s.setTask(t, told)
		}
		if sv.exists || sv == m.s.none || sv.isAttachment() {
			continue
		}
		m.uses.Add(taskOutlivesService, 1)
		if !sv.gone {
			sv.gone = true
			m.s.serviceless += sv.tasks
		}
	}
}

// remember notes what the step supersedes, before it is committed.
func (m *machine) remember(step *trace.Step) {
	if !m.s.moby {
		return
	}
	now := m.chronicle.now
	m.chronicle.keep(step.Events[0].Tx, m.tasks)
	for i := range m.services {
		if c := &m.services[i]; c.was && c.record != nil {
			m.chronicle.supersede(c.record, c.old, c.record.docker, true)
			if !c.is {
				m.uses.Add(taskOutlivesService, int(c.record.tasks))
				c.record.trails.asked = m.here()
			}
		}
	}
	for i := range m.nodes {
		if c := &m.nodes[i]; !c.old.up || !c.new.up {
			m.s.nodes.Get(c.id).docker.away = now
		}
	}
	for i := range m.tasks {
		if c := &m.tasks[i]; c.was && !c.is {
			if c.record != nil {
				m.s.records.Keep(c.record.in)
			}
			past := c.past()
			past.deleted, past.deletedIn, past.replaced = true, m.s.records.Writing(), nil
		}
	}
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Kind != kindService || ev.Op != trace.OpCreate && ev.Op != trace.OpUpdate {
			continue
		}
		sv := m.s.service(ev.ID)
		before := sv.docker
		m.ask(sv, ev)
		m.tellService(sv, ev)
		if sv.docker.owesOther(&before) {
			m.whole.retold = append(m.whole.retold, sv)
		}
		if sv.exists && sv.docker != before && !m.chronicle.hasJustChanged(sv) {
			m.chronicle.supersede(sv, sv.serviceValue, before, true)
		}
	}
}

// hasJustChanged says that what the service was before this step is noted.
func (c *chronicle) hasJustChanged(sv *service) bool {
	n := len(sv.recent)
	return n > 0 && sv.recent[n-1].until == c.now
}

// recall notes what the step has made, after it is committed.
func (m *machine) recall() {
	if !m.s.moby {
		return
	}
	for i := range m.tasks {
		c := &m.tasks[i]
		if c.was && !c.is {
			c.old.service.vacate(c.old.vslot())
			if c.old.service.vslot(c.old.vslot()) == nil {
				c.old.service.trails.emptied = m.here()
				c.old.service.forgotSlot = c.old.service.forgotSlot || c.old.desired != Remove
			}
		}
		if c.was && c.old.isWanted() && (!c.is || !c.new.isWanted()) {
			if vs := c.old.service.vslot(c.old.vslot()); vs != nil {
				vs.docker.ceased = m.chronicle.now
			}
			c.past().ceased = uint32(m.chronicle.now.step)
		}
		if c.is {
			m.recallTask(c)
		}
		if c.was != c.is {
			m.soil(c)
		}
	}
	m.handle()
	for i := range m.whole.changes {
		if c := &m.whole.changes[i]; c.writes == creates {
			past := m.s.tasks.Get(c.id).past
			past.born, past.replaced, past.spec = m.chronicle.now, m.whole.slots[c.slot].replaced, m.whole.specOf(c.taskChange)
		}
	}
	for _, n := range m.whole.left {
		m.uses.Add(nodeGone, int(n.named))
	}
}

// soil comes after a task of a vslot was created or deleted.
func (m *machine) soil(c *taskChange) {
	v := &c.new
	if !c.is {
		v = &c.old
	}
	if vs := v.service.vslot(v.vslot()); vs != nil && (c.is || vs.docker.dirty) {
		m.s.soil(vs, m.s.holdsTooMany(vs))
	}
}

func (m *machine) recallTask(c *taskChange) {
	t := c.record
	if t == nil {
		t = m.s.tasks.Get(c.id)
	}
	if !t.isWanted() && t.state.Prec(Assigned) {
		t.past.seen = true
	}
	if t.desired != Ready {
		t.past.replaced = nil
	}
	if c.was && c.old.state.Runnable() && !t.state.Runnable() {
		t.past.ended = uint32(m.chronicle.now.step)
	}
	if c.was && c.old.desired == t.desired {
		t.past.written = uint32(m.chronicle.now.step)
	}
	for _, r := range [...]struct {
		is   bool
		name string
	}{
		{t.desired == Complete && (!c.was || c.old.desired != Complete), desiredComplete},
		{!c.was && !t.service.exists, taskOutlivesService},
		{t.state == Shutdown && t.node == nil && (!c.was || c.old.state != Shutdown), shutdownUnassigned},
	} {
		if r.is {
			m.uses.Add(r.name, 1)
		}
	}
}

// vacate comes after a task of the slot was deleted.
func (sv *service) vacate(key vslotKey) {
	if vs := sv.vslot(key); !sv.exists || !sv.docker.updating || vs != nil && vs.count > 0 {
		return
	}
	if sv.vacated == nil {
		sv.vacated = map[vacancy]bool{}
	}
	sv.vacated[key.vacancy()] = true
}

// vacancy is a vslot that has no task: a global service's by its node's id, as
// the node may be gone, too.
type vacancy struct {
	slot int64
	node string
}

func (k vslotKey) vacancy() vacancy {
	if k.node == nil {
		return vacancy{slot: k.slot}
	}
	return vacancy{k.slot, k.node.id}
}
