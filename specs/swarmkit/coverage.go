package swarmkit

import (
	"tracecheck/specs/internal/swarm"
	"tracecheck/validators"
)

// branches are the ways in which Inv holds.
var branches = validators.Branches[seen]{
	{RuleBranch: branch(`t.service \in DOMAIN services`), Taken: func(v *seen) bool { return v.task.service.exists }},
	{RuleBranch: branch(`assigned \preceq State(t) /\ t.node \in Node`), Taken: func(v *seen) bool { return Assigned.Preceq(v.task.state) && v.inNode() }},
	{RuleBranch: branch(`assigned \preceq State(t) /\ State(t) = rejected`), Taken: func(v *seen) bool { return v.task.state == Rejected }},
	{RuleBranch: branch(`State(t) # remove`), Taken: func(v *seen) bool { return v.task.state != Remove }},
}

func branch(text string) validators.RuleBranch {
	return validators.RuleBranch{Rule: inv.Name, Branch: text}
}

// Count implements validators.Machine.
func (m *machine) Count(counts []int) {
	if m.by != nil {
		counts[next.Place(m.by)]++
	}
	for i := range m.plan {
		if p := &m.plan[i]; !p.also {
			if at := next.Place(p.action); at >= 0 { // else it is an allowance
				counts[at]++
			}
		}
	}
	if m.cover == nil {
		return
	}
	if m.by != nil {
		m.note(m.by, &m.pair)
	}
	for _, c := range m.moved {
		m.cover.Moved(c.By, c.From, c.To)
	}
	for i := range m.tasks {
		if c := &m.tasks[i]; c.is {
			branches.Cover(m.see(c.id, &c.new, nil, nil), m.cover)
		}
	}
}

// note keeps the changes of state that the action made.
func (m *machine) note(a *action, p *pair) {
	if m.cover == nil {
		return
	}
	for i := range p.tasks {
		if from, to := p.tasks[i].states(); from != to {
			m.moved = append(m.moved, validators.Transition{By: a.Actor, From: swarm.Null(from), To: swarm.Null(to)})
		}
	}
}

// beginCover counts the clauses that decide on a step of one action. Of one that
// may be more, the parts are counted as they are explained.
func (m *machine) beginCover() {
	m.moved = m.moved[:0]
	if m.taken || m.s.moby || m.faults.Has(validators.OfTransition) {
		return
	}
	if !m.batched || !m.pair.remakes() && next.Match(&m.pair) != nil {
		next.Cover(&m.pair, m.cover)
	}
}
