package updatecluster

import (
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// machine judges one stream.
type machine struct {
	binder
	s       *state
	attach  bool
	batched bool
	budget  int

	by     *action   // what explained the last step, where one action did
	pushed bool      // and PushToQueue before it, which was not logged
	plan   []*action // where several did
	made   []planned // and what each did
	reach  reached

	ledger *validators.Ledger
	cover  *validators.Cover
	run    snapshotRun

	// Reused, since clauses get them by reference.
	seen  seen
	look  pair
	after requestChange
}

// reached is what the explanation of a step says of variables that the step
// need not log.
type reached struct {
	submitted bool // the last submission is known: last
	last      int64
	conf      ternary
}

// snapshotRun is what a run of snapshot lines has shown.
type snapshotRun struct {
	shown   []*request
	found   []validators.Finding // values outside their types
	partial string               // the last request shown as partial
	at      trace.Pos
	last    int64 // the largest rank
	any     bool  // of requests
}

func newMachine(c validators.Config) (validators.Machine, error) {
	m := &machine{attach: c.Attach, batched: c.Steps == validators.Batched, budget: c.Budget, ledger: c.Ledger, cover: c.Cover}
	m.s = newState(m.attach)
	return m, nil
}

// Lost implements validators.Machine. What the stream logs stays known.
func (m *machine) Lost() {
	logs := m.s.queueLogged
	m.s = newState(m.attach)
	m.s.queueLogged = logs
	m.run = snapshotRun{}
}

// Snapshot implements validators.Machine.
func (m *machine) Snapshot(ev *trace.Event) {
	s, run := m.s, &m.run
	var bad badFields
	switch ev.Kind {
	case trace.KindRequest:
		v := requestValue{queue: open}
		v.bad = wholeRequest
		s.mergeRequest(&v, ev.Fields)
		bad = v.bad
		run.shown = append(validators.Distinct(run.shown, s.requests.Len(), validators.Same), s.put(s.requests.Get(ev.ID), ev.ID, v))
		if v.status == Partial {
			run.partial, run.at = strings.Clone(ev.ID), ev.Pos
		}
		if v.set && (!run.any || v.n > run.last) {
			run.any, run.last = true, v.n
		}
	case trace.KindCluster:
		c := clusterLine{clusterValue: clusterValue{bad: wholeCluster}}
		c.merge(ev.Fields)
		bad = c.marks()
		s.putCluster(c.clusterValue)
		if c.logsLast && !c.badLast {
			s.last, s.lastLogged, s.lastFree = c.last, true, false
		}
		if c.conf != unknown {
			s.conf = c.conf
		}
	}
	if bad != 0 && !validators.HasRule(run.found, typeInvariants.Name) {
		run.found = append(run.found, validators.Finding{
			Kind: validators.OfType, Rule: typeInvariants.Name, Pos: ev.Pos, Message: typeError(ev, bad)})
	}
}

// SnapshotsEnd implements validators.Machine.
func (m *machine) SnapshotsEnd() []validators.Finding {
	run := m.run
	m.run = snapshotRun{}
	m.followSnapshots(run.shown)
	if run.any && !m.s.lastLogged {
		m.s.last = max(m.s.last, run.last)
	}
	if run.at == (trace.Pos{}) {
		return run.found
	}
	v := requestValue{reqState: reqState{status: Partial}}
	return m.check(run.found, seen{vars: &m.s.vars, id: run.partial, request: &v}, run.at)
}

// Step implements validators.Machine.
func (m *machine) Step(step *trace.Step) ([]validators.Finding, bool, error) {
	m.by, m.pushed, m.plan, m.made, m.reach = nil, false, m.plan[:0], nil, reached{}
	m.bind(step)
	m.coverClauses()
	found := m.faults.Findings(step, typeInvariants.Name, m.changes)
	if !m.taken {
		judged, err := m.judge(step)
		if err != nil {
			return nil, false, err
		}
		found = append(found, judged...)
	}
	m.commit()
	m.follow()
	for _, f := range m.broken(step) {
		if !validators.HasRule(found, f.Rule) {
			found = append(found, f)
		}
	}
	return found, !m.taken, nil
}

// nearestShown is how many actions an explanation lists.
const nearestShown = 4

// judge finds what explains the step, and whether it is what the step claims.
func (m *machine) judge(step *trace.Step) ([]validators.Finding, error) {
	p := &m.pair
	found := m.unknownNames(step)
	if m.faults.Has(validators.OfTransition) {
		return found, nil // said already
	}
	if p.stutters() {
		if found = append(found, m.stutterClaims(step)...); len(found) == 0 {
			m.showPush(step)
		}
		return found, nil
	}
	if !m.batched || !anyClaim(step) { // a claim in a batched step is of its line's object
		if m.by = next.Match(p); m.by != nil {
			m.explained(p)
			return append(found, m.claims(step)...), nil
		}
	}
	if m.batched {
		judged, err := m.judgeBatched(step)
		return append(found, judged...), err
	}
	return append(found, m.unexplained(step, next.Nearest(p, nearestShown))), nil
}

// explained notes what m.by shows of variables that the step did not log.
func (m *machine) explained(p *pair) {
	switch m.by {
	case submit:
		m.reach.submitted, m.reach.last = true, p.r.new.n
	case processQueue:
		m.pushed = p.r.inferred
	case startApply, rollback:
		m.reach.conf = ternaryOf(p.confOK)
	}
}

// commit makes the new state the state.
func (m *machine) commit() {
	s, p := m.s, &m.pair
	last := s.last
	for i := range m.touched {
		c := &m.touched[i]
		if !c.shown {
			s.drop(c.record)
			continue
		}
		c.record = s.put(c.record, c.id, c.new)
		if c.new.set && c.old.rankValue != c.new.rankValue {
			last = max(last, c.new.n)
		}
	}
	switch {
	case p.logsLast && !p.badLast:
		s.last, s.lastLogged, s.lastFree = p.last, true, false
	case m.reach.submitted:
		s.last, s.lastFree = m.reach.last, false
	case !m.taken || !s.lastLogged:
		s.last = last
	}
	if p.conf != unknown {
		s.conf = p.conf
	} else if s.conf == unknown {
		s.conf = m.reach.conf
	}
	if m.clLine >= 0 {
		s.putCluster(p.cluster)
	}
}

// Explanation implements validators.Machine.
func (m *machine) Explanation() []string {
	switch {
	case m.pushed:
		return []string{pushToQueue.Name, m.by.Name}
	case m.by != nil:
		return []string{m.by.Name}
	}
	names := make([]string, len(m.plan))
	for i, a := range m.plan {
		names[i] = a.Name
	}
	return names
}

// Objects implements validators.Machine: the cluster, then requests by id.
func (m *machine) Objects(yield func(kind trace.Kind, id string, object []byte)) {
	if !m.s.clusterUnseen {
		yield(trace.KindCluster, "", m.s.clusterJSON())
	}
	for _, r := range m.s.requests.Sorted() {
		yield(trace.KindRequest, r.id, m.s.requestJSON(&r.requestValue))
	}
}
