package workerimpl

import (
	"slices"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// Live implements validators.Machine.
func (m *machine) Live() int { return m.s.live }

// Persist implements validators.Machine. Counts are counted again.
func (m *machine) Persist(c *codec.Codec) {
	codec.Bool(c, &m.inInit)
	codec.Bool(c, &m.began)
	nodes := m.s.nodes.Sorted()
	codec.Slice(c, &nodes, func(n **node) { *n = m.persistNode(c, *n) })
	m.ledger.LostGates(c, func(yield func(*validators.Obligation)) { // of nodes that a run of snapshots has left without a task
		for _, u := range m.run.units {
			for _, held := range u.waits {
				yield(held)
			}
		}
	})
	m.s.records.Code(c, m.s.units.ToWrite(c), m.persistUnit)
	if c.Err() == nil {
		m.s.sweep() // of what only damage can have left
		m.s.persistCrowd(c)
		m.run.persist(c, m.s)
	}
}

func (m *machine) persistNode(c *codec.Codec, n *node) *node {
	s := m.s
	var id string
	if n != nil {
		id = n.id
	}
	if c.Name(&id); c.Reading() {
		if c.Err() != nil || id == "" || s.nodes.Get(id) != nil {
			c.Fail("node %q has no name, or another's", id)
			return nil
		}
		n = s.node(id)
	}
	v, shown, exists, isWorker, blamed := n.nodeValue, n.shown, n.exists, n.isWorker, n.blame != nil
	codec.Bool(c, &shown)
	codec.Bool(c, &exists)
	codec.Bool(c, &isWorker)
	codec.Bool(c, &blamed)
	nodeTable.Code(s, c, &v, &v.Marks)
	codec.Int(c, &n.taken[symbolSync])
	codec.Int(c, &n.taken[symbolOrphan])
	if exists && !shown || v.up && !exists {
		c.Fail("node %s exists, and was not shown", id)
	}
	if blamed {
		n.blame = codeBlame(c, n.blame)
	}
	if c.Reading() && shown {
		if s.setNode(id, &v); !exists { // any more
			s.setNode(id, nil)
		}
	}
	s.hire(n, isWorker)
	m.ledger.Gate(c, &n.connected)
	m.ledger.Gate(c, &n.serving)
	for i, held := range n.waits {
		n.waits[i] = m.ledger.Code(c, held, n)
	}
	return n
}

func codeBlame(c *codec.Codec, b *validators.Finding) *validators.Finding {
	if b == nil {
		b = &validators.Finding{}
	}
	b.Code(c)
	return b
}

func (m *machine) persistUnit(c *codec.Codec, u *unit) {
	s := m.s
	var id string
	if u != nil {
		id = u.id
	}
	if codec.String(c, &id); c.Reading() {
		if c.Err() != nil || s.units.Get(id) != nil {
			c.Fail("unit %q comes twice", id)
			return
		}
		u = s.unit(id)
	}
	codec.Bool(c, &u.hasTask)
	codec.Bool(c, &u.hasCont)
	codec.Bool(c, &u.known)
	if u.hasTask {
		taskTable.Code(s, c, &u.task, &u.task.Marks)
	}
	if u.hasCont {
		containerTable.Code(s, c, &u.cont, &u.cont.Marks)
	}
	if !u.hasTask && !u.hasCont {
		c.Fail("nothing of unit %s exists", id)
	}
	if c.Err() != nil {
		return
	}
	if c.Reading() {
		s.enter(u)
	}
	for i, held := range u.waits { // which does not all follow from the state: some was followed before the last steps
		of := validators.Waiter(u)
		if i == stop {
			of = (*container)(u)
		}
		u.waits[i] = m.ledger.Code(c, held, of)
	}
}

// codeNode is for a node that was written before. One that is optional may be none.
func (s *state) codeNode(c *codec.Codec, n **node, optional bool) {
	swarm.CodeRecord(c, n, s.nodes.Get, c.Name, "node", optional)
}

// persistCrowd is for the step that left one node, or none, to be a candidate. It has all
// nodes counted.
func (s *state) persistCrowd(c *codec.Codec) {
	b, only := s.crowded, s.only
	crowded := b != nil
	if codec.Bool(c, &crowded); crowded {
		b = codeBlame(c, b)
		s.codeNode(c, &only, true)
	}
	if c.Reading() {
		s.crowd(b, only)
	}
}

// persist is for a run of snapshots that is not over. Nodes that it named, and names
// no more, are left out: nothing waits for them.
func (run *showing) persist(c *codec.Codec, s *state) {
	run.Suspects = validators.Unique(run.Suspects, model.Suspect.Object)
	run.Code(c, func(_ trace.Kind, id string) bool { return s.units.Get(id) != nil })
	run.units = validators.Unique(run.units, validators.Same)
	codec.Slice(c, &run.units, func(u **unit) {
		swarm.CodeRecord(c, u, s.units.Get, func(id *string) { codec.String(c, id) }, "unit", false)
	})
	run.nodes = slices.DeleteFunc(validators.Unique(run.nodes, validators.Same), func(n *node) bool { return s.nodes.Get(n.id) != n })
	codec.Slice(c, &run.nodes, func(n **node) { s.codeNode(c, n, false) })
}
