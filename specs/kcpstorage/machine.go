package kcpstorage

import (
	"cmp"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// machine judges one stream.
type machine struct {
	binder
	s       *state
	names   []string // the constant
	attach  bool
	batched bool

	plan []*action // what explained the last step

	ledger   *validators.Ledger
	cover    *validators.Cover
	left     []*space             // what the step has taken PVCs from, for others
	sighted  []*space             // what the run of snapshots has shown, or taken PVCs from
	snapshot []validators.Finding // values outside their types in the run of snapshots
	suspects []suspect            // what broke an invariant when it was shown
	scratch  value
	seen     seen // reused, since clauses get it by reference
}

// suspect is an object of a snapshot that a later line may yet justify.
type suspect struct {
	kind  trace.Kind
	space *space
	id    string
	at    trace.Pos
}

func newMachine(c validators.Config) (validators.Machine, error) {
	names, err := clusterNames(c.Constants)
	if err != nil {
		return nil, err
	}
	m := &machine{s: newState(names), names: names, attach: c.Attach, batched: c.Steps == validators.Batched, ledger: c.Ledger, cover: c.Cover}
	return m, nil
}

// Lost implements validators.Machine.
func (m *machine) Lost() {
	m.s = newState(m.names)
	m.snapshot, m.suspects, m.sighted = nil, nil, nil
}

// Snapshot implements validators.Machine.
func (m *machine) Snapshot(ev *trace.Event) {
	s, v := m.s, &m.scratch
	v.mapping, v.bad = v.mapping[:0], false
	id, given, bad := namespaceOf(ev)
	if ev.Kind != trace.KindNamespace && !given {
		if bad == "" {
			bad = named(ev) + ": namespace (left out) is no namespace's name"
		}
		m.badSnapshot(ev, bad)
		return
	}
	if ev.Kind == trace.KindNamespace {
		id = ev.ID
	}
	sp := s.space(id)
	m.sight(sp)
	switch ev.Kind {
	case trace.KindNamespace:
		bad = s.mergeClusters(v, ev)
		s.putNamespace(sp, v)
		if v.syncs() > 1 {
			m.suspect(ev, sp)
		}
	case trace.KindPVC:
		bad = s.mergeClusters(v, ev)
		if was := s.putPVC(ev.ID, sp, v); was != sp {
			m.sight(was)
		}
		if v.syncs() > 1 {
			m.suspect(ev, sp)
		}
	case trace.KindSyncer:
		c, to := s.clusters.find(ev.ID), Nil
		if bad = mergeState(&to, ev); bad == "" && !s.clusters.has(c) {
			bad = named(ev) + " is not in CLUSTERS"
		}
		s.putSyncer(sp, c, to)
		if sp.usable > 1 {
			m.suspect(ev, sp)
		}
	}
	m.badSnapshot(ev, bad)
}

func (m *machine) badSnapshot(ev *trace.Event, text string) {
	if text != "" && len(m.snapshot) == 0 {
		m.snapshot = append(m.snapshot, validators.Finding{Kind: validators.OfType, Rule: typeOK.Name, Pos: ev.Pos, Message: text})
	}
}

func (m *machine) sight(sp *space) {
	m.sighted = append(validators.Distinct(m.sighted, m.s.spaces.Len(), validators.Same), sp)
}

func (m *machine) suspect(ev *trace.Event, sp *space) {
	m.suspects = validators.Distinct(m.suspects, m.s.pvcs.Len()+m.s.spaces.Len(), func(s suspect) suspect {
		s.at = trace.Pos{}
		return s
	})
	m.suspects = append(m.suspects, suspect{ev.Kind, sp, strings.Clone(ev.ID), ev.Pos})
}

// SnapshotsEnd implements validators.Machine.
func (m *machine) SnapshotsEnd() []validators.Finding {
	found := m.snapshot
	for _, sus := range m.suspects {
		v := seen{space: sus.space, id: sus.id}
		switch sus.kind {
		case trace.KindNamespace:
			v.ns = &sus.space.ns
		case trace.KindPVC:
			v.pvc = &m.s.pvcs.Get(sus.id).value
		case trace.KindSyncer:
			v.syncer = true
		}
		found = m.check(found, v, sus.at)
	}
	m.snapshot, m.suspects = nil, nil
	m.followSnapshots()
	return found
}

// Step implements validators.Machine.
func (m *machine) Step(step *trace.Step) ([]validators.Finding, bool, error) {
	m.plan = m.plan[:0]
	m.bind(step)
	m.coverClauses()
	found := m.faults.Findings(step, typeOK.Name, m.changes)
	if !m.taken {
		if !validators.HasRule(found, validators.NextRule) { // else said already
			found = append(found, m.judge(step)...)
		}
		found = append(found, m.claims(step)...)
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
const nearestShown = 3

// judge finds what explains the step in each namespace. It reports the first
// in which nothing does.
func (m *machine) judge(step *trace.Step) []validators.Finding {
	var found []validators.Finding
	for i := range m.parts {
		p := &m.parts[i]
		stuck := ""
		switch p.one = next.Match(&p.pair); {
		case p.stutters():
			p.by = byStuttering
		case p.one != nil:
			p.by = byOne
			m.plan = append(m.plan, p.one)
		case m.batched:
			w := walk{pair: &p.pair}
			if w.explain() {
				p.by = bySeveral
				m.plan = append(m.plan, w.plan...)
			}
			stuck = w.stuck
		}
		if p.by == unexplained && len(found) == 0 {
			found = append(found, m.unexplained(step, p, stuck))
		}
	}
	return found
}

// commit makes the new state the state.
func (m *machine) commit() {
	s := m.s
	m.left = m.left[:0]
	for i := range m.parts {
		p := &m.parts[i]
		p.differed = !p.sameNS()
		switch {
		case p.shown:
			s.putNamespace(p.space, &p.new)
		case p.had:
			s.dropNamespace(p.space)
		}
		for k := range p.namedPVCs {
			if c := &p.namedPVCs[k]; c.shown {
				m.leave(c.space, s.putPVC(c.id, c.space, &c.new))
			} else {
				m.leave(c.space, s.dropPVC(c.id))
			}
		}
		for k := range p.namedSyncs {
			if c := &p.namedSyncs[k]; c.shown {
				s.putSyncer(p.space, c.cluster, c.new)
			} else {
				s.dropSyncer(p.space, c.cluster)
			}
		}
		s.release(p.space)
	}
	for _, sp := range m.left {
		s.release(sp)
	}
}

// leave notes a namespace, not nil, that a PVC was in when a step named it in
// another: it may not be of the step.
func (m *machine) leave(to, was *space) {
	if was != nil && was != to {
		m.left = append(m.left, was)
	}
}

// Explanation implements validators.Machine.
func (m *machine) Explanation() []string {
	names := make([]string, len(m.plan))
	for i, a := range m.plan {
		names[i] = a.Name
	}
	return names
}

// InDesiredState implements validators.Machine: the module has no such
// predicate.
func (m *machine) InDesiredState() bool { return true }

// Objects implements validators.Machine: each namespace with its PVCs and
// syncers, by id. A PVC whose namespace is not known is nil, as if no line had
// shown it.
func (m *machine) Objects(yield func(kind trace.Kind, id string, object []byte)) {
	s := m.s
	pvcs := map[*space][]*pvc{}
	for _, p := range s.pvcs.Sorted() {
		pvcs[p.space] = append(pvcs[p.space], p)
	}
	for _, sp := range s.spaces.Sorted() {
		if sp.named {
			yield(trace.KindNamespace, sp.id, s.clusters.namespaceJSON(&sp.ns))
		}
		for _, p := range pvcs[sp] {
			yield(trace.KindPVC, p.id, s.clusters.pvcJSON(sp.id, &p.value))
		}
		local := slices.SortedFunc(slices.Values(sp.syncers), func(a, b entry) int {
			return cmp.Compare(s.clusters.names[a.cluster], s.clusters.names[b.cluster])
		})
		for _, e := range local {
			yield(trace.KindSyncer, s.clusters.names[e.cluster], syncerJSON(sp.id, e.state))
		}
	}
}
