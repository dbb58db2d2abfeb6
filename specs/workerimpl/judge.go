package workerimpl

import (
	"cmp"
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
)

// judge finds what explains the step, and whether it is what the step claims.
func (m *machine) judge(step *trace.Step) ([]validators.Finding, error) {
	switch {
	case m.faults.Has(validators.OfTransition): // said already
		found := says.Unknown(step, m.changes)
		if p := m.at(m.subjectNode()); !m.batched && !p.refines() {
			found = append(found, m.unrefined(step, p))
		}
		return found, nil
	case m.count() == 0:
		return append(says.Unknown(step, m.changes), m.claims(step, func(a *action) bool {
			return len(m.environment) == 0 && a.Stutters != nil && a.Stutters(m.s)
		})...), nil
	}
	judged, ok := m.judgeAtomic(step)
	var err error
	if !ok && m.batched {
		judged, ok, err = m.judgeBatched(step)
	}
	m.endSearch()
	switch {
	case err != nil:
		return nil, err
	case len(judged) > 0 && m.isVeiled(ok):
		m.taken = true
		return nil, nil
	}
	if !ok && m.s.workers() == 0 {
		m.s.absolve()
	}
	if m.met && len(step.Events) == m.count() { // all names are known
		return judged, nil
	}
	return join(says.Unknown(step, m.changes), judged), nil
}

// judgeAtomic looks for one action. ok says that there is one for every
// instance; in a batched step, that nothing is left to ask.
func (m *machine) judgeAtomic(step *trace.Step) (found []validators.Finding, ok bool) {
	refuse := func(n *node) ([]validators.Finding, bool) {
		if m.by = nil; m.batched {
			return nil, false
		}
		return m.refused(step, n), false
	}
	views, oneSuffices := m.listViews()
	if m.ofNone || m.batched && m.remakes() { // a node is outside its type; one action cannot have recreated an object
		return refuse(nil)
	}
	willing := views[:0]
	var unwilling, unrefined *node
	for _, n := range views {
		if n == m.s.elsewhere && m.by != nil && m.by.Actor == "" {
			willing = append(willing, n) // to which OtherComponent does the same
			continue
		}
		a, refines := m.at(n).explained()
		switch {
		case a == nil && !oneSuffices:
			return refuse(n)
		case a == nil:
			unwilling = cmp.Or(unwilling, n)
			continue
		case !refines:
			if unrefined = cmp.Or(unrefined, n); oneSuffices {
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
		unrefined = nil
	case unrefined != nil && !m.batched:
		willing, m.by = append(willing, unrefined), syncWithManager
	}
	if len(willing) == 0 || unrefined != nil && m.batched {
		return refuse(unwilling)
	}
	m.views = willing
	if unrefined != nil {
		found = append(found, m.unrefined(step, m.at(unrefined)))
	}
	if m.met = says.Met(step, m.by.Title()); !m.met {
		found = append(found, m.claims(step, func(a *action) bool {
			return slices.ContainsFunc(m.views, func(n *node) bool { return a.match.Match(m.at(n)) })
		})...)
	}
	if m.batched && (len(found) > 0 || !m.changesClaimed(step)) { // perhaps a longer sequence is what the step claims
		return refuse(nil)
	}
	if unrefined == nil {
		m.lay(step)
	}
	return found, true
}

// remakes says that the step's lines delete an object and then create it, other
// than it was.
func (m *machine) remakes() bool {
	return slices.ContainsFunc(m.tasks, func(c taskChange) bool { return c.remade }) ||
		slices.ContainsFunc(m.conts, func(c containerChange) bool { return c.remade })
}

// refused are the findings of an atomic step that an instance, or every candidate,
// cannot explain; n is nil where none is left to ask.
func (m *machine) refused(step *trace.Step, n *node) []validators.Finding {
	p := m.at(cmp.Or(n, m.subjectNode()))
	at, what := p.subject()
	text := fmt.Sprintf("no action of WorkerImpl explains this step%s: %s%s", m.instance(p), what, validators.Among(m.count(), "objects", true))
	var list []validators.Near
	if m.ofNone {
		text += ", and a container of no worker changes"
	} else {
		list = near.Nearest(p, nearestShown)
	}
	found := []validators.Finding{validators.Unexplained(step, at, text, list, m.changes())}
	if !p.refines() {
		found = append(found, m.unrefined(step, p))
	}
	return found
}

// subjectNode is the node whose instance a report speaks of, where it could be
// any.
func (m *machine) subjectNode() *node {
	for _, n := range m.touched {
		if n.isWorker || m.s.workers() == 0 && n.shown {
			return n
		}
	}
	return m.s.elsewhere
}
