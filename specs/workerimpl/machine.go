package workerimpl

import (
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// machine judges one stream.
type machine struct {
	binder
	batched bool
	budget  int
	inInit  bool // the stream began in Init: no snapshot came first
	began   bool

	by    *action // what explained the last step, where one action did
	met   bool    // all of its lines claim that, or nothing
	plans []*plan // and where several did, for each instance; the first is reported

	search *batch // of the step's actions, where there is one

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
	m := &machine{batched: c.Steps == validators.Batched, budget: c.Budget, ledger: c.Ledger, cover: c.Cover}
	m.s = newState(c.Attach)
	return m, nil
}

// Lost implements validators.Machine.
func (m *machine) Lost() {
	m.s = newState(m.s.attach)
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
		u := m.sight(ev.ID)
		taskTable.snapshot(m, &m.tasks, ev, u, func(v *taskValue) { s.setTask(u, v) })
	case kindContainer:
		u := m.sight(ev.ID)
		if v := containerTable.snapshot(m, &m.conts, ev, u, func(v *containerValue) { s.setContainer(u, v) }); v.node != nil {
			s.hire(v.node, true)
			m.sightNode(v.node)
		}
	case kindNode:
		nodeTable.snapshot(m, &m.nodes, ev, nil, func(v *nodeValue) { s.setNode(ev.ID, v) })
		m.sightNode(s.nodes.Of(ev))
	}
	s.sweep()
}

// sight notes the unit of the id, and returns it, before a snapshot line changes it.
func (m *machine) sight(id string) *unit {
	u := m.s.unit(id)
	m.run.units = append(validators.Distinct(m.run.units, m.s.units.Len(), validators.Same), u)
	if u.task.node != nil {
		m.sightNode(u.task.node)
	}
	return u
}

func (m *machine) sightNode(n *node) {
	m.run.nodes = append(validators.Distinct(m.run.nodes, m.s.nodes.Len(), validators.Same), n)
}

// SnapshotsEnd implements validators.Machine.
func (m *machine) SnapshotsEnd() []validators.Finding {
	run := m.run
	m.run = showing{}
	for _, of := range run.Suspects {
		if u := m.s.units.Get(of.ID); of.Kind == kindTask {
			taskTable.judge(m.s, of.ID, u, taskTable.get(m.s, of.ID, u), of.At, &run.Found)
		} else {
			containerTable.judge(m.s, of.ID, u, containerTable.get(m.s, of.ID, u), of.At, &run.Found)
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
		m.began, m.inInit = true, !m.s.attach
	}
	m.by, m.met, m.plans = nil, false, nil
	m.bind(step)
	m.coverClauses()
	found := m.faults.Findings(step, typeOK.Name, m.changes)
	if !m.taken {
		judged, err := m.judge(step)
		if err != nil {
			return nil, false, err
		}
		if !m.taken {
			found = join(join(found, judged), m.late(step))
		}
	}
	m.commit()
	m.follow()
	m.s.sweep()
	if !validators.HasRule(found, typeOK.Name) {
		found = join(found, m.broken(step))
	}
	return found, !m.taken, nil
}

// join is both lists. Mostly both are empty: nothing is to be copied.
func join(found, more []validators.Finding) []validators.Finding {
	if len(found) == 0 {
		return more
	}
	return append(found, more...)
}

// nearestShown is how many actions an explanation lists.
const nearestShown = 4

// commit makes the new state the state.
func (m *machine) commit() {
	s := m.s
	m.eachNode(func(c *nodeChange) { s.setNode(c.id, c.now()) })
	each(func(c *taskChange) { s.setTask(c.unit, c.now()) }, m.tasks)
	each(func(c *containerChange) { s.setContainer(c.unit, c.now()) }, m.conts)
}

// Explanation implements validators.Machine.
func (m *machine) Explanation() []string {
	switch {
	case m.by != nil:
		return []string{m.by.Name}
	case len(m.plans) > 0:
		return model.NamesOf(m.plans[0].actions()...)
	}
	return nil
}

// Objects implements validators.Machine: nodes, tasks, containers, each by id.
func (m *machine) Objects(yield func(kind trace.Kind, id string, object []byte)) {
	for _, n := range m.s.nodes.Sorted() {
		nodeTable.object(m.s, n.id, nil, yield)
	}
	units := m.s.units.Sorted()
	for _, u := range units {
		taskTable.object(m.s, u.id, u, yield)
	}
	for _, u := range units {
		containerTable.object(m.s, u.id, u, yield)
	}
}

func (t *table[V]) object(s *state, id string, u *unit, yield func(kind trace.Kind, id string, object []byte)) {
	if v := t.get(s, id, u); v != nil {
		yield(t.Kind, id, t.JSON(s, v))
	}
}

// InDesiredState implements validators.Machine: the module has no such
// predicate.
func (m *machine) InDesiredState() bool { return true }
