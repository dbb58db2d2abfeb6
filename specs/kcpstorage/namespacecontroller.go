package kcpstorage

import (
	"fmt"

	"tracecheck/validators/model"
)

// witness is what Next's quantifiers choose, and of which namespace.
type witness struct {
	*space
	c       model.Symbol // the cluster
	assigns bool         // either: a NS is assigned to c; or: it is removed
	pvc     *pvcChange
	syncer  *syncerChange
}

type (
	action = model.Action[State, witness]
	clause = model.Clause[State, witness]
	primed = model.Primed[State, witness]
	group  = model.Group[State]
)

var namespaceController = &action{
	Name: "NamespaceController", Doc: "The kcp-level namespace controller assigns the namespace to a cluster, or removes it from one.",
	Some: model.ChangedAs(namespaces, func(_ *State, n *nsChange, try func(witness) bool) bool {
		p, any := witness{space: n.New.space}, false
		n.Now.Clusters.Differences(&n.New.Clusters, func(c model.Symbol, from, _ SyncState) {
			if !any {
				p.c, p.assigns, any = c, from != Sync, true
			}
		})
		return try(p)
	}),
	Guards: []clause{{
		Text:  `either \A c \in CLUSTERS : ns[c] = "nil"`,
		Holds: func(_ *State, p *witness) bool { return !p.assigns || p.change.Now.Clusters.Len() == 0 },
		Shows: func(s *State, p *witness) string { return "ns = " + s.show(&p.change.Now.Clusters) },
	}},
	Effect: func(s *State, p *witness) {
		to := Nil
		if p.assigns {
			to = Sync
		}
		if n := p.change.Write(); s.clusters.Has(p.c) && !n.Clusters.IsBad() {
			n.Clusters = n.Clusters.With(p.c, to)
		}
	},
	Primed: []primed{
		{
			Text: `\E c \in CLUSTERS : ns' = [ns EXCEPT ![c] = "Sync"]`, Of: []group{varNS}, Shows: showNS,
			If: func(_ *State, p *witness) bool { return p.assigns },
		},
		{
			Text: `or \E c \in {c \in CLUSTERS : ns[c] = "Sync"} : ns' = [ns EXCEPT ![c] = "nil"]`, Of: []group{varNS}, Shows: showNS,
			If: func(_ *State, p *witness) bool { return !p.assigns },
		},
		{
			Text: `UNCHANGED << pvc, pvc_state >>`, Of: []group{varPVC, varPVCState},
			Shows: func(s *State, _ *witness) string {
				return fmt.Sprintf("%d PVCs and %d syncers change", len(s.pvcs.Changed()), len(s.syncers.Changed()))
			},
		},
	},
}

func showNS(s *State, p *witness) string {
	return fmt.Sprintf("ns = %s, ns' = %s", s.show(&p.change.Now.Clusters), s.show(&p.change.New.Clusters))
}
