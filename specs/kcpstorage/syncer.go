package kcpstorage

import (
	"fmt"

	"tracecheck/validators/model"
)

// syncerProcess is Syncer(self), for self \in CLUSTERS.
var syncerProcess = &action{
	Name: "Syncer", Doc: "The syncer process running on a workload cluster updates its local state to match the desired one.",
	Some: model.ChangedAs(syncers, func(_ *State, c *syncerChange, try func(witness) bool) bool {
		return try(witness{space: c.New.space, c: c.New.cluster, syncer: c})
	}),
	Guards: []clause{{
		Text:  `self \in CLUSTERS`,
		Holds: func(s *State, p *witness) bool { return s.clusters.Has(p.c) },
		Shows: func(s *State, p *witness) string { return "self = " + s.clusters.Name(p.c) },
	}},
	Effect: func(_ *State, p *witness) {
		if to := p.change.Now.Clusters.Of(p.c); to != badState {
			p.syncer.Write().State = to
		}
	},
	Primed: []primed{
		{
			Text: `pvc_state' = [pvc_state EXCEPT ![self] = ns[self]]`, Of: []group{varPVCState},
			Shows: func(s *State, p *witness) string {
				if n := len(s.syncers.Changed()); n > 1 {
					return fmt.Sprintf("%d syncers change", n)
				}
				return fmt.Sprintf("ns[self] = %s, pvc_state'[self] = %s", p.change.Now.Clusters.Of(p.c), p.syncer.New.State)
			},
		},
		{
			Text: `UNCHANGED << ns, pvc >>`, Of: []group{varNS, varPVC},
			Shows: func(s *State, p *witness) string {
				return fmt.Sprintf("%s; %d PVCs change", showNS(s, p), len(s.pvcs.Changed()))
			},
		},
	},
	Stutters: func(s *State) bool { return max(1, s.clusters.Len()) > s.now.behind },
}
