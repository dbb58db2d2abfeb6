package workerimpl

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// `node`, the module's constant, is each node that container lines name, a
// worker: each is an instance, which must explain every step. Most steps touch
// few workers; to all the others they are the same, and the one named elsewhere
// stands for these.
//
// An instance is judged from the stream's beginning, though its first container
// line comes later: its containers are none until then. So the first step that
// a node which is no worker yet could not explain is kept, as its blame, and
// reported where it is named. As long as no node is named, some node must be
// able to be the worker: a step is explained if it is for one of the candidates,
// the nodes without blame.

// blame is a step that a node could not explain, were it the worker.
type blame struct {
	epoch int
	kind  validators.ViolationKind
	rule  string
	at    trace.Pos
	text  string
}

// othersMayBe says that there are candidates which the step does not touch.
// Where no node is shown at all, one will be.
func (m *machine) othersMayBe() bool {
	if m.s.shown == 0 || m.attach {
		return true
	}
	touched := 0
	for _, n := range m.touched {
		if m.s.role(n) == candidate {
			touched++
		}
	}
	return m.s.totals[candidate].nodes > touched
}

// listViews lists the instances that judge the step: the workers that it touches
// and, if there are others, elsewhere. As long as there is no worker, the
// candidates are, of which one suffices.
func (m *machine) listViews() (views []*node, oneSuffices bool) {
	views = m.views[:0]
	if m.s.workers == 0 {
		for _, n := range m.touched {
			if m.s.role(n) == candidate {
				views = append(views, n)
			}
		}
		if m.othersMayBe() {
			views = append(views, m.s.elsewhere)
		}
		m.views = views
		return views, true
	}
	for _, n := range m.touched {
		if n.isWorker {
			views = append(views, n)
		}
	}
	if m.s.workers > len(views) && !m.at(m.s.elsewhere).stutters() {
		views = append(views, m.s.elsewhere)
	}
	m.views = views
	return views, false
}

// judge finds what explains the step, and whether it is what the step claims.
func (m *machine) judge(step *trace.Step) ([]validators.Finding, error) {
	found := m.unknownNames(step)
	stutters := len(m.tasks)+len(m.conts)+len(m.nodes) == 0
	switch {
	case m.hasFault(validators.OfTransition): // said already
		if p := m.at(m.subjectNode()); !m.batched && !p.refines() {
			found = append(found, m.unrefined(step, p))
		}
		return found, nil
	case stutters && len(m.environment) == 0:
		m.pair.node = nil
		return append(found, m.claims(step, func(a *action) bool { return a.Stutter != nil && a.Stutter(&m.pair) })...), nil
	case stutters:
		return append(found, m.claims(step, func(*action) bool { return false })...), nil
	}
	judged, ok := m.judgeAtomic(step)
	if !ok && m.batched {
		var err error
		if judged, ok, err = m.judgeBatched(step); err != nil {
			return nil, err
		}
	}
	if !ok {
		if m.isVeiled() {
			m.taken = true
			return nil, nil
		}
		if m.s.workers == 0 {
			m.s.newEpoch()
		}
	}
	found = append(found, judged...)
	for _, n := range m.hired {
		if !ok {
			break // one step at a time
		}
		if b := m.blameOf(n); b != nil && !hasRule(found, b.rule) {
			found = append(found, validators.Finding{Kind: b.kind, Rule: b.rule, Pos: b.at, Message: fmt.Sprintf(
				"the container lines make %s a worker, and it could not explain an earlier step: %s", n.id, b.text)})
		}
	}
	return found, nil
}

// judgeAtomic looks for one action. ok says that there is one for every
// instance; in a batched step, that nothing is left to ask.
func (m *machine) judgeAtomic(step *trace.Step) (found []validators.Finding, ok bool) {
	views, oneSuffices := m.listViews()
	if m.ofNone { // its node is outside its type
		return m.refused(step, nil), false
	}
	if m.batched && m.remakes() {
		return nil, false // one action cannot have made it anew
	}
	willing := views[:0]
	var unwilling, unrefined *node
	for _, n := range views {
		p := m.at(n)
		a := next.Match(p)
		switch {
		case a == nil:
			if unwilling == nil {
				unwilling = n
			}
			continue
		case p.upkeep(a) && !p.refines():
			if unrefined == nil {
				unrefined = n
			}
			if oneSuffices {
				continue
			}
		}
		willing = append(willing, n)
		if m.by == nil || m.by.Actor == "" {
			m.by = a
		}
	}
	switch {
	case !oneSuffices:
	case len(willing) > 0:
		unwilling, unrefined = nil, nil
	case unrefined != nil && !m.batched:
		willing, m.by, unwilling = append(willing, unrefined), syncWithManager, nil
	}
	if unwilling != nil || len(willing) == 0 || unrefined != nil && m.batched {
		m.by = nil
		return m.refused(step, unwilling), false
	}
	m.views = willing
	if unrefined != nil {
		found = append(found, m.unrefined(step, m.at(unrefined)))
	}
	found = append(found, m.claims(step, func(a *action) bool {
		for _, n := range m.views {
			if a.Match(m.at(n)) {
				return true
			}
		}
		return false
	})...)
	if m.batched && len(found) > 0 { // perhaps a longer sequence is what the step claims
		m.by = nil
		return found, false
	}
	m.lay(step)
	return found, true
}

// remakes says that the step's lines delete an object and then create it, other
// than it was.
func (m *machine) remakes() bool {
	for i := range m.tasks {
		if m.tasks[i].remade {
			return true
		}
	}
	for i := range m.conts {
		if m.conts[i].remade {
			return true
		}
	}
	return false
}

// refused are the findings of a step that an instance, or every candidate,
// cannot explain; n is nil where none is left to ask.
func (m *machine) refused(step *trace.Step, n *node) []validators.Finding {
	if n == nil {
		n = m.subjectNode()
	}
	p := m.at(n)
	found := []validators.Finding{m.unexplained(step, p)}
	if !m.batched && !p.refines() {
		found = append(found, m.unrefined(step, m.at(n)))
	}
	return found
}

// subjectNode is the node whose instance a report speaks of, where it could be
// any.
func (m *machine) subjectNode() *node {
	for _, n := range m.touched {
		if n.isWorker || m.s.workers == 0 && n.shown {
			return n
		}
	}
	return m.s.elsewhere
}

// lay lays the blame for an explained step on the nodes that could not be the
// worker if that is what happened.
func (m *machine) lay(step *trace.Step) {
	if m.attach {
		return
	}
	var willing *node
	for _, n := range m.touched {
		if n.isWorker || !n.shown || m.s.isBlamed(n) {
			continue
		}
		ok, f := m.couldBe(step, n)
		if ok {
			willing = n
			continue
		}
		n.blame = m.newBlame(step, n, f)
		m.s.refresh(n)
	}
	// Where several tasks change at once, no other worker explains it; one
	// task's change is OtherComponent's.
	if len(m.tasks) < 2 {
		return
	}
	only := m.s.only
	if m.s.crowded != nil && (only == nil || only.mark == m.number || m.s.isBlamed(only)) {
		return
	}
	if ok, _ := m.couldBe(step, m.s.elsewhere); ok {
		return
	}
	if m.s.crowded == nil {
		m.s.crowd(m.newBlame(step, m.s.elsewhere, nil), willing)
	} else {
		only.blame = m.newBlame(step, only, nil)
		m.s.refresh(only)
	}
}

// couldBe says that the instance of the node explains the step, or how the step
// breaks WSSpec for it.
func (m *machine) couldBe(step *trace.Step, n *node) (bool, *validators.Finding) {
	p := m.at(n)
	a := next.Match(p)
	switch broken := a != nil && p.upkeep(a) && !p.refines(); {
	case a != nil && !broken && !(m.batched && m.remakes()):
		return true, nil
	case m.batched:
		b := m.newBatch()
		b.setFlex(true)
		defer b.setFlex(false)
		p, out := b.explain(n)
		return p != nil || out == exhausted, nil
	case broken:
		f := m.unrefined(step, p)
		return false, &f
	}
	return false, nil
}

func (m *machine) newBlame(step *trace.Step, n *node, f *validators.Finding) *blame {
	if f == nil {
		p := m.at(n)
		line, what := p.subject()
		b := &blame{epoch: m.s.epoch, kind: validators.OfTransition, rule: nextRule, at: step.Events[line].Pos, text: what}
		if list := near.Nearest(p, 1); len(list) > 0 {
			b.text += nearest(&list[0])
		}
		return b
	}
	return &blame{epoch: m.s.epoch, kind: f.Kind, rule: f.Rule, at: f.Pos, text: f.Message}
}

// blameOf is the blame of a node that becomes a worker, nil if it has none.
func (m *machine) blameOf(n *node) *blame {
	switch {
	case m.s.isBlamed(n):
		return n.blame
	case m.s.crowded != nil && m.s.only != n:
		return m.s.crowded
	}
	return nil
}

// isVeiled says that the step changes something on which what the stream has
// not shown may bear.
func (m *machine) isVeiled() bool {
	if !m.attach {
		return false
	}
	for i := range m.tasks {
		if m.s.isVeiled(m.s.units[m.tasks[i].id]) {
			return true
		}
	}
	for i := range m.conts {
		if m.s.isVeiled(m.s.units[m.conts[i].id]) {
			return true
		}
	}
	return false
}
