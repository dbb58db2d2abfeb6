package swarmkit

import (
	"fmt"
	"slices"
)

var nodeAppears = &allowance{Action: action{
	Name: "node-appears", Actor: "user", Doc: "A node joins the swarm.",
	Bind: hasNode, Clauses: []clause{
		{Text: `n \in DOMAIN nodes'`, Effect: true, Holds: func(p *pair) bool { return p.node.exists }},
	},
}, Relaxes: `WorkerTypeOK: Node is a constant`, Source: "ca/server.go"}

var nodeDisappears = &allowance{Action: action{
	Name: "node-disappears", Actor: "user", Doc: "A user removes a node. The same step orphans its runnable tasks.",
	Bind: hasNode, Clauses: []clause{
		{
			Text:  `n has no runnable task after the step`,
			Holds: func(p *pair) bool { return p.node.docker.runnable == p.orphans() },
			Shows: showOrphans,
		},
		{Text: `n \notin DOMAIN nodes'`, Effect: true, Holds: func(p *pair) bool { return !p.node.exists }},
	},
}, Relaxes: `WorkerTypeOK: Node is a constant`, Source: "manager/controlapi/node.go, RemoveNode"}

func hasNode(p *pair) bool { return p.node != nil }

func showOrphans(p *pair) string {
	return fmt.Sprintf("%d runnable tasks on %s; the step orphans %d", p.node.docker.runnable, p.node.id, p.orphans())
}

// orphans counts the runnable tasks of the node that the part orphans.
func (p *pair) orphans() (count int) {
	for i := range p.tasks {
		c := &p.tasks[i]
		count += b2i(c.was && c.is && c.old.node == p.node && c.old.state.Runnable() && c.new.state == Orphaned)
	}
	return count
}

var nodeRemovalOrphans = &allowance{Action: action{
	Name: "node-removal-orphans", Actor: "agent", Doc: "The removal of a node orphans all its runnable tasks in the same step. The node may be up, and a task may be new or pending.",
	Bind: orphanTasks.Bind, Clauses: []clause{
		{
			Text: `the step removes the node n`, Effect: true,
			Holds: func(p *pair) bool {
				return slices.ContainsFunc(p.whole.left, func(l nodeMove) bool { return l.node == p.node })
			},
			Shows: showNode,
		},
		{
			Text: `UpdateTasks([t \in { t \in tasks : t.node = n /\ Runnable(t) } |-> [t EXCEPT !.status.state = orphaned]])`,
			Holds: (&effect{
				of:    func(p *pair, v *taskValue) bool { return v.node == p.node && v.state.Runnable() },
				to:    orphansOwned.to,
				count: func(p *pair) int { return p.node.docker.runnable },
			}).holds,
			Shows: showOrphans,
		},
	},
}, Relaxes: `OrphanTasks needs ~IsUp(n), assigned \preceq State(t), and UNCHANGED nodes`, Source: "manager/controlapi/node.go, orphanNodeTasks"}

// orphanBatch is OrphanTasks of more tasks than one transaction holds.
var orphanBatch = inPlaceOf(orphanTasks,
	orphanTasks.Clauses[1],
	clause{
		Text: `UpdateTasks([t \in affected |-> [t EXCEPT !.status.state = orphaned]]), affected \subseteq { t \in TasksOwnedByNode(n) : Runnable(t) }, in a step of 200 or more changes`, Effect: true,
		Holds: func(p *pair) bool { return p.whole.cut && orphansOwned.only(p) },
	},
)
