package workerimpl

import (
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// machine judges one stream.
type machine struct {
	binder
	attach  bool
	batched bool
	budget  int
	inInit  bool // the stream began in Init: no snapshot came first
	began   bool

	by    *action // what explained the last step, where one action did
	plans []*plan // and where several did, for each instance; the first is reported

	ledger *validators.Ledger
	cover  *validators.Cover
	views  []*node // the instances that explain the step
	run    showing
}

// showing is what a run of snapshots has shown, and the nodes that it has left without a
// task.
type showing struct {
	model.Shown
	units []*unit
	nodes []*node
}

func newMachine(c validators.Config) (validators.Machine, error) {
	m := &machine{attach: c.Attach, batched: c.Steps == validators.Batched, budget: c.Budget, ledger: c.Ledger, cover: c.Cover}
	m.s = newState(c.Attach)
	return m, nil
}

// Lost implements validators.Machine.
func (m *machine) Lost() {
	m.s = newState(m.attach)
	m.began, m.inInit = false, false
	m.run = showing{}
}

// Snapshot implements validators.Machine. What a run of snapshots shows may have been
// there before, unseen: a worker that it names is not blamed for earlier steps.
func (m *machine) Snapshot(ev *trace.Event) {
	m.began = true
	s := m.s
	switch ev.Kind {
	case kindTask:
		m.sight(ev.ID)
		taskTable.snapshot(m, &m.tasks, ev, s.putTask)
	case kindContainer:
		m.sight(ev.ID)
		if v := containerTable.snapshot(m, &m.conts, ev, s.putContainer); v.node != nil {
			s.hire(v.node)
			m.sightNode(v.node)
		}
	case kindNode:
		nodeTable.snapshot(m, &m.nodes, ev, s.putNode)
		m.sightNode(s.nodes[ev.ID])
	}
	s.sweep()
}

// sight notes the unit of the id before a snapshot line changes it.
func (m *machine) sight(id string) {
	u := m.s.unit(id)
	m.run.units = append(validators.Distinct(m.run.units, m.s.units.Len(), validators.Same), u)
	if u.task.node != nil {
		m.sightNode(u.task.node)
	}
}

func (m *machine) sightNode(n *node) {
	m.run.nodes = append(validators.Distinct(m.run.nodes, len(m.s.nodes), validators.Same), n)
}

// SnapshotsEnd implements validators.Machine.
func (m *machine) SnapshotsEnd() []validators.Finding {
	run := m.run
	m.run = showing{}
	for i := 0; i < len(run.Suspects) && len(run.Found) == 0; i++ {
		if of := &run.Suspects[i]; of.Kind == kindTask {
			run.Found = taskTable.judged(m.s, of.ID, taskTable.get(m.s, of.ID), of.At, run.Found)
		} else {
			run.Found = containerTable.judged(m.s, of.ID, containerTable.get(m.s, of.ID), of.At, run.Found)
		}
	}
	for _, n := range run.nodes {
		m.followNode(n)
	}
	for _, u := range run.units {
		m.followUnit(u, false, false)
		m.followNode(u.task.node)
	}
	return run.Found
}

// Step implements validators.Machine.
func (m *machine) Step(step *trace.Step) ([]validators.Finding, bool, error) {
	if !m.began {
		m.began, m.inInit = true, !m.attach
	}
	m.by, m.plans = nil, nil
	m.bind(step)
	m.coverClauses()
	found := m.faults.Findings(step, typeOK.Name, m.changes)
	if !m.taken {
		judged, err := m.judge(step)
		if err != nil {
			return nil, false, err
		}
		if !m.taken {
			found = append(found, judged...)
			found = append(found, m.late(step)...)
		}
	}
	m.commit()
	m.follow()
	m.s.sweep()
	if !validators.HasRule(found, typeOK.Name) {
		found = append(found, m.broken(step)...)
	}
	return found, !m.taken, nil
}

// nearestShown is how many actions an explanation lists.
const nearestShown = 4

// commit makes the new state the state: what goes goes first.
func (m *machine) commit() {
	s := m.s
	for i := range m.nodes {
		c := &m.nodes[i]
		s.putNode(c.id, c.new)
	}
	each(m.environment, false, func(c *nodeChange) { s.dropNode(c.id) })
	each(m.tasks, false, func(c *taskChange) { s.dropTask(c.id) })
	each(m.conts, false, func(c *containerChange) { s.dropContainer(c.id) })
	each(m.tasks, true, func(c *taskChange) { s.putTask(c.id, c.new) })
	each(m.conts, true, func(c *containerChange) { s.putContainer(c.id, c.new) })
}

// each calls do for the objects that there are after the step, or are not.
func each[V comparable](list []change[V], are bool, do func(*change[V])) {
	for i := range list {
		if c := &list[i]; c.is == are {
			do(c)
		}
	}
}

// Explanation implements validators.Machine.
func (m *machine) Explanation() []string {
	switch {
	case m.by != nil:
		return []string{m.by.Name}
	case len(m.plans) > 0:
		return m.plans[0].names()
	}
	return nil
}

// Objects implements validators.Machine: nodes, tasks, containers, each by id.
func (m *machine) Objects(yield func(kind trace.Kind, id string, object []byte)) {
	var ids []string
	for _, n := range m.s.sortedNodes() {
		ids = append(ids, n.id)
	}
	nodeTable.objects(m.s, ids, yield)
	ids = ids[:0]
	for _, u := range m.s.units.Sorted() {
		ids = append(ids, u.id)
	}
	taskTable.objects(m.s, ids, yield)
	containerTable.objects(m.s, ids, yield)
}

func (t *table[V]) objects(s *state, ids []string, yield func(kind trace.Kind, id string, object []byte)) {
	for _, id := range ids {
		if v := t.get(s, id); v != nil {
			yield(t.kind, id, t.JSON(s, v))
		}
	}
}

// InDesiredState implements validators.Machine: the module has no such
// predicate.
func (m *machine) InDesiredState() bool { return true }
