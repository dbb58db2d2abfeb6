package kcpstorage

import "fmt"

// syncerProcess is Syncer(self), for self \in CLUSTERS.
var syncerProcess = &action{
	Name: "Syncer", Doc: "The syncer process running on a workload cluster updates its local state to match the desired one.",
	Bind: func(p *pair) bool { return len(p.syncers) > 0 },
	Clauses: []clause{
		{
			Text:  `self \in CLUSTERS`,
			Holds: func(p *pair) bool { return p.clusters.has(p.syncers[0].cluster) },
			Shows: func(p *pair) string { return "self = " + p.clusters.names[p.syncers[0].cluster] },
		},
		{
			Text: `pvc_state' = [pvc_state EXCEPT ![self] = ns[self]]`, Effect: true,
			Holds: func(p *pair) bool {
				c := &p.syncers[0]
				return len(p.syncers) == 1 && c.new != badState && c.new == p.was.of(c.cluster)
			},
			Shows: func(p *pair) string {
				if len(p.syncers) > 1 {
					return fmt.Sprintf("%d syncers change", len(p.syncers))
				}
				c := &p.syncers[0]
				return fmt.Sprintf("ns[self] = %s, pvc_state'[self] = %s", p.was.of(c.cluster), c.new)
			},
		},
		{
			Text:  `UNCHANGED << ns, pvc >>`,
			Holds: func(p *pair) bool { return p.sameNS() && len(p.pvcs) == 0 },
			Shows: func(p *pair) string { return fmt.Sprintf("%s; %d PVCs change", showNS(p), len(p.pvcs)) },
		},
	},
	Stutter: func(p *pair) bool { return p.clusters.cardinality() > p.space.behind },
}
