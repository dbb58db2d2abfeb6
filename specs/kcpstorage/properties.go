package kcpstorage

import (
	"fmt"

	"tracecheck/validators"
	"tracecheck/validators/model"
)

// typeOK is judged where a line's values are read: every value is of its type, or
// the line that gave it has been reported.
var typeOK = validators.TypeRule("TypeOK",
	"Every variable has its type. The text gives pvc and pvc_state no type: they have that of ns. A cluster that a map leaves out is nil.",
	`DOMAIN ns = CLUSTERS`,
	`\A c \in DOMAIN ns : ns[c] \in SyncStates`,
	`pvc \in [CLUSTERS -> SyncStates], pvc_state \in [CLUSTERS -> SyncStates]`)

const asMeant = " The printed text takes the cardinality of a set of one boolean, which is always at most 1. This rule is what the comment of the text says."

var nsAtMostOneCluster = atMostOne("Inv_NSAtMostOneCluster", "A namespace is assigned to at most 1 cluster."+asMeant, "ns", namespaces,
	func(n *Namespace) int { return n.Clusters.Count(Sync) },
	func(s *State, id string, n *Namespace) (object, shows string) {
		return "namespace " + id, "ns = " + s.show(&n.Clusters)
	})

var pvcAtMostOneCluster = atMostOne("Inv_PVCAtMostOneCluster", "A PVC is assigned to at most 1 cluster."+asMeant, "pvc", pvcs,
	func(p *PVC) int { return p.Clusters.Count(Sync) },
	func(s *State, id string, p *PVC) (object, shows string) {
		return "pvc " + id, "pvc = " + s.show(&p.Clusters)
	})

var usableByAtMostOne = atMostOne("Inv_UsableByAtMostOne",
	"At most one cluster thinks that it can use the PVC. The module's own steps break this: a syncer keeps Sync until it reads the state again. "+
		"Such a step is a legal transition into a state that breaks an invariant.", "pvc_state", syncers,
	func(y *Syncer) int { return y.space.usable },
	func(_ *State, id string, y *Syncer) (object, shows string) {
		return fmt.Sprintf("syncer %s of namespace %s", clusterIn(id), y.space.row.ID()), fmt.Sprintf("%d syncers have Sync", y.space.usable)
	})

// atMostOne is that at most one cluster has Sync in the variable.
func atMostOne[R comparable](
	name, doc, variable string, on *model.Kind[State, R], count func(*R) int, show func(s *State, id string, r *R) (object, shows string),
) *model.Rule[State, R] {
	having := fmt.Sprintf(`Cardinality({c \in CLUSTERS : %s[c] = "Sync"})`, variable)
	return &model.Rule[State, R]{
		RuleDoc: validators.RuleDoc{Name: name, Kind: validators.OfInvariant, Doc: doc, Clauses: []string{having + " <= 1"}},
		On:      on,
		Broken: func(s *State, id string, r *R) string {
			if count(r) <= 1 {
				return ""
			}
			object, shows := show(s, id, r)
			return fmt.Sprintf("%s breaks %s: %s <= 1 (%s)", object, name, having, shows)
		},
		Branches: []model.Branch[State, R]{{Text: having + " = 1", Taken: func(_ *State, r *R) bool { return count(r) == 1 }}},
	}
}
