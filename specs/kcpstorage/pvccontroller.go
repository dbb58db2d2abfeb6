package kcpstorage

import "fmt"

var pvcController = &action{
	Name: "PVCController", Doc: "The kcp-level PVC controller sets a PVC's state to match the namespace's.",
	Bind: func(p *pair) bool { return len(p.pvcs) > 0 },
	Clauses: []clause{
		{
			Text: `pvc' = ns`, Effect: true,
			Holds: func(p *pair) bool { return len(p.pvcs) == 1 && p.pvcs[0].new.equal(p.was) },
			Shows: func(p *pair) string {
				if len(p.pvcs) > 1 {
					return fmt.Sprintf("%d PVCs change", len(p.pvcs))
				}
				return fmt.Sprintf("ns = %s, pvc' = %s", p.clusters.show(p.was.mapping), p.clusters.show(p.pvcs[0].new.mapping))
			},
		},
		{
			Text:  `UNCHANGED << ns, pvc_state >>`,
			Holds: func(p *pair) bool { return p.sameNS() && len(p.syncers) == 0 },
			Shows: func(p *pair) string { return fmt.Sprintf("%s; %d syncers change", showNS(p), len(p.syncers)) },
		},
	},
	Stutter: func(p *pair) bool { return p.space.follows() || p.newPVC && len(p.was.mapping) == 0 },
}
