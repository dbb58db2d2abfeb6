package swarmkit

import "fmt"

// Module Scheduler: actions performed by the scheduler.

var scheduler = &action{
	Name: "Scheduler", Actor: "scheduler", Doc: "Assign a node to a pending task and move it to assigned.",
	Bind: bindState, Clauses: []clause{
		onlyTasks,
		inState(Pending),
		{
			Text: `node \in candidateNodes`,
			Holds: func(p *pair) bool {
				node := p.t.new.node
				if p.t.old.node == nil {
					return node != nil && node.shown
				}
				return node == p.t.old.node
			},
			Shows: func(p *pair) string {
				candidates := "every node of the stream"
				if p.t.old.node != nil {
					candidates = "{ " + p.t.old.node.id + " }"
				}
				return fmt.Sprintf("node = %s, candidateNodes = %s", p.t.new.node.name(), candidates)
			},
		},
		{
			Text: `UpdateTasks(t :> [t EXCEPT !.status.state = assigned, !.node = node])`, Effect: true,
			Holds: func(p *pair) bool { return p.updates(p.t, p.t.old.withState(Assigned).withNode(p.t.new.node)) },
		},
	},
}
