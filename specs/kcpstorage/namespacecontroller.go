package kcpstorage

import "fmt"

var namespaceController = &action{
	Name: "NamespaceController", Doc: "The kcp-level namespace controller assigns the namespace to a cluster, or removes it from one.",
	Bind: func(p *pair) bool {
		p.differ = 0
		p.was.differences(p.ns.mapping, func(c cluster, from, _ SyncState) {
			if p.differ == 0 {
				p.c, p.assigns = c, from != Sync
			}
			p.differ++
		})
		return p.differ > 0
	},
	Clauses: []clause{
		{
			Text:  `either \A c \in CLUSTERS : ns[c] = "nil"`,
			Holds: func(p *pair) bool { return !p.assigns || len(p.was.mapping) == 0 },
			Shows: func(p *pair) string { return "ns = " + p.clusters.show(p.was.mapping) },
		},
		{
			Text: `\E c \in CLUSTERS : ns' = [ns EXCEPT ![c] = "Sync"]`, Effect: true,
			Holds: func(p *pair) bool { return !p.assigns || p.sets(Sync) },
			Shows: showNS,
		},
		{
			Text: `or \E c \in {c \in CLUSTERS : ns[c] = "Sync"} : ns' = [ns EXCEPT ![c] = "nil"]`, Effect: true,
			Holds: func(p *pair) bool { return p.assigns || p.sets(Nil) },
			Shows: showNS,
		},
		{
			Text:  `UNCHANGED << pvc, pvc_state >>`,
			Holds: func(p *pair) bool { return len(p.pvcs) == 0 && len(p.syncers) == 0 },
			Shows: func(p *pair) string {
				return fmt.Sprintf("%d PVCs and %d syncers change", len(p.pvcs), len(p.syncers))
			},
		},
	},
}

// sets is ns' = [ns EXCEPT ![c] = s], for the witness c.
func (p *pair) sets(s SyncState) bool {
	return p.differ == 1 && p.clusters.has(p.c) && p.ns.of(p.c) == s && !p.ns.bad && !p.was.bad
}

func showNS(p *pair) string {
	return fmt.Sprintf("ns = %s, ns' = %s", p.clusters.show(p.was.mapping), p.clusters.show(p.ns.mapping))
}
