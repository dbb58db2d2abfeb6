package swarmkit

import "fmt"

var nodeAppears = &allowance{Action: action{
	Name: "node-appears", Actor: "user", Doc: "A node joins the swarm.",
	Bind: func(p *pair) bool { return p.node != nil && len(p.tasks) == 0 && p.node.exists }, Clauses: []clause{
		{Text: `n \in DOMAIN nodes'`, Effect: true, Holds: func(p *pair) bool { return p.node.exists }},
	},
}, Relaxes: `WorkerTypeOK: Node is a constant`, Source: "ca/server.go"}

var nodeDisappears = &allowance{Action: action{
	Name: "node-disappears", Actor: "user", Doc: "A node is removed, and its runnable tasks are given up in the same step.",
	Bind: func(p *pair) bool { return p.node != nil && !p.node.exists }, Clauses: []clause{
		{
			Text:  `no runnable task stays on n`,
			Holds: func(p *pair) bool { return p.node.docker.runnable == p.orphansOf(p.node) },
			Shows: func(p *pair) string {
				return fmt.Sprintf("%d runnable tasks on %s; the step orphans %d", p.node.docker.runnable, p.node.id, p.orphansOf(p.node))
			},
		},
		{Text: `n \notin DOMAIN nodes'`, Effect: true, Holds: func(p *pair) bool { return !p.node.exists }},
	},
}, Relaxes: `WorkerTypeOK: Node is a constant`, Source: "manager/controlapi/node.go, RemoveNode"}

// orphansOf counts the runnable tasks of the node that the part orphans.
func (p *pair) orphansOf(n *node) int {
	count := 0
	for i := range p.tasks {
		c := &p.tasks[i]
		count += b2i(c.was && c.is && c.old.node == n && c.old.state.Runnable() && c.new.state == Orphaned)
	}
	return count
}

var nodeRemovalOrphans = &allowance{Action: action{
	Name: "node-removal-orphans", Actor: "agent", Doc: "Removing a node orphans all its runnable tasks in that step, though it was up, though they were not yet assigned.",
	Bind: orphanTasks.Bind, Clauses: []clause{
		{
			Text: `n leaves DOMAIN nodes in this step`, Effect: true,
			Holds: func(p *pair) bool { return p.whole.leaves(p.node) }, Shows: showNode,
		},
		{
			Text: `UpdateTasks([t \in { t \in tasks : t.node = n /\ Runnable(t) } |-> [t EXCEPT !.status.state = orphaned]])`,
			Holds: (&effect{
				of:    func(p *pair, v *taskValue) bool { return v.node == p.node && v.state.Runnable() },
				to:    orphansOwned.to,
				count: func(p *pair) int { return p.node.docker.runnable },
			}).holds,
			Shows: func(p *pair) string {
				return fmt.Sprintf("%d runnable tasks on %s; the step orphans %d", p.node.docker.runnable, p.node.id, len(p.tasks))
			},
		},
	},
}, Relaxes: `OrphanTasks: ~IsUp(n), assigned \preceq State(t), nodes unchanged`, Source: "manager/controlapi/node.go, orphanNodeTasks"}

// orphanBatch is OrphanTasks of so many tasks that one transaction does not
// hold them.
var orphanBatch = inPlaceOf(orphanTasks,
	orphanTasks.Clauses[1],
	clause{
		Text: `UpdateTasks([t \in affected |-> [t EXCEPT !.status.state = orphaned]]), affected \subseteq { t \in TasksOwnedByNode(n) : Runnable(t) }, of 200 or more`, Effect: true,
		Holds: func(p *pair) bool { return p.whole.cut && orphansOwned.only(p) },
	},
)
