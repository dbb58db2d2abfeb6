package swarmkit

// Module Allocator: actions performed by the allocator.

var allocateTask = &action{
	Name: "AllocateTask", Actor: "allocator", Doc: "Pick a new task and move it to pending.",
	Bind: bindState,
	Clauses: []clause{
		{Text: `UNCHANGED << services, nodes, nEvents >>`, Holds: func(p *pair) bool { return p.sameServices() && p.sameNodes() }},
		{
			Text:  `State(t) = new`,
			Holds: func(p *pair) bool { return p.t.old.state == New },
			Shows: func(p *pair) string { return "State(t) = " + p.t.old.state.String() },
		},
		{
			Text: `UpdateTasks(t :> [t EXCEPT !.status.state = pending])`, Effect: true,
			Holds: func(p *pair) bool { return p.updates(p.t, p.t.old.withState(Pending)) },
		},
	},
}
