package kcpstorage

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// seen is one object of a state, for invariants; one of ns, pvc and syncer is
// set.
type seen struct {
	space  *space
	id     string
	ns     *value
	pvc    *value
	syncer bool
}

type stateClause = validators.Clause[seen]

// typeOK is judged where a line's values are read (fields.go): every value is
// of its type, or the line that gave it has been reported.
var typeOK = validators.RuleDoc{
	Name: "TypeOK", Kind: validators.OfType,
	Doc: "All variables are of the correct type; pvc and pvc_state, which the text leaves out, are as ns. A cluster that a map leaves out is nil.",
	Clauses: []string{
		`DOMAIN ns = CLUSTERS`,
		`\A c \in DOMAIN ns : ns[c] \in SyncStates`,
		`pvc \in [CLUSTERS -> SyncStates], pvc_state \in [CLUSTERS -> SyncStates]`,
	},
}

const asMeant = " As printed the text takes the cardinality of a set of one boolean, which is always at most 1; this is what its comment says."

var nsAtMostOneCluster = &validators.Invariant[seen]{
	Name: "Inv_NSAtMostOneCluster", Kind: validators.OfInvariant,
	Doc: "A namespace is assigned to at most 1 cluster." + asMeant,
	Clauses: []stateClause{{
		Text:  `Cardinality({c \in CLUSTERS : ns[c] = "Sync"}) <= 1`,
		Holds: func(v *seen) bool { return v.ns == nil || v.ns.syncs() <= 1 },
	}},
}

var pvcAtMostOneCluster = &validators.Invariant[seen]{
	Name: "Inv_PVCAtMostOneCluster", Kind: validators.OfInvariant,
	Doc: "A PVC is assigned to at most 1 cluster." + asMeant,
	Clauses: []stateClause{{
		Text:  `Cardinality({c \in CLUSTERS : pvc[c] = "Sync"}) <= 1`,
		Holds: func(v *seen) bool { return v.pvc == nil || v.pvc.syncs() <= 1 },
	}},
}

var usableByAtMostOne = &validators.Invariant[seen]{
	Name: "Inv_UsableByAtMostOne", Kind: validators.OfInvariant,
	Doc: "At most one cluster thinks they can use the PVC. The module's own steps break it: a syncer keeps Sync until it next looks. " +
		"Such a step is a legal transition into a state that breaks an invariant.",
	Clauses: []stateClause{{
		Text:  `Cardinality({c \in CLUSTERS : pvc_state[c] = "Sync"}) <= 1`,
		Holds: func(v *seen) bool { return !v.syncer || v.space.usable <= 1 },
		Shows: func(v *seen) string { return fmt.Sprintf("%d syncers have Sync", v.space.usable) },
	}},
}

var invariants = []*validators.Invariant[seen]{nsAtMostOneCluster, pvcAtMostOneCluster, usableByAtMostOne}

// broken reports the first object of the step that breaks each invariant in
// the state that the step has made.
func (m *machine) broken(step *trace.Step) []validators.Finding {
	var found []validators.Finding
	for i := range m.parts {
		p := &m.parts[i]
		if p.shown && p.differed {
			found = m.check(found, seen{space: p.space, id: p.space.id, ns: &p.new}, step.Events[p.line].Pos)
		}
		for k := range p.pvcs {
			if c := &p.pvcs[k]; c.shown {
				found = m.check(found, seen{space: p.space, id: c.id, pvc: &c.new}, step.Events[c.line].Pos)
			}
		}
		for k := range p.syncers {
			if c := &p.syncers[k]; c.shown {
				found = m.check(found, seen{space: p.space, id: m.s.clusters.names[c.cluster], syncer: true}, step.Events[c.line].Pos)
			}
		}
	}
	return found
}

// check judges one object against the invariants.
func (m *machine) check(found []validators.Finding, v seen, at trace.Pos) []validators.Finding {
	m.seen = v // reused: invariants are judged after every step
	for _, rule := range invariants {
		c := rule.Broken(&m.seen)
		if c == nil || validators.HasRule(found, rule.Name) {
			continue
		}
		found = append(found, validators.Finding{Kind: rule.Kind, Rule: rule.Name, Pos: at, Message: m.seen.breaks(rule, c, m.s.clusters)})
	}
	return found
}

func (v *seen) breaks(rule *validators.Invariant[seen], c *stateClause, cs *clusters) string {
	object, shows := "namespace "+v.id, ""
	switch {
	case v.ns != nil:
		shows = "ns = " + cs.show(v.ns.mapping)
	case v.pvc != nil:
		object, shows = "pvc "+v.id, "pvc = "+cs.show(v.pvc.mapping)
	default:
		object, shows = fmt.Sprintf("syncer %s of namespace %s", v.id, v.space.id), c.Shows(v)
	}
	return fmt.Sprintf("%s breaks %s: %s (%s)", object, rule.Name, c.Text, shows)
}
