package workerimpl

import (
	"fmt"

	"tracecheck/internal/amount"
	"tracecheck/specs/internal/swarm"
)

// What the worker and its connection to the managers do to tasks and nodes.

var rejectTask = &action{
	Name: "RejectTask", Actor: agentActor, Doc: "The worker rejects a task before it runs.",
	Some: someState, Unchanged: unchanged(`UNCHANGED << nodes, containers >>`, nodes|containers),
	Guards: []clause{
		{
			Text:  `State(t) \in { assigned, accepted, preparing, ready, starting }`,
			Holds: func(p *pair) bool { return p.t.old.state.IsRejectable() },
			Shows: func(p *pair) string { return "State(t) = " + p.t.old.state.String() },
		},
		{
			Text:  `t.node = node`,
			Holds: func(p *pair) bool { return p.t.old.node == p.node },
			Shows: func(p *pair) string { return fmt.Sprintf("t.node = %s, node = %s", p.t.old.node.name(), p.node.name()) },
		},
		linked(`IsUp(node)`, (*node).isUp),
	},
	Effect: func(_ *pair, u *local) { u.task.state = Rejected },
	Primed: []primed{{Text: `UpdateTasks(t :> [t EXCEPT !.status.state = rejected])`, Of: tasks}},
}

var workerDown = &action{
	Name: "WorkerDown", Actor: agentActor, Doc: "The dispatcher notices that a worker is down.",
	Some: someNode(false), Unchanged: unchanged(`UNCHANGED << tasks, containers >>`, tasks|containers),
	Guards: []clause{{Text: `IsUp(n)`, Holds: func(p *pair) bool { return p.n.isUp() }, Shows: func(p *pair) string { return showNode(p.n) }}},
	Effect: func(_ *pair, u *local) { u.up = false },
	Primed: []primed{{Text: `nodes' = [nodes EXCEPT ![n] = WS!nodeDown]`, Of: nodes}},
}

var workerUp = &action{
	Name: "WorkerUp", Actor: agentActor, Doc: "A node that was down reconnects to the cluster.",
	Some: someNode(true), Unchanged: unchanged(`UNCHANGED << nEvents, containers, tasks >>`, containers|tasks),
	Guards: []clause{{Text: `~IsUp(n)`, Holds: func(p *pair) bool { return p.n.isDown() }, Shows: func(p *pair) string { return showNode(p.n) }}},
	Effect: func(_ *pair, u *local) { u.up = true },
	Primed: []primed{{Text: `nodes' = [nodes EXCEPT ![n] = WS!nodeUp]`, Of: nodes}},
}

var orphanTasks = &action{
	Name: "OrphanTasks", Actor: agentActor,
	Doc: "A node has been down for long: every task that it owns and that still runs becomes orphaned.",
	Some: func(p *pair) bool {
		return p.someTask(func(c *taskChange) bool {
			return c.was && c.is && c.old.state != Orphaned && c.new.state == Orphaned
		})
	},
	Unchanged: unchanged(`UNCHANGED << nodes, containers, nEvents >>`, nodes|containers),
	Link:      (*node).isDown, Guards: []clause{linked(`~IsUp(node)`, (*node).isDown)},
	Whole: true,
	Effect: func(p *pair, u *local) {
		if u.has && u.task.node == p.node && u.task.state.Owned() {
			u.task.state = Orphaned
		}
	},
	Primed: []primed{{
		Text: `UpdateTasks([ t \in { t \in TasksOwnedByNode(node) : Runnable(t) } |-> [t EXCEPT !.status.state = orphaned] ])`, Of: tasks,
		Shows: func(p *pair) string {
			return fmt.Sprintf("runnable tasks owned by %s: %d; the step changes %s", p.node.id, p.node.wholes[symbolOrphan].tasks, amount.Of(len(p.tasks), "task"))
		},
	}},
	Stutters: func(s *state) bool { return s.workerTotals().idle[symbolOrphan] > 0 },
}

func showNode(n *node) string {
	if n == nil {
		return swarm.NoNode
	}
	return swarm.Link(n.id, n.shown, n.exists, n.up)
}
