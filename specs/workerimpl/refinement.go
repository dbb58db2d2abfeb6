package workerimpl

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// WSSpec: that a worker which implements Impl also implements WorkerSpec. Its
// actions (WS) see the tasks and nodes only.

var wsSpec = validators.RuleDoc{
	Name: "WSSpec", Kind: validators.OfProperty,
	Doc: "The refinement: every step is a step of WorkerSpec's Agent or of OtherComponent, or leaves the tasks and nodes as they are. " +
		"Of a batched step, each action of the sequence that explains it.",
	Clauses: []string{`[][WS!Agent \/ OtherComponent]_wsVars`},
}

// refined is WS!Agent \/ OtherComponent, where tasks or nodes change.
var refined = validators.Relation[pair]{
	wsProgressTask, wsShutdownComplete, wsOrphanTasks, wsWorkerUp, wsRejectTask, wsContainerExit, wsWorkerDown,
	createTask, updateTask, removeTask,
}

// refines is [WS!Agent \/ OtherComponent]_wsVars.
func (p *pair) refines() bool { return p.sameTasks() && p.sameNodes() || refined.Match(p) != nil }

// upkeep says that the action, where it explains a step, may still break
// WSSpec. All others are WorkerSpec's of that name, OtherComponent's, or leave
// the tasks and nodes as they are.
func (p *pair) upkeep(a *action) bool { return a == syncWithManager && !p.sameTasks() }

// unrefined is the finding of a step that breaks WSSpec.
func (m *machine) unrefined(step *trace.Step, p *pair) validators.Finding {
	line, what := p.subject()
	text := fmt.Sprintf("no action of WorkerSpec explains what this step does to tasks and nodes: %s", what)
	list := refined.Nearest(p, nearestShown)
	if len(list) > 0 {
		text += nearest(&list[0])
	}
	return validators.Finding{Kind: validators.OfProperty, Rule: wsSpec.Name, Pos: step.Events[line].Pos,
		Message: text, Nearest: list, Changes: m.changes()}
}

var wsProgressTask = &action{
	Name: "WS!ProgressTask", Actor: agentActor,
	Bind: bindState,
	Clauses: []clause{
		{Text: `UNCHANGED << nodes, nEvents >>`, Holds: func(p *pair) bool { return p.sameNodes() }},
		{Text: `s2 \preceq t.desired_state`, Holds: func(p *pair) bool { return p.t.new.state.Preceq(p.t.old.desired) }},
		{
			Text:  `<< State(t), State(t2) >> \in { << assigned, accepted >>, << accepted, preparing >>, << preparing, ready >>, << ready, starting >>, << starting, running >> }`,
			Holds: func(p *pair) bool { return isProgress(p.t.old.state, p.t.new.state) },
		},
		{Text: `IsUp(t.node)`, Holds: func(p *pair) bool { return p.t.old.node.isUp() }},
		{
			Text: `UpdateTasks(t :> t2)`, Effect: true,
			Holds: func(p *pair) bool { return p.updates(p.t.old.withState(p.t.new.state)) },
		},
	},
}

var wsShutdownComplete = &action{
	Name: "WS!ShutdownComplete", Actor: agentActor,
	Bind: bindState,
	Clauses: []clause{
		{Text: `UNCHANGED << nodes, nEvents >>`, Holds: func(p *pair) bool { return p.sameNodes() }},
		{
			Text:  `t.desired_state \in {shutdown, remove}`,
			Holds: func(p *pair) bool { return p.t.old.desired == Shutdown || p.t.old.desired == Remove },
			Shows: func(p *pair) string { return "t.desired_state = " + p.t.old.desired.String() },
		},
		{Text: `State(t) = running`, Holds: func(p *pair) bool { return p.t.old.state == Running }},
		{Text: `IsUp(t.node)`, Holds: func(p *pair) bool { return p.t.old.node.isUp() }},
		{
			Text: `UpdateTasks(t :> [t EXCEPT !.status.state = shutdown])`, Effect: true,
			Holds: func(p *pair) bool { return p.updates(p.t.old.withState(Shutdown)) },
		},
	},
}

var wsOrphanTasks = &action{
	Name: "WS!OrphanTasks", Actor: agentActor,
	Bind: bindState,
	Clauses: []clause{
		{Text: `UNCHANGED << nodes, nEvents >>`, Holds: func(p *pair) bool { return p.sameNodes() }},
		{Text: `~IsUp(n)`, Holds: func(p *pair) bool { return p.t.old.node.isDown() }},
		{
			Text:   `UpdateTasks([ t \in { t \in TasksOwnedByNode(n) : Runnable(t) } |-> [t EXCEPT !.status.state = orphaned] ])`,
			Effect: true,
			Holds: func(p *pair) bool {
				n := p.t.old.node
				return n != nil && p.updatesAll(n.owned, func(c *taskChange) bool { return c.orphaned(n) })
			},
		},
	},
}

var wsRejectTask = &action{
	Name: "WS!RejectTask", Actor: agentActor,
	Bind: bindState,
	Clauses: []clause{
		{Text: `UNCHANGED << nodes >>`, Holds: func(p *pair) bool { return p.sameNodes() }},
		{
			Text:  `State(t) \in { assigned, accepted, preparing, ready, starting }`,
			Holds: func(p *pair) bool { return isRejectable(p.t.old.state) },
		},
		{Text: `IsUp(t.node)`, Holds: func(p *pair) bool { return p.t.old.node.isUp() }},
		{
			Text: `UpdateTasks(t :> [t EXCEPT !.status.state = rejected])`, Effect: true,
			Holds: func(p *pair) bool { return p.updates(p.t.old.withState(Rejected)) },
		},
	},
}

var wsContainerExit = &action{
	Name: "WS!ContainerExit", Actor: agentActor,
	Bind: bindState,
	Clauses: []clause{
		{Text: `UNCHANGED << nodes >>`, Holds: func(p *pair) bool { return p.sameNodes() }},
		{Text: `IsUp(n)`, Holds: func(p *pair) bool { return p.t.old.node.isUp() }},
		{
			Text: `ts \in SUBSET { t \in tasks : t.node = n /\ State(t) = running }`,
			Holds: func(p *pair) bool {
				n := p.t.old.node
				return p.allTasks(func(c *taskChange) bool { return c.old.node == n && c.old.state == Running })
			},
		},
		{
			Text:   `UpdateTasks( [ t \in ts |-> [t EXCEPT !.status.state = IF s2[t] = failed /\ t.desired_state = shutdown THEN shutdown ELSE s2[t]] ] )`,
			Effect: true,
			Holds: func(p *pair) bool {
				return p.allTasks(func(c *taskChange) bool {
					failed := Failed
					if c.old.desired == Shutdown {
						failed = Shutdown
					}
					return c.new == c.old.withState(Complete) || c.new == c.old.withState(failed)
				})
			},
			Shows: func(p *pair) string {
				return fmt.Sprintf("State(t2) = %s, t.desired_state = %s", p.t.new.state, p.t.old.desired)
			},
		},
	},
}

var wsWorkerUp = &action{
	Name: "WS!WorkerUp", Actor: agentActor,
	Bind: func(p *pair) bool { return bindNode(p, true) },
	Clauses: []clause{
		{Text: `UNCHANGED << tasks, nEvents >>`, Holds: func(p *pair) bool { return p.sameTasks() }},
		{Text: `~IsUp(n)`, Holds: func(p *pair) bool { return p.n.isDown() }},
		{Text: `nodes' = [nodes EXCEPT ![n] = nodeUp]`, Effect: true, Holds: func(p *pair) bool { return p.setsNode() }},
	},
}

var wsWorkerDown = &action{
	Name: "WS!WorkerDown", Actor: agentActor,
	Bind: func(p *pair) bool { return bindNode(p, false) },
	Clauses: []clause{
		{Text: `UNCHANGED << tasks >>`, Holds: func(p *pair) bool { return p.sameTasks() }},
		{Text: `IsUp(n)`, Holds: func(p *pair) bool { return p.n.isUp() }},
		{Text: `nodes' = [nodes EXCEPT ![n] = nodeDown]`, Effect: true, Holds: func(p *pair) bool { return p.setsNode() }},
	},
}
