package portallocator

import (
	"slices"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
)

// machine judges one stream.
type machine struct {
	binder
	s       *state
	attach  bool
	batched bool
	moby    bool     // the profile
	rules   relation // its actions
	uses    *validators.Uses
	cover   *validators.Cover
	budget  int // of actions that the search for one batched step may try

	by   *action // what explained the last step, where one action did
	plan *batch  // the sequence that did, where it took several; nil: none was sought

	lone     proposal // of an endpoint to its own spec, and of refused ones
	none     value    // nullEndpoint
	refusals []refusal
	seen     seen
	shifted  []address // what the last step changed of allocated beyond what explains it
	run      snapshots
}

func newMachine(c validators.Config) (validators.Machine, error) {
	k, err := parseConstants(c.Constants)
	if err != nil {
		return nil, err
	}
	m := &machine{s: newState(&k), attach: c.Attach, batched: c.Steps == validators.Batched, budget: c.Budget, rules: next, uses: c.Uses, cover: c.Cover}
	if c.Profile == swarm.Moby {
		m.moby, m.rules = true, mobyNext
	}
	return m, nil
}

// Lost implements validators.Machine.
func (m *machine) Lost() {
	m.s = newState(m.s.constants)
	m.run = snapshots{}
}

// Step implements validators.Machine.
func (m *machine) Step(step *trace.Step) ([]validators.Finding, bool, error) {
	m.by, m.plan = nil, nil
	if m.run.begun {
		m.run = snapshots{}
	}
	m.bind(step)
	m.coverClauses()
	m.findRefusals(step)
	var found []validators.Finding
	if len(m.faulty) > 0 {
		found = m.faulty.Findings(step, typeOK.Name, m.changes)
	}
	if !m.taken {
		var err error
		if found, err = m.judge(step, found); err != nil {
			return nil, false, err
		}
	}
	m.commit()
	found = m.broken(step, found)
	found, open := m.unjustified(step, found)
	return found, !m.taken && !open, nil
}

// judge finds what explains the step, and whether it is what the step claims.
func (m *machine) judge(step *trace.Step, found []validators.Finding) ([]validators.Finding, error) {
	p := &m.pair
	found = m.unknownNames(step, found)
	switch {
	case m.faulty.Has(validators.OfTransition):
		return found, nil // said already
	case p.stutters():
		return m.claims(step, found), nil
	case m.batched:
		return m.judgeBatched(step, found)
	}
	if m.by = m.rules.Match(p); m.by == nil {
		return append(found, m.unexplained(step, m.rules.Nearest(p, nearestShown))), nil
	}
	m.used(m.by)
	return m.idempotent(step, m.claims(step, found)), nil
}

// nearestShown is how many actions an explanation lists.
const nearestShown = 3

// commit makes the new state the state. What is allocated then is what the
// actions that explain the step make of it, or what the step logs, or what
// follows from the endpoints that change.
func (m *machine) commit() {
	s, l := m.s, &m.allocator
	stutters := m.stutters()
	for i := range m.endpoints {
		if c := &m.endpoints[i]; !c.is {
			s.drop(c.id)
		}
	}
	for i := range m.endpoints {
		if c := &m.endpoints[i]; c.is {
			s.put(c.id, c.new, m.isSteady(&c.new))
		}
	}
	m.shifted = m.shifted[:0]
	s.shown = s.shown || l.seen
	if l.is {
		s.badSet = l.bad
	}
	switch {
	case stutters:
	case m.plan != nil:
		for a, is := range m.plan.p.over {
			s.allocate(a, is)
		}
	case m.by != nil:
		m.infer(func(address) bool { return true })
	case l.is:
		m.shifted = s.setAllocated(l.set)
	default:
		m.infer(func(a address) bool { return s.uses.get(a).ingress == 0 })
	}
}

// infer is allocated' = Apply(prop) for what changes; of the addresses that
// endpoints had, those go that the function says.
func (m *machine) infer(goes func(address) bool) {
	if len(m.endpoints) == 0 { // UpdateEndpoint to the same
		m.s.allocateAll(m.e.new.ports.ports)
	}
	for i := range m.endpoints {
		old := m.endpoints[i].old.ports.ports
		for k := range old {
			if p := &old[k]; p.mode == ingress && goes(p.addr()) {
				m.s.allocate(p.addr(), false)
			}
		}
	}
	for i := range m.endpoints {
		m.s.allocateAll(m.endpoints[i].new.ports.ports)
	}
}

// isSteady reports whether UpdateEndpoint to the endpoint's own spec may leave
// its ports as they are. No other endpoint has a say in that.
func (m *machine) isSteady(v *value) bool {
	if v.spec.missing || v.ports.missing || !v.spec.typeOK((*port).inSpec) {
		return false
	}
	m.lone.match(&m.view, v, v.spec.ports, v.ports.ports)
	return m.lone.faults == 0 && m.lone.inUse < 0 && m.lone.twice < 0
}

// Explanation implements validators.Machine.
func (m *machine) Explanation() []string {
	switch {
	case m.by != nil:
		return []string{m.by.Name}
	case m.plan != nil:
		return m.plan.names()
	}
	return nil
}

// Objects implements validators.Machine: the allocator, where the endpoints do
// not say it all, and the endpoints by id.
func (m *machine) Objects(yield func(kind trace.Kind, id string, object []byte)) {
	s := m.s
	if s.tells() {
		yield(trace.KindAllocator, "", s.allocatedJSON())
	}
	for _, e := range s.endpoints.Sorted() {
		yield(trace.KindEndpoint, e.id, s.json(&e.value))
	}
}

// InDesiredState implements validators.Machine. The module has no such
// predicate.
func (m *machine) InDesiredState() bool { return true }

// used counts an action that is an allowance.
func (m *machine) used(a *action) {
	if slices.Contains(mobyUpdates, a) {
		m.uses.Add(a.Name, 1)
	}
}
