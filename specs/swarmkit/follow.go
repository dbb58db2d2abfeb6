package swarmkit

import (
	"slices"

	"tracecheck/validators"
)

// held is what an object waits for: two things at most.
type held struct{ first, second *validators.Obligation }

// any reports whether the object waits for anything.
func (h *held) any() bool { return h.first != nil || h.second != nil }

// follow brings the ledger up to date with what the step changed.
func (m *machine) follow() {
	m.endRemovals()
	for i := range m.nodes {
		m.followNode(m.s.nodes.Get(m.nodes[i].id))
	}
	var last *service // followed already: a large step changes many tasks of one service
	for i := range m.tasks {
		c := &m.tasks[i]
		var t *task
		switch {
		case !c.is:
		case c.record != nil:
			t = c.record
		default:
			t = m.s.tasks.Get(c.id)
		}
		m.followTask(t, c.waits)
		if c.was && c.record == t && t != nil && c.old.unseen == c.new.unseen && c.owesByTallies(m.s.moby) {
			m.followContainers(&c.new, t.in, c.old.tallies()^c.new.tallies())
			continue
		}
		if t != nil {
			changed := forAll
			if c.new.service == last {
				changed &^= forService
			}
			last = c.new.service
			m.followContainers(&c.new, t.in, changed)
		}
		switch {
		case !c.was:
		case t == nil && c.record != nil: // it still says where it was
			m.followContainers(&c.old, c.record.in, forAll)
		case t == nil || c.old.service != c.new.service || !c.old.sharesVSlot(&c.new):
			m.followContainers(&c.old, c.old.service.vslots.get(c.old.vslot()), forAll)
		case c.old.node != c.new.node && c.old.node != nil:
			m.followNode(c.old.node)
		}
	}
	for i := range m.services {
		c := &m.services[i]
		sv := c.record
		if sv == nil {
			sv = m.s.services.Get(c.id)
		}
		m.followService(sv)
		if c.was != c.is {
			m.followWithin(sv, m.s.moby)
		}
	}
	if m.s.moby {
		for _, sv := range m.whole.respecified {
			m.followService(sv)
			m.followWithin(sv, m.s.moby)
		}
	}
	m.noteSetbacks()
	m.followDesired()
}

// owesByTallies reports whether what the task is in may have other obligations only if the
// task's tallies differ. Under the profile moby, it depends on the desired state, too, but not
// on the node.
func (c *taskChange) owesByTallies(moby bool) bool {
	if moby {
		return c.old.desired == c.new.desired && c.old.service == c.new.service && c.old.sharesVSlot(&c.new)
	}
	return c.old.isIn(&c.new)
}

// endRemovals ends the waits for the removals that the step has made. A service that still has
// too many replicas then begins another wait. Their number does not tell: other actions lower it, too.
func (m *machine) endRemovals() {
	isRemoval := func(p planned) bool { return p.action == requestRemoval }
	if m.s.moby || m.by != requestRemoval && !slices.ContainsFunc(m.plan, isRemoval) {
		return
	}
	for i := range m.tasks {
		if c := &m.tasks[i]; c.was && c.old.tallies()&asWanted != 0 && (!c.is || c.new.desired == Remove) {
			held := &c.old.service.waits.second
			*held = m.ledger.Set(*held, want{})
		}
	}
}

// owe sets one of the things that the holder waits for. The want fits into registers.
func (m *machine) owe(o **validators.Obligation, w want) {
	if *o != nil || w.For != 0 { // most objects wait for nothing
		*o = m.ledger.Set(*o, w)
	}
}

// followTask has the waits of the task as it was, which may have been another
// record; t is nil where it is gone.
func (m *machine) followTask(t *task, w held) {
	if t == nil {
		m.owe(&w.first, want{})
		m.owe(&w.second, want{})
		return
	}
	m.owe(&w.first, m.s.progress(t))
	m.owe(&w.second, m.s.reaping(t))
	t.hold(w)
}

// followContainers follows what the task is in, after these counts have changed.
func (m *machine) followContainers(v *taskValue, vs *vslot, changed tallies) {
	if changed&forSlot != 0 {
		m.followSlot(vs)
	}
	if changed&forService != 0 {
		m.followService(v.service)
	}
	if changed&forNode != 0 && v.node != nil {
		m.followNode(v.node)
	}
}

func (m *machine) followSlot(vs *vslot) {
	first, second := m.s.replacement(vs), m.s.cleanup(vs)
	if vs.own || first.For|second.For != 0 {
		w := vs.waits
		m.owe(&w.first, first)
		m.owe(&w.second, second)
		m.s.setWaits(vs, w)
	}
}

func (m *machine) followService(sv *service) {
	m.owe(&sv.waits.first, m.s.slots(sv))
	m.owe(&sv.waits.second, m.s.removal(sv))
}

func (m *machine) followNode(n *node) {
	m.ledger.SetGate(&n.connected, n.isUp())
	var up, orphans want
	if !n.isUp() { // else there is nothing to ask
		up, orphans = m.s.up(n), m.s.orphans(n)
	}
	m.owe(&n.waits.first, up)
	m.owe(&n.waits.second, orphans)
}

// followNodes follows a node that came or went, and what all of them bear on.
func (m *machine) followNodes(n *node) {
	if m.ledger == nil {
		return
	}
	m.followNode(n)
	m.followGlobals()
}

// followGlobals follows what all nodes bear on.
func (m *machine) followGlobals() {
	m.ledger.SetGate(&m.s.anyNode, true)
	for _, sv := range m.s.inOrder() {
		m.followService(sv) // in the same order each time: they begin to wait together
	}
}

// followSnapshots follows what the run of snapshots has shown.
func (m *machine) followSnapshots() {
	seen := m.shown()
	m.sighted = nil
	if m.ledger == nil {
		return
	}
	for _, n := range seen.nodes {
		m.followNode(n)
	}
	if len(seen.nodes) > 0 {
		m.followGlobals()
	}
	for _, t := range seen.tasks {
		m.followTask(t, t.held())
		v := t.value()
		m.followContainers(&v, t.in, forAll)
	}
	for _, sv := range seen.services {
		m.followService(sv)
		m.followWithin(sv, m.s.moby)
	}
	m.followDesired()
}

// followWithin follows a service's slots after what it is changed. Under the profile
// moby its tasks are followed, too: whether they are allocated depends on it.
func (m *machine) followWithin(sv *service, tasks bool) {
	for _, vs := range sv.vslots.inOrder() {
		m.followSlot(vs)
		for t := vs.first; tasks && t != nil; t = t.after {
			m.followTask(t, t.held())
		}
	}
}

// followAll asks once more for all that waits, after the state was made again.
func (m *machine) followAll(nodes []*node, services []*service) {
	if m.ledger == nil {
		return
	}
	for _, n := range nodes {
		m.followNode(n)
	}
	for _, sv := range m.s.withUnknown(services) {
		m.followService(sv)
		m.followWithin(sv, true)
	}
	m.followDesired()
}

// noteSetbacks counts what puts <>[] InDesiredState off. A step that is taken as it is may do so.
func (m *machine) noteSetbacks() {
	if m.taken || m.by != nil && (isSetback(m.by) || m.by == shutdownComplete && isExit(m.tasks[0].old.desired)) {
		m.setbacks++
	}
	for i := range m.plan {
		if isSetback(m.plan[i].action) {
			m.setbacks++
		}
	}
}

// isExit reports whether ShutdownComplete of a task with the desired state is a ContainerExit, too.
func isExit(desired State) bool { return desired == Shutdown }

// followDesired follows <>[] InDesiredState.
func (m *machine) followDesired() {
	var w want
	if !m.s.mayBeInDesiredState() {
		w = want{For: waitDesired, Stage: int32(m.setbacks)}
	}
	m.waitsDesired = m.ledger.Set(m.waitsDesired, w)
}
