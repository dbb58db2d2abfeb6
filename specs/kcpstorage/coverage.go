package kcpstorage

import "tracecheck/validators"

// branches: the invariants' bounds are reached.
var branches = validators.Branches[seen]{
	{RuleBranch: branch(nsAtMostOneCluster, `Cardinality({c \in CLUSTERS : ns[c] = "Sync"}) = 1`), Taken: func(v *seen) bool { return v.ns != nil && v.ns.syncs() == 1 }},
	{RuleBranch: branch(pvcAtMostOneCluster, `Cardinality({c \in CLUSTERS : pvc[c] = "Sync"}) = 1`), Taken: func(v *seen) bool { return v.pvc != nil && v.pvc.syncs() == 1 }},
	{RuleBranch: branch(usableByAtMostOne, `Cardinality({c \in CLUSTERS : pvc_state[c] = "Sync"}) = 1`), Taken: func(v *seen) bool { return v.syncer && v.space.usable == 1 }},
}

func branch(rule *validators.Invariant[seen], text string) validators.RuleBranch {
	return validators.RuleBranch{Rule: rule.Name, Branch: text}
}

// Count implements validators.Machine.
func (m *machine) Count(counts []int) {
	for _, a := range m.plan {
		counts[next.Place(a)]++
	}
	if m.cover == nil {
		return
	}
	for i := range m.parts {
		p := &m.parts[i]
		if p.shown && p.differed {
			branches.Cover(&seen{space: p.space, ns: &p.new}, m.cover)
		}
		for k := range p.pvcs {
			if c := &p.pvcs[k]; c.shown {
				branches.Cover(&seen{space: p.space, pvc: &c.new}, m.cover)
			}
		}
		for k := range p.syncers {
			if c := &p.syncers[k]; c.shown {
				branches.Cover(&seen{space: p.space, syncer: true}, m.cover)
			}
		}
	}
}

// coverClauses counts the clauses that decide on what a step of one action does
// in a namespace.
func (m *machine) coverClauses() {
	if m.cover == nil || m.taken || m.faults.Has(validators.OfTransition) {
		return
	}
	for i := range m.parts {
		if p := &m.parts[i].pair; !m.batched || next.Match(p) != nil {
			next.Cover(p, m.cover)
		}
	}
}
