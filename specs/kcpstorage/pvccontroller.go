package kcpstorage

import (
	"fmt"

	"tracecheck/validators/model"
)

var pvcController = &action{
	Name: "PVCController", Doc: "The kcp-level PVC controller sets a PVC's state to match the namespace's.",
	Some: model.ChangedAs(pvcs, func(_ *State, c *pvcChange, try func(witness) bool) bool {
		return try(witness{space: c.New.space, pvc: c})
	}),
	Effect: func(_ *State, p *witness) { p.pvc.Write().Clusters = p.change.Now.Clusters },
	Primed: []primed{
		{
			Text: `pvc' = ns`, Of: []group{varPVC},
			Shows: func(s *State, p *witness) string {
				if n := len(s.pvcs.Changed()); n > 1 {
					return fmt.Sprintf("%d PVCs change", n)
				}
				return fmt.Sprintf("ns = %s, pvc' = %s", s.show(&p.change.Now.Clusters), s.show(&p.pvc.New.Clusters))
			},
		},
		{
			Text: `UNCHANGED << ns, pvc_state >>`, Of: []group{varNS, varPVCState},
			Shows: func(s *State, p *witness) string {
				return fmt.Sprintf("%s; %d syncers change", showNS(s, p), len(s.syncers.Changed()))
			},
		},
	},
	Stutters: func(s *State) bool {
		alike, _ := s.now.compare()
		return alike > 0 || s.now.newPVC && s.now.ns.Len() == 0
	},
}
