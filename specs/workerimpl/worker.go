package workerimpl

import "fmt"

// What the worker and its connection to the managers do to tasks and nodes.

var rejectTask = &action{
	Name: "RejectTask", Actor: agentActor, Doc: "The worker rejects a task before it runs.",
	Bind: bindState,
	Clauses: []clause{
		{Text: `UNCHANGED << nodes, containers >>`, Holds: func(p *pair) bool { return p.sameNodes() && p.sameContainers() }},
		{
			Text:  `State(t) \in { assigned, accepted, preparing, ready, starting }`,
			Holds: func(p *pair) bool { return isRejectable(p.t.old.state) },
			Shows: func(p *pair) string { return "State(t) = " + p.t.old.state.String() },
		},
		{
			Text:  `t.node = node`,
			Holds: func(p *pair) bool { return p.t.old.node == p.node },
			Shows: func(p *pair) string { return fmt.Sprintf("t.node = %s, node = %s", p.t.old.node.name(), p.node.name()) },
		},
		{Text: `IsUp(node)`, Holds: func(p *pair) bool { return p.node.isUp() }, Shows: func(p *pair) string { return showNode(p.node) }},
		{
			Text: `UpdateTasks(t :> [t EXCEPT !.status.state = rejected])`, Effect: true,
			Holds: func(p *pair) bool { return p.updates(p.t.old.withState(Rejected)) },
		},
	},
}

// isRejectable is s \in { assigned, accepted, preparing, ready, starting }.
func isRejectable(s State) bool { return Assigned.Preceq(s) && s.Prec(Running) }

var workerDown = &action{
	Name: "WorkerDown", Actor: agentActor, Doc: "The dispatcher notices that a worker is down.",
	Bind: func(p *pair) bool { return bindNode(p, false) },
	Clauses: []clause{
		{Text: `UNCHANGED << tasks, containers >>`, Holds: func(p *pair) bool { return p.sameTasks() && p.sameContainers() }},
		{Text: `IsUp(n)`, Holds: func(p *pair) bool { return p.n.isUp() }, Shows: func(p *pair) string { return showNode(p.n) }},
		{Text: `nodes' = [nodes EXCEPT ![n] = WS!nodeDown]`, Effect: true, Holds: func(p *pair) bool { return p.setsNode() }},
	},
}

var workerUp = &action{
	Name: "WorkerUp", Actor: agentActor, Doc: "A node that was down reconnects to the cluster.",
	Bind: func(p *pair) bool { return bindNode(p, true) },
	Clauses: []clause{
		{Text: `UNCHANGED << nEvents, containers, tasks >>`, Holds: func(p *pair) bool { return p.sameTasks() && p.sameContainers() }},
		{Text: `~IsUp(n)`, Holds: func(p *pair) bool { return p.n.isDown() }, Shows: func(p *pair) string { return showNode(p.n) }},
		{Text: `nodes' = [nodes EXCEPT ![n] = WS!nodeUp]`, Effect: true, Holds: func(p *pair) bool { return p.setsNode() }},
	},
}

// setsNode is nodes' = [nodes EXCEPT ![n] = …], of a value in NodeState.
func (p *pair) setsNode() bool { return len(p.nodes) == 1 && p.nodes[0].new.bad == 0 }

var orphanTasks = &action{
	Name: "OrphanTasks", Actor: agentActor,
	Doc: "A node has been down for long: every task that it owns and that still runs becomes orphaned.",
	Bind: func(p *pair) bool {
		return p.bindTask(func(c *taskChange) bool {
			return c.was && c.is && c.old.state != Orphaned && c.new.state == Orphaned
		})
	},
	Clauses: []clause{
		{
			Text:  `UNCHANGED << nodes, containers, nEvents >>`,
			Holds: func(p *pair) bool { return p.sameNodes() && p.sameContainers() },
		},
		{Text: `~IsUp(node)`, Holds: func(p *pair) bool { return p.node.isDown() }, Shows: func(p *pair) string { return showNode(p.node) }},
		{
			Text:   `UpdateTasks([ t \in { t \in TasksOwnedByNode(node) : Runnable(t) } |-> [t EXCEPT !.status.state = orphaned] ])`,
			Effect: true,
			Holds: func(p *pair) bool {
				return p.updatesAll(p.node.owned, func(c *taskChange) bool { return c.orphaned(p.node) })
			},
			Shows: func(p *pair) string {
				return fmt.Sprintf("%d runnable tasks are owned by %s; the step changes %d tasks", p.node.owned, p.node.id, len(p.tasks))
			},
		},
	},
	Stutter: func(p *pair) bool { return p.s.workerTotals().empty > 0 },
}

// orphaned says that OrphanTasks of node n does this to the task.
func (c *taskChange) orphaned(n *node) bool {
	return c.old.node == n && c.old.state.Owned() && c.new == c.old.withState(Orphaned)
}

func showNode(n *node) string {
	switch {
	case n == nil:
		return "the task has no node"
	case !n.shown:
		return fmt.Sprintf("the stream has shown no node %s", n.id)
	case !n.exists:
		return fmt.Sprintf("node %s was removed", n.id)
	case n.up:
		return fmt.Sprintf("nodes[%s] = up", n.id)
	default:
		return fmt.Sprintf("nodes[%s] = down", n.id)
	}
}
