package swarmkit

import (
	"slices"

	"tracecheck/trace"
)

// How the history that the allowances read is kept: by the fields of the step's
// lines, and by what the step does.

// beginTransaction comes before the step is bound.
func (m *machine) beginTransaction(step *trace.Step) {
	if !m.s.moby {
		return
	}
	m.history.begin(step)
	m.whole.step = step
	m.history.forget(m.s)
	m.whole.reset()
}

func (m *machine) nodeComes(n *node, line int) {
	if m.s.moby {
		*n.docker = dockerNode{away: m.history.now, lost: m.history.now, runnable: n.docker.runnable}
		m.whole.came = append(m.whole.came, nodeMove{n, line})
	}
}

func (m *machine) nodeLeaves(n *node, line int) {
	if m.s.moby {
		n.docker.away = m.history.now
		m.whole.left = append(m.whole.left, nodeMove{n, line})
	}
}

// observeNode takes the fields of a node's line.
func (m *machine) observeNode(n *node, ev *trace.Event) {
	if !m.s.moby {
		return
	}
	before, wasLost := n.docker.status, n.lost()
	n.docker.merge(ev)
	if wasLost || n.lost() {
		n.docker.lost = m.history.now
	}
	if ev.Op != trace.OpSnapshot {
		n.docker.changed = m.history.now
	}
	if n.docker.status == otherStatus && before != otherStatus {
		m.uses.Add(nodeUnknown, 1)
		if ev.Op == trace.OpUpdate && ev.Fields.Get(fieldStatus).Str == "unknown" {
			m.history.leader.marked, m.history.leader.line = m.history.now, ev.Pos
		}
	}
}

// observeService takes the fields of a service's line.
func (m *machine) observeService(sv *service, ev *trace.Event) {
	if !m.s.moby {
		return
	}
	before := sv.docker
	if sv.docker.merge(ev, ev.Op != trace.OpUpdate); m.s.attach && ev.Op == trace.OpUpdate && !before.known() {
		sv.docker.mode = noMode // what the update leaves out has a value, which no line has given
	}
	happens := ev.Op != trace.OpSnapshot // else it happened before
	if begins := before.again && ev.Fields.Get(fieldUpdateState).Str == "updating"; happens && (begins || sv.docker.updating != before.updating) {
		sv.vacated, sv.docker.turned = nil, m.history.now
		for _, v := range m.history.vacated { // the updater's list of slots is a moment older than its line
			if v.of == sv && m.history.now.lately(v.at, staleFor) {
				sv.vacate(v.vacancy)
			}
		}
	}
	if limit := sv.docker.limit(m.s.maxTerminated); limit >= 0 && limit < before.limit(m.s.maxTerminated) {
		sv.limited = m.history.now.step
	}
	if happens && sv.docker.spec != before.spec {
		sv.docker.written = m.history.now
	}
	if happens && sv.docker.iteration != before.iteration {
		sv.docker.iterated = m.history.now
	}
	if sv.docker.countsOther(&before) {
		m.s.recount(sv)
	}
}

// observeTask takes a task that a snapshot shows.
func (m *machine) observeTask(t *task, ev *trace.Event) {
	if !m.s.moby {
		return
	}
	t.past.spec = specVersionOf(ev.Fields.Get(fieldSpecVersion))
	if ev.Time != "" {
		m.history.shown = max(m.history.shown, ev.Nanos)
	}
	t.past.seen = t.past.seen || !t.isWanted() && t.state.Prec(Assigned)
	t.past.may = !t.isWanted() && t.state.Owned()
}

// observeIteration takes a task's run of its job where a later line gives it: no
// rule is about that change.
func (m *machine) observeIteration(c *taskChange) {
	if !m.s.moby || c.record == nil || c.new.docker.iteration() == c.old.docker.iteration() {
		return
	}
	now := c.new.docker.iteration()
	c.old.docker = c.old.docker.withIteration(now)
	v := c.record.value()
	v.docker = v.docker.withIteration(now)
	m.s.setTask(c.record, &v)
}

// observeGoneNode takes a new task of a global service as a sign that its node was there: an
// update that began before the snapshots comes to nodes that were removed before them.
func (m *machine) observeGoneNode(t *taskValue, ev *trace.Event) {
	if n := t.node; m.s.moby && n != nil && !n.shown && t.slot == globalSlot && t.service.docker.updatesSinceBefore() &&
		t.service.docker.updatesTo(specVersionOf(ev.Fields.Get(fieldSpecVersion))) {
		n.shown = true
		m.gone = append(m.gone, n)
		m.uses.Add(nodeGone, 1)
	}
}

// goneObjects: what a task of the snapshots names as its service, and they do not
// show, was a service. What one that has ended names as its node was a node:
// removing a node orphans its other tasks, and keeps all of them as history. A global
// service's task may be made for a node that has just been removed: none places it. Other
// tasks may be placed on such a node: no agent takes them.
func (m *machine) goneObjects() {
	if !m.s.moby {
		return
	}
	for _, t := range m.shown().tasks {
		sv, slot := t.in.service, t.in.key.slot
		if n := t.node; n != nil && !n.shown && (!t.state.Runnable() || slot == globalSlot && t.state.Prec(Assigned) || slot != globalSlot && t.state == Assigned) {
			n.shown = true
			m.uses.Add(nodeGone, 1)
		}
		if v := t.value(); v.docker.restarts() != sv.alwaysRestarts(t.past.spec) { // its line came before the service's
			v.docker = v.docker.withRestarts(!v.docker.restarts())
			m.s.setTask(t, &v)
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
	now := m.history.now
	m.history.log.keep(step.Events[0].Tx, m.tasks)
	for i := range m.services {
		if c := &m.services[i]; c.was && c.record != nil {
			m.history.supersede(c.record, c.old, c.record.docker)
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
		before, vacated := sv.docker, sv.vacated
		m.ask(sv, ev)
		m.observeService(sv, ev)
		if sv.docker.owesOther(&before) {
			m.whole.respecified = append(m.whole.respecified, sv)
		}
		n := len(sv.recent) // what the service was before this step may be noted already
		if sv.exists && sv.docker != before && (n == 0 || sv.recent[n-1].until != m.history.now) {
			m.history.supersede(sv, sv.serviceValue, before)
		}
		if sv.docker.turned == before.turned {
			continue
		}
		for _, v := range sv.recent {
			if v.docker.turned == before.turned {
				v.vacated = vacated
			}
		}
	}
}

// recall notes what the step has made, after it is committed.
func (m *machine) recall() {
	for i := range m.tasks {
		c := &m.tasks[i]
		if c.was && !c.is && c.old.service.vslot(c.old.vslot()) == nil {
			m.history.vacate(&c.old)
			c.old.service.trails.emptied = m.here()
			c.old.service.forgotSlot = c.old.service.forgotSlot || c.old.desired != Remove
		}
		if c.was && c.old.isWanted() && (!c.is || !c.new.isWanted()) {
			if vs := c.old.service.vslot(c.old.vslot()); vs != nil {
				vs.docker.ceased = m.history.now
			}
			c.past().ceased = uint32(m.history.now.step)
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
		c := &m.whole.changes[i]
		switch s := &m.whole.slots[c.slot]; {
		case c.writes == creates:
			past := m.recordOf(c.taskChange).past
			past.born, past.replaced, past.spec = m.history.now, s.replaced, m.whole.specOf(c.taskChange)
			m.history.reads(s.service, c.record)
		case c.writes == marksShutdown && c.old.isWanted() && s.created == 0:
			c.record.givePlace()
		}
	}
	for _, n := range m.whole.left {
		m.uses.Add(nodeGone, int(n.named))
	}
}

// givePlace comes after the updater shut the task down in favour of another one of its slot.
// That one then waits for the end of this task, and no more for those that it replaced.
func (t *task) givePlace() {
	for u := range t.in.all {
		if u.desired == Ready && len(u.past.replaced) > 0 {
			u.past.replaced = append(slices.Clip(u.past.replaced), t)
		}
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

// recordOf returns the record of a task in the new state, and keeps it for follow.
func (m *machine) recordOf(c *taskChange) *task {
	if c.record == nil {
		c.record = m.s.tasks.Get(c.id)
	}
	return c.record
}

func (m *machine) recallTask(c *taskChange) {
	t := m.recordOf(c)
	if m.taken && !c.was && m.whole.step.Events[c.line].Op == trace.OpCreate {
		t.past.born, t.past.spec = m.history.now, m.whole.specOf(c)
	}
	if !t.isWanted() && t.state.Prec(Assigned) {
		t.past.seen = true
	}
	if t.desired != Ready {
		t.past.replaced = nil
	}
	if c.was && c.old.state.Runnable() && !t.state.Runnable() {
		t.past.ended = uint32(m.history.now.step)
	}
	if c.was && c.old.desired == t.desired {
		t.past.written = uint32(m.history.now.step)
	}
	m.uses.Add(desiredComplete, b2i(t.desired == Complete && (!c.was || c.old.desired != Complete)))
	m.uses.Add(taskOutlivesService, b2i(!c.was && !t.in.service.exists))
	m.uses.Add(shutdownUnassigned, b2i(t.state == Shutdown && t.node == nil && (!c.was || c.old.state != Shutdown)))
}

// vacate comes after the last task of a slot was deleted. An updater that is about to begin
// may have the slot on its list: it had a wanted task, or one that is not restarted.
func (h *history) vacate(last *taskValue) {
	slot := last.vslot().vacancy()
	if last.isWanted() || !last.docker.restarts() {
		h.vacated = append(h.vacated, vacated{last.service, slot, h.now})
	}
	last.service.vacate(slot)
}

func (sv *service) vacate(slot vacancy) {
	if !sv.exists || !sv.docker.updating {
		return
	}
	if sv.vacated == nil {
		sv.vacated = map[vacancy]bool{}
	}
	sv.vacated[slot] = true
}

// vacancy is a vslot that has no task: a global service's by its node's id, as
// the node may be gone, too.
type vacancy struct {
	slot int64
	node string
}

func (k vslotKey) vacancy() vacancy { return vacancy{k.slot, k.nodeID()} }
