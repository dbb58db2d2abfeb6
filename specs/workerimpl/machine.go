package workerimpl

import (
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
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
	plans []*plan // and where several did, for each instance; the first is the one that is told

	ledger   *validators.Ledger
	cover    *validators.Cover
	views    []*node // the instances that explain the step
	seen     seen
	snapshot []validators.Finding // values outside their types in the run of snapshots
	suspects []suspect            // its objects that broke TypeOK when they were shown
	sighted  sighted
}

// suspect is an object of a snapshot that a later line may yet justify.
type suspect struct {
	id   string
	kind trace.Kind
	at   trace.Pos
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
	m.snapshot, m.suspects, m.sighted = nil, nil, sighted{}
}

// Snapshot implements validators.Machine. What a run of snapshots shows may
// have been there before, unseen: nobody is blamed for earlier steps.
func (m *machine) Snapshot(ev *trace.Event) {
	m.began = true
	s := m.s
	wrong := ""
	switch ev.Kind {
	case kindTask:
		var v *taskValue
		v, wrong = taskTable.read(s, &m.tasks, ev)
		m.sight(ev.ID)
		s.putTask(ev.ID, *v)
		m.suspect(ev, typeOK.Broken(m.seeTask(ev.ID, &s.units.Get(ev.ID).task)) != nil)
	case kindContainer:
		var v *containerValue
		v, wrong = containerTable.read(s, &m.conts, ev)
		m.sight(ev.ID)
		s.putContainer(ev.ID, *v)
		if v.node != nil {
			s.hire(v.node)
			m.sightNode(v.node)
		}
		m.suspect(ev, typeOK.Broken(m.seeContainer(ev.ID, &s.units.Get(ev.ID).cont)) != nil)
	case kindNode:
		var v *nodeValue
		v, wrong = nodeTable.read(s, &m.nodes, ev)
		s.putNode(ev.ID, *v)
		m.sightNode(s.nodes[ev.ID])
	}
	if wrong != "" && len(m.snapshot) == 0 {
		m.snapshot = append(m.snapshot, validators.Finding{Kind: validators.OfType, Rule: typeOK.Name, Pos: ev.Pos, Message: wrong})
	}
	s.sweep()
}

// sight notes the unit of the id before a snapshot line changes it.
func (m *machine) sight(id string) {
	u := m.s.unit(id)
	if u.sighted&sightedUnit == 0 {
		u.sighted |= sightedUnit
		m.sighted.units = append(m.sighted.units, u)
	}
	if u.task.node != nil {
		m.sightNode(u.task.node)
	}
}

func (m *machine) sightNode(n *node) {
	if !n.sighted {
		n.sighted = true
		m.sighted.nodes = append(m.sighted.nodes, n)
	}
}

func (m *machine) suspect(ev *trace.Event, is bool) {
	if !is {
		return
	}
	if u, mark := m.s.units.Get(ev.ID), suspicion(ev.Kind); u.sighted&mark == 0 {
		u.sighted |= mark
		m.suspects = append(m.suspects, suspect{strings.Clone(ev.ID), ev.Kind, ev.Pos})
	}
}

// SnapshotsEnd implements validators.Machine.
func (m *machine) SnapshotsEnd() []validators.Finding {
	found := m.snapshot
	for _, suspect := range m.suspects {
		u := m.s.units.Get(suspect.id)
		if u == nil || len(found) > 0 {
			continue
		}
		if suspect.kind == kindTask && u.hasTask {
			m.seeTask(u.id, &u.task)
		} else if suspect.kind == kindContainer && u.hasCont {
			m.seeContainer(u.id, &u.cont)
		} else {
			continue
		}
		if c := typeOK.Broken(&m.seen); c != nil {
			found = append(found, m.typeFinding(c, suspect.at))
		}
	}
	m.snapshot, m.suspects = nil, nil
	m.s.newEpoch()
	m.followSnapshots()
	return found
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
		if f, broken := m.broken(step); broken {
			found = append(found, f)
		}
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
	for _, n := range m.s.sortedNodes() {
		if n.exists {
			yield(kindNode, n.id, nodeTable.JSON(m.s, &n.nodeValue))
		}
	}
	units := m.s.units.Sorted()
	for _, u := range units {
		if u.hasTask {
			yield(kindTask, u.id, taskTable.JSON(m.s, &u.task))
		}
	}
	for _, u := range units {
		if u.hasCont {
			yield(kindContainer, u.id, containerTable.JSON(m.s, &u.cont))
		}
	}
}

// InDesiredState implements validators.Machine: the module has no such
// predicate.
func (m *machine) InDesiredState() bool { return true }
