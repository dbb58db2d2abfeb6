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
	Doc: "The refinement of WorkerSpec: every step is a step of WorkerSpec's Agent or of OtherComponent, or changes no task and no node. " +
		"In a batched step, this holds for each action of the sequence that explains it.",
	Clauses: []string{`[][WS!Agent \/ OtherComponent]_wsVars`},
}

// refined is WS!Agent \/ OtherComponent, where tasks or nodes change.
var refined = relation([]*action{
	wsProgressTask, wsShutdownComplete, wsOrphanTasks, wsWorkerUp, wsRejectTask, wsContainerExit, wsWorkerDown,
	createTask, updateTask, removeTask,
})

// refines is [WS!Agent \/ OtherComponent]_wsVars.
func (p *pair) refines() bool { return p.same(tasks|nodes) || refined.Match(p) != nil }

// explained is the first action that explains the pair, nil if none does, and whether what
// it does is in WSSpec. All but one are WorkerSpec's of that name, OtherComponent's, or
// leave the tasks and nodes as they are.
func (p *pair) explained() (by *action, refines bool) {
	changed := p.changed()
	for _, a := range next {
		if a.Unchanged.of&changed == 0 && a.match.Match(p) {
			return a, a != syncWithManager || p.refines()
		}
	}
	return nil, true
}

// unrefined is the finding of a step that breaks WSSpec.
func (m *machine) unrefined(step *trace.Step, p *pair) validators.Finding {
	line, what := p.subject()
	text := "no action of WorkerSpec explains what this step does to tasks and nodes: " + what
	f := validators.Unexplained(step, line, text, refined.Nearest(p, nearestShown), m.changes())
	f.Kind, f.Rule = validators.OfProperty, wsSpec.Name
	return f
}

var wsProgressTask = &action{
	Name: "WS!ProgressTask", Actor: agentActor,
	Some: someState, Unchanged: unchanged(`UNCHANGED << nodes, nEvents >>`, nodes),
	Guards: []clause{
		{Text: `s2 \preceq t.desired_state`, Holds: func(p *pair) bool { return p.t.new.state.Preceq(p.t.old.desired) }},
		{
			Text:  `<< State(t), State(t2) >> \in { << assigned, accepted >>, << accepted, preparing >>, << preparing, ready >>, << ready, starting >>, << starting, running >> }`,
			Holds: func(p *pair) bool { return p.t.old.state.IsProgress(p.t.new.state) },
		},
		onItsNode,
	},
	Effect: func(p *pair, u *local) { u.task.state = p.t.new.state },
	Primed: []primed{{Text: `UpdateTasks(t :> t2)`, Of: tasks}},
}

// onItsNode is what WorkerSpec asks in place of `node`.
var onItsNode = clause{Text: `IsUp(t.node)`, Holds: func(p *pair) bool { return p.t.old.node.isUp() }}

var wsShutdownComplete = &action{
	Name: "WS!ShutdownComplete", Actor: agentActor,
	Some: someState, Unchanged: unchanged(`UNCHANGED << nodes, nEvents >>`, nodes),
	Guards: []clause{
		{
			Text:  `t.desired_state \in {shutdown, remove}`,
			Holds: func(p *pair) bool { return p.t.old.desired == Shutdown || p.t.old.desired == Remove },
			Shows: func(p *pair) string { return "t.desired_state = " + p.t.old.desired.String() },
		},
		{Text: `State(t) = running`, Holds: func(p *pair) bool { return p.t.old.state == Running }},
		onItsNode,
	},
	Effect: func(_ *pair, u *local) { u.task.state = Shutdown },
	Primed: []primed{{Text: `UpdateTasks(t :> [t EXCEPT !.status.state = shutdown])`, Of: tasks}},
}

var wsOrphanTasks = &action{
	Name: "WS!OrphanTasks", Actor: agentActor,
	Some: someState, Unchanged: unchanged(`UNCHANGED << nodes, nEvents >>`, nodes),
	Guards: []clause{{Text: `~IsUp(n)`, Holds: func(p *pair) bool { return p.t.old.node.isDown() }}},
	Primed: []primed{{
		Text: `UpdateTasks([ t \in { t \in TasksOwnedByNode(n) : Runnable(t) } |-> [t EXCEPT !.status.state = orphaned] ])`,
		Holds: func(p *pair) bool { // as of OrphanTasks of that node
			n := p.t.old.node
			return n != nil && orphanTasks.makes(&pair{s: p.s, node: n, tasks: p.tasks}, tasks)
		},
	}},
}

var wsRejectTask = &action{
	Name: "WS!RejectTask", Actor: agentActor,
	Some: someState, Unchanged: unchanged(`UNCHANGED << nodes >>`, nodes),
	Guards: []clause{
		{
			Text:  `State(t) \in { assigned, accepted, preparing, ready, starting }`,
			Holds: func(p *pair) bool { return p.t.old.state.IsRejectable() },
		},
		onItsNode,
	},
	Effect: rejectTask.Effect,
	Primed: []primed{{Text: `UpdateTasks(t :> [t EXCEPT !.status.state = rejected])`, Of: tasks}},
}

var wsContainerExit = &action{
	Name: "WS!ContainerExit", Actor: agentActor,
	Some: someState, Unchanged: unchanged(`UNCHANGED << nodes >>`, nodes),
	Guards: []clause{
		{Text: `IsUp(n)`, Holds: func(p *pair) bool { return p.t.old.node.isUp() }},
		{
			Text: `ts \in SUBSET { t \in tasks : t.node = n /\ State(t) = running }`,
			Holds: func(p *pair) bool {
				n := p.t.old.node
				return p.allTasks(func(c *taskChange) bool { return c.old.node == n && c.old.state == Running })
			},
		},
	},
	Primed: []primed{{
		Text: `UpdateTasks( [ t \in ts |-> [t EXCEPT !.status.state = IF s2[t] = failed /\ t.desired_state = shutdown THEN shutdown ELSE s2[t]] ] )`,
		Holds: func(p *pair) bool { // for some s2
			return p.allTasks(func(c *taskChange) bool {
				return c.old.desired.EndsAs(c.new.state) && c.new == c.old.withState(c.new.state)
			})
		},
		Shows: func(p *pair) string {
			return fmt.Sprintf("State(t2) = %s, t.desired_state = %s", p.t.new.state, p.t.old.desired)
		},
	}},
}

var wsWorkerUp = &action{
	Name: "WS!WorkerUp", Actor: agentActor,
	Some: workerUp.Some, Unchanged: unchanged(`UNCHANGED << tasks, nEvents >>`, tasks),
	Guards: []clause{{Text: `~IsUp(n)`, Holds: func(p *pair) bool { return p.n.isDown() }}},
	Effect: workerUp.Effect,
	Primed: []primed{{Text: `nodes' = [nodes EXCEPT ![n] = nodeUp]`, Of: nodes}},
}

var wsWorkerDown = &action{
	Name: "WS!WorkerDown", Actor: agentActor,
	Some: workerDown.Some, Unchanged: unchanged(`UNCHANGED << tasks >>`, tasks),
	Guards: []clause{{Text: `IsUp(n)`, Holds: func(p *pair) bool { return p.n.isUp() }}},
	Effect: workerDown.Effect,
	Primed: []primed{{Text: `nodes' = [nodes EXCEPT ![n] = nodeDown]`, Of: nodes}},
}
