package swarmkit

import (
	"fmt"

	"tracecheck/internal/amount"
	"tracecheck/specs/internal/swarm"
)

// AgentTLC: the actions of WorkerSpec, each with UNCHANGED services, in
// AgentTLC's order.

var progressTask = &action{
	Name: "ProgressTask", Actor: "agent", Doc: "The agent advances a task towards running.",
	Bind: bindState, Clauses: []clause{
		onlyTasks,
		{
			Text:  `<< State(t), s2 >> \in { << assigned, accepted >>, << accepted, preparing >>, << preparing, ready >>, << ready, starting >>, << starting, running >> }`,
			Holds: func(p *pair) bool { return p.t.old.state.IsProgress(p.t.new.state) },
			Shows: func(p *pair) string { return fmt.Sprintf("<< %s, %s >>", p.t.old.state, p.t.new.state) },
		},
		{
			Text:  `s2 \preceq t.desired_state`,
			Holds: func(p *pair) bool { return p.t.new.state.Preceq(p.t.old.desired) },
			Shows: func(p *pair) string {
				return fmt.Sprintf("s2 = %s, t.desired_state = %s", p.t.new.state, p.t.old.desired)
			},
		},
		linked(`IsUp(t.node)`, (*node).isUp),
		{
			Text: `UpdateTasks(t :> [t EXCEPT !.status.state = s2])`, Effect: true,
			Holds: func(p *pair) bool { return p.updates(p.t, p.t.old.withState(p.t.new.state)) },
		},
	},
}

var shutdownComplete = &action{
	Name: "ShutdownComplete", Actor: "agent", Doc: "A running task that was to stop has stopped.",
	Bind: bindState, Clauses: []clause{
		onlyTasks,
		{
			Text:  `t.desired_state \in { shutdown, remove }`,
			Holds: func(p *pair) bool { return p.t.old.desired == Shutdown || p.t.old.desired == Remove },
			Shows: showDesired,
		},
		inState(Running),
		linked(`IsUp(t.node)`, (*node).isUp),
		becomes(Shutdown),
	},
}

var orphanTasks = &action{
	Name: "OrphanTasks", Actor: "agent",
	Doc: "A node has been down for long: every task that it owns and that still runs becomes orphaned.",
	Bind: someTask(func(c *taskChange) bool {
		return c.was && c.is && c.old.state != Orphaned && c.new.state == Orphaned && c.old.node != nil
	}),
	Clauses: []clause{
		onlyTasks,
		linked(`~IsUp(n)`, (*node).isDown),
		orphansOwned.clause(`UpdateTasks([t \in { t \in TasksOwnedByNode(n) : Runnable(t) } |-> [t EXCEPT !.status.state = orphaned]])`,
			func(p *pair) string {
				return fmt.Sprintf("%d runnable tasks are owned by %s; the step changes %s", p.node.owned, p.node.id, amount.Of(len(p.tasks), "task"))
			}),
	},
	Stutter: func(p *pair) bool { return p.s.totals.idleDown > 0 },
}

var workerUp = &action{
	Name: "WorkerUp", Actor: "agent", Doc: "A node that was down connects again.",
	Bind: bindNode(true), Clauses: []clause{
		unchanged("services", "tasks", "nEvents"),
		linked(`~IsUp(n)`, (*node).isDown),
		{Text: `nodes' = [nodes EXCEPT ![n] = nodeUp]`, Effect: true, Holds: func(p *pair) bool { return len(p.nodes) == 1 && p.nodes[0].new.bad == 0 }},
	},
}

var rejectTask = &action{
	Name: "RejectTask", Actor: "agent", Doc: "The agent rejects a task before it runs.",
	Bind: bindState, Clauses: []clause{
		unchanged("services", "nodes"),
		{
			Text:  `State(t) \in { assigned, accepted, preparing, ready, starting }`,
			Holds: func(p *pair) bool { return p.t.old.state.IsRejectable() },
			Shows: showState,
		},
		linked(`IsUp(t.node)`, (*node).isUp),
		becomes(Rejected),
	},
}

var containerExit = &action{
	Name: "ContainerExit", Actor: "agent",
	Doc:  "Any number of the tasks that run on one node end, well or badly.",
	Bind: bindState, Clauses: []clause{
		unchanged("services", "nodes"),
		linked(`IsUp(n)`, (*node).isUp),
		{
			Text: `affected \in SUBSET { t \in tasks : t.node = n /\ State(t) = running }`,
			Holds: func(p *pair) bool {
				return p.all(func(c *taskChange) bool { return c.old.node == p.node && c.old.state == Running })
			},
			Shows: func(p *pair) string {
				return fmt.Sprintf("State(t) = %s; the step changes %s", p.t.old.state, amount.Of(len(p.tasks), "task"))
			},
		},
		{
			Text:   `UpdateTasks([t \in affected |-> [t EXCEPT !.status.state = IF s2 = failed /\ t.desired_state = shutdown THEN shutdown ELSE s2]]), s2 \in { failed, complete }`,
			Effect: true,
			Holds: func(p *pair) bool {
				return p.all(func(c *taskChange) bool {
					return c.old.desired.EndsAs(c.new.state) && c.new == c.old.withState(c.new.state)
				})
			},
		},
	},
	Stutter: func(p *pair) bool { return p.s.totals.up > 0 }, // of no task
}

var workerDown = &action{
	Name: "WorkerDown", Actor: "agent", Doc: "The connection to a node is lost.",
	Bind: bindNode(false), Clauses: []clause{
		unchanged("services", "tasks"),
		linked(`IsUp(n)`, (*node).isUp),
		{Text: `nodes' = [nodes EXCEPT ![n] = nodeDown]`, Effect: true, Holds: func(p *pair) bool { return len(p.nodes) == 1 && p.nodes[0].new.bad == 0 }},
	},
}

func showNode(p *pair) string {
	n := p.node
	if n == nil {
		return swarm.NoNode
	}
	return swarm.Link(n.id, n.shown, n.exists, n.up)
}
