package swarmkit

import (
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// machine judges one stream.
type machine struct {
	s *state // the room below
	*workspace
	batched  bool
	inInit   bool // the stream began in Init: no snapshot came first
	began    bool
	setbacks int32   // they rise, and may wrap around
	by       *action // what explained the last step, where one action did
	cover    *validators.Cover

	ledger       *validators.Ledger
	waitsDesired *validators.Obligation

	room state

	budget  int
	uses    *validators.Uses
	history *history // nil but under the profile moby
	sighted *sighted // by the current run of snapshots; nil: none is
}

// workspace is what a machine needs while it judges a step.
type workspace struct {
	binder
	plan  []planned                     // what explained the last step, where several actions did
	moved []validators.Transition       // by the last step, for cover
	batch batch                         // the search for them
	whole transaction                   // under the profile moby the step, taken apart
	part  pair                          // one part of it
	way   pair                          // a step of a task that goes straight its own way
	ways  *perStatus[[Orphaned + 1]way] // stateWays, for stepsAlone; nil: not needed yet
	seen  seen
	shows shows

	scratch scratch
}

// shows is what a line shows, and the task before it. Here they are no garbage.
type shows struct {
	before, task taskValue
	service      serviceValue
	node         nodeValue
}

// sighted is what a run of snapshots has shown.
type sighted struct {
	nodes       []*node
	services    []*service
	tasks       []*task
	model.Shown // its suspects are tasks
}

func (m *machine) shown() *sighted {
	if m.sighted == nil {
		m.sighted = &sighted{}
	}
	return m.sighted
}

func newMachine(c validators.Config) (validators.Machine, error) {
	limit, err := maxTerminated(c.Constants, underMoby(&c))
	if err != nil {
		return nil, err
	}
	m := &machine{batched: c.Steps == validators.Batched, budget: c.Budget, ledger: c.Ledger,
		uses: c.Uses, cover: c.Cover, workspace: validators.PartOf[workspace](c.Workspace)}
	if underMoby(&c) {
		m.history = &history{}
	}
	m.s = &m.room
	m.s.init(limit, underMoby(&c), c.Attach, &m.workspace.scratch)
	return m, nil
}

// Lost implements validators.Machine.
func (m *machine) Lost() {
	m.s.init(m.s.maxTerminated, m.s.moby, m.s.attach, m.s.scratch)
	if m.s.moby {
		*m.history = history{now: m.history.now}
	}
	m.began, m.inInit = false, false
	m.sighted, m.waitsDesired = nil, nil
}

// Snapshot implements validators.Machine.
func (m *machine) Snapshot(ev *trace.Event) {
	m.began = true
	s, seen := m.s, m.shown()
	wrong := ""
	switch ev.Kind {
	case kindTask:
		v, before := &m.shows.task, &m.shows.before
		taskTable.whole(s, ev, v)
		*before = taskValue{}
		t := s.tasks.Of(ev)
		if t == nil {
			t = s.addTask(strings.Clone(ev.ID), *v)
		} else {
			*before = t.value()
			s.setTask(t, v)
		}
		seen.tasks = append(validators.Distinct(seen.tasks, s.tasks.Len(), validators.Same), t)
		if before.service != nil && m.ledger != nil && (before.service != v.service || before.slot != v.slot || before.node != v.node) {
			m.followContainers(before, before.service.vslots.get(before.vslot()), forAll)
		}
		m.observeTask(t, ev)
		if wrong = taskTable.wrong(s, ev, v.bad); m.breaks(ev.ID, v) {
			seen.Suspect(ev.Kind, ev.ID, ev.Pos, s.tasks.Len())
		}
	case kindService:
		v := &m.shows.service
		serviceTable.whole(s, ev, v)
		s.putService(ev.ID, *v)
		sv := s.services.Of(ev)
		m.observeService(sv, ev)
		seen.services = append(validators.Distinct(seen.services, s.services.Len(), validators.Same), sv)
		wrong = serviceTable.wrong(s, ev, v.bad)
	case kindNode:
		v := &m.shows.node
		nodeTable.whole(s, ev, v)
		s.putNode(ev.ID, *v)
		n := s.nodes.Of(ev)
		m.observeNode(n, ev)
		seen.nodes = append(validators.Distinct(seen.nodes, s.nodes.Len(), validators.Same), n)
		wrong = nodeTable.wrong(s, ev, v.bad)
	}
	seen.Outside(typeOK.Name, ev.Pos, wrong)
	s.sweep()
}

// SnapshotsEnd implements validators.Machine.
func (m *machine) SnapshotsEnd() []validators.Finding {
	seen := m.shown()
	found := seen.Found
	m.goneObjects()
	for _, suspect := range seen.Suspects {
		if t := m.s.tasks.Get(suspect.ID); t != nil {
			v := t.value()
			m.check(&found, m.see(t.id, &v, nil, nil), suspect.At, invariants...)
		}
	}
	m.followSnapshots()
	return found
}

// Step implements validators.Machine.
func (m *machine) Step(step *trace.Step) ([]validators.Finding, bool, error) {
	if !m.began {
		m.began, m.inInit = true, true
	}
	m.by, m.plan = nil, m.plan[:0]
	if m.stepsAlone(step) {
		return nil, true, nil
	}
	m.beginTransaction(step)
	m.bind(step)
	if m.cover != nil {
		m.beginCover()
	}
	var found []validators.Finding
	if len(m.faults) > 0 {
		found = m.faults.Findings(step, typeOK.Name, m.changes)
	}
	var done bool
	if !m.taken {
		judged, applied, err := m.judge(step)
		if err != nil {
			m.s.sweep()
			return nil, false, err
		}
		if done = applied; len(judged) > 0 {
			found = append(found, judged...)
		}
	}
	switch {
	case m.s.moby:
		m.remember(step)
		m.commit()
		m.recall()
		found = m.settle(found)
	case !done:
		m.commit()
	}
	if m.s.attach {
		m.noteCreated()
	}
	if m.ledger != nil {
		m.follow()
	}
	m.s.sweep()
	return m.broken(step, found), !m.taken, nil
}

// noteCreated notes the services that the step creates, or deletes.
func (m *machine) noteCreated() {
	for i := range m.services {
		if sv := m.s.services.Get(m.services[i].id); sv != nil && sv.created != m.services[i].created {
			sv.created = !sv.created
			m.s.refresh(sv)
		}
	}
}

// judge finds what explains the step, and whether it is what the step claims. applied says
// that the state has become the new one already.
func (m *machine) judge(step *trace.Step) (found []validators.Finding, applied bool, err error) {
	p, refused := &m.pair, m.faults.Has(validators.OfTransition)
	if !m.s.moby && !refused && !p.stutters() && !(m.batched && p.remakes()) { // else the two states alone do not tell
		if m.by = p.match(); m.by != nil && m.isAsClaimed(step) {
			return nil, false, nil // as with most
		}
	}
	found = m.says().Unknown(step, m.changes)
	switch {
	case refused:
		return found, false, nil // said already
	case p.stutters() && !(m.s.moby && len(m.whole.came)+len(m.whole.left) > 0):
		return append(found, m.claims(step, func(a *action) bool { return a.Stutter != nil && (m.s.attach || a.Stutter(p)) })...), false, nil
	case m.s.moby:
		return m.judgeTransaction(step, found), false, nil
	case m.by != nil:
		failed := m.claims(step, func(a *action) bool { return a == m.by || a.Match(p) })
		if len(failed) == 0 && m.changesClaimed(step) || !m.batched {
			if c := m.notPermitted(p, m.by); c != nil {
				failed = append(failed, m.transitionFinding(step, c, c.line, m.by))
			}
			return append(found, failed...), false, nil
		}
		m.by = nil // perhaps a longer sequence is what the step claims
	}
	if m.batched {
		return m.judgeBatched(step, found)
	}
	why := trouble{m.subject(), next.Nearest(p, nearestShown)}
	return append(found, m.unexplained(step, "no action of SwarmKit", why)), false, nil
}

// isAsClaimed reports whether the one action that explains the step is what all its lines
// claim: then there is nothing more to ask.
func (m *machine) isAsClaimed(step *trace.Step) bool {
	for i := range step.Events {
		if step.Events[i].Op == trace.OpReject {
			return false
		}
	}
	return m.says().Met(step, m.by.Title()) && m.changesClaimed(step) && m.notPermitted(&m.pair, m.by) == nil
}

// nearestShown is how many actions an explanation lists.
const nearestShown = 4

// commit makes the new state the state.
func (m *machine) commit() {
	s := m.s
	for _, c := range m.nodes {
		s.putNode(c.id, c.new)
	}
	for i := range m.services {
		if c := &m.services[i]; c.is {
			s.putService(c.id, c.new)
		}
	}
	for i := range m.tasks {
		if c := &m.tasks[i]; !c.is {
			s.dropTask(c.id)
		}
	}
	for i := range m.tasks {
		switch c := &m.tasks[i]; {
		case c.is && c.record != nil:
			s.setTask(c.record, &c.new)
		case c.is:
			s.putTask(c.id, c.new)
		}
	}
	for i := range m.services {
		if c := &m.services[i]; !c.is {
			s.dropService(c.id)
		}
	}
}

// Explanation implements validators.Machine.
func (m *machine) Explanation() []string {
	if m.by != nil {
		return []string{m.by.Name}
	}
	names := make([]string, 0, len(m.plan))
	for i := range m.plan {
		if !m.plan[i].also {
			names = append(names, m.plan[i].action.Name)
		}
	}
	return names
}

// Objects implements validators.Machine: nodes, services, tasks, each by id.
func (m *machine) Objects(yield func(kind trace.Kind, id string, object []byte)) {
	for _, n := range m.s.nodes.Sorted() {
		if n.exists {
			yield(kindNode, n.id, n.json())
		}
	}
	for _, sv := range m.s.services.Sorted() {
		if sv.exists {
			yield(kindService, sv.id, sv.json())
		}
	}
	for _, t := range m.s.tasks.Sorted() {
		yield(kindTask, t.id, t.value().json())
	}
}

// InDesiredState implements validators.Machine.
func (m *machine) InDesiredState() bool { return m.s.inDesiredState() }
