package updatecluster

import "tracecheck/validators"

// transitions are the changes of status that the actions make. ProcessQueue,
// which does not look at the status, is meant for valid requests.
var transitions = []validators.Transition{
	between(submit, Waiting, Submitted),
	between(initialcheck, Submitted, Valid), between(initialcheck, Submitted, Rejected),
	between(processQueue, Valid, Processing),
	between(startApply, Processing, Partial), between(startApply, Processing, Failure),
	between(completeApply, Partial, Success), between(completeApply, Partial, PartialFailure),
	between(rollback, PartialFailure, Rolledback),
}

func between(a *action, from, to Status) validators.Transition {
	return validators.Transition{By: a.Name, From: from.String(), To: to.String()}
}

// branches: the invariant's bound is reached.
var branches = validators.Branches[seen]{{
	RuleBranch: validators.RuleBranch{Rule: noConcurrentUpdate.Name, Branch: `Cardinality({r \in DOMAIN reqState : reqState[r].status = "partial"}) = 1`},
	Taken:      func(v *seen) bool { return v.request.status == Partial && v.vars.partials == 1 },
}}

// Count implements validators.Machine.
func (m *machine) Count(counts []int) {
	if m.pushed {
		counts[next.Place(pushToQueue)]++
	}
	if m.by != nil {
		counts[next.Place(m.by)]++
	}
	for _, a := range m.plan {
		counts[next.Place(a)]++
	}
	if m.cover == nil {
		return
	}
	if m.by != nil {
		for i := range m.requests {
			if c := &m.requests[i]; c.moved() {
				m.moved(m.by, c.old.status, c.new.status)
			}
		}
	}
	for _, done := range m.made {
		m.moved(done.action, done.from, done.to)
	}
	for i := range m.touched {
		if c := &m.touched[i]; c.shown && c.moved() {
			branches.Cover(&seen{vars: &m.s.vars, id: c.id, request: &c.new}, m.cover)
		}
	}
}

func (m *machine) moved(a *action, from, to Status) {
	if from != to {
		m.cover.Moved(a.Name, from.String(), to.String())
	}
}

// coverClauses counts the clauses that decide on a step of one action.
func (m *machine) coverClauses() {
	if m.cover == nil || m.taken || m.faults.Has(validators.OfTransition) {
		return
	}
	if p := m.pair; !m.batched || next.Match(&p) != nil {
		next.Cover(&p, m.cover)
	}
}
