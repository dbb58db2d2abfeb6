package workerimpl

import (
	"tracecheck/trace"
	"tracecheck/validators"
)

// unitWaits is what a unit's task and its container wait for.
type unitWaits struct{ progress, report, stop *validators.Obligation }

// nodeWaits is what a node waits for, and what its tasks and containers do not
// wait for without.
type nodeWaits struct {
	connected validators.Gate // it is up
	serving   validators.Gate // and is a worker

	waitsUp, waitsOrphans, waitsWSOrphans *validators.Obligation

	// In how many batched steps the actions on whole sets were seen. Where one
	// action explains the step, nothing is left of what these are wanted for.
	taken [letterModes]int64
}

// follow brings the ledger up to date with what the step changed.
func (m *machine) follow() {
	if m.ledger == nil {
		return
	}
	m.countTaken()
	for _, tasks := range [...][]taskChange{m.tasks, m.idleTasks} {
		for i := range tasks {
			c := &tasks[i]
			m.followUnit(m.s.units.Get(c.id), m.ends(&c.span), false)
			m.followNode(c.old.node)
			m.followNode(c.new.node)
		}
	}
	for _, conts := range [...][]containerChange{m.conts, m.idleConts} {
		for i := range conts {
			c := &conts[i]
			m.followUnit(m.s.units.Get(c.id), false, m.ends(&c.span))
		}
	}
	for _, nodes := range [...][]nodeChange{m.nodes, m.environment} {
		for i := range nodes {
			m.followNode(m.s.nodes[nodes[i].id])
		}
	}
	for _, n := range m.hired {
		m.followNode(n.node)
	}
}

// ends says that what the object waited for ends with it, though it may come
// again.
func (m *machine) ends(s *span) bool { return !s.is || m.batched && s.remade }

// countTaken notes the actions on whole sets that a batched step was found to
// have taken.
func (m *machine) countTaken() {
	for _, p := range m.plans {
		for _, l := range p.word {
			p.node.taken[l]++
		}
	}
}

// followUnit follows a unit whose task, or container, may have ended.
func (m *machine) followUnit(u *unit, task, container bool) {
	if u == nil {
		return
	}
	m.s.records.Keep(u)
	w := &u.waits
	if task {
		w.progress = m.ledger.Set(w.progress, want{})
		w.report = m.ledger.Set(w.report, want{})
	}
	if container {
		w.stop = m.ledger.Set(w.stop, want{})
	}
	w.progress = m.ledger.Set(w.progress, progress(u))
	w.report = m.ledger.Set(w.report, m.s.report(u))
	w.stop = m.ledger.Set(w.stop, m.s.stop(u))
}

func (m *machine) followNode(n *node) {
	if n == nil {
		return
	}
	m.ledger.SetGate(&n.connected, n.isUp())
	m.ledger.SetGate(&n.serving, n.isUp() && n.isWorker)
	n.waitsUp = m.ledger.Set(n.waitsUp, up(n))
	n.waitsOrphans = m.ledger.Set(n.waitsOrphans, orphans(n, waitOrphanTasks))
	n.waitsWSOrphans = m.ledger.Set(n.waitsWSOrphans, orphans(n, waitWSOrphanTasks))
}

// sighted is what the run of snapshots has shown, each once, and the nodes that
// it has left without a task.
type sighted struct {
	units []*unit
	nodes []*node
}

// sightings are what machine.sighted and machine.suspects have of a unit.
type sightings uint8

const (
	sightedUnit sightings = 1 << iota
	suspectTask
	suspectContainer
)

func suspicion(k trace.Kind) sightings {
	if k == kindTask {
		return suspectTask
	}
	return suspectContainer
}

// followSnapshots follows what the run of snapshots has shown.
func (m *machine) followSnapshots() {
	seen := m.sighted
	m.sighted = sighted{}
	for _, n := range seen.nodes {
		n.sighted = false
	}
	for _, u := range seen.units {
		u.sighted = 0
	}
	if m.ledger == nil {
		return
	}
	for _, n := range seen.nodes {
		m.followNode(n)
	}
	for _, u := range seen.units {
		m.followUnit(u, false, false)
		m.followNode(u.task.node)
	}
}
