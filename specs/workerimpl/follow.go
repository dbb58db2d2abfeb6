package workerimpl

import (
	"tracecheck/validators"
)

// nodeWaits is what a node waits for, and what its tasks and containers do not
// wait for without.
type nodeWaits struct {
	connected validators.Gate // it is up
	serving   validators.Gate // and is a worker
	waits     [3]*validators.Obligation

	// In how many batched steps the actions on whole sets were seen. Where one
	// action explains the step, nothing is left of what these are wanted for.
	taken [symbolModes]int64
}

// follow brings the ledger up to date with what the step changed.
func (m *machine) follow() {
	if m.ledger == nil {
		return
	}
	for _, p := range m.plans {
		for _, l := range p.word {
			p.node.taken[l]++
		}
	}
	each(m.followTask, m.tasks)
	each(m.followTask, m.idleTasks)
	each(m.followContainer, m.conts)
	each(m.followContainer, m.idleConts)
	m.eachNode(func(c *nodeChange) { m.followNode(m.s.nodes.Get(c.id)) })
	for _, n := range m.hired {
		m.followNode(n.node)
	}
}

func (m *machine) followTask(c *taskChange) {
	m.followUnit(c.unit, m.ends(&c.span), false)
	m.followNode(c.old.node)
	if c.new.node != c.old.node {
		m.followNode(c.new.node)
	}
}

func (m *machine) followContainer(c *containerChange) {
	m.followUnit(c.unit, false, m.ends(&c.span))
}

// ends says that what the object waited for ends with it, though it may come
// again.
func (m *machine) ends(s *span) bool { return !s.is || m.batched && s.remade }

// followUnit follows a unit whose task, or container, may have ended.
func (m *machine) followUnit(u *unit, task, container bool) {
	m.s.records.Keep(u)
	for what := range u.waits {
		held := &u.waits[what]
		if task && what != stop || container && what == stop {
			m.wait(held, validators.Want{})
		}
		m.wait(held, m.s.want(u, what))
	}
}

// wait sets what the holder waits for. Mostly it neither did nor does.
func (m *machine) wait(held **validators.Obligation, want validators.Want) {
	if *held != nil || want.For != 0 {
		*held = m.ledger.Set(*held, want)
	}
}

func (m *machine) followNode(n *node) {
	if n == nil {
		return
	}
	up := n.isUp()
	m.ledger.SetGate(&n.connected, up)
	m.ledger.SetGate(&n.serving, up && n.isWorker)
	if up && n.waits == [len(n.waits)]*validators.Obligation{} { // as mostly: it wants nothing
		return
	}
	for i, want := range n.wants() {
		m.wait(&n.waits[i], want)
	}
}
