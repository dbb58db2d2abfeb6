package swarmkit

import "fmt"

// Module Reaper: actions performed by the reaper.

var reaper = &action{
	Name: "Reaper", Actor: "reaper", Doc: "Forget about a task that is to be removed, or orphaned.",
	Bind: bindDeleted,
	Clauses: []clause{
		{Text: `UNCHANGED << services, nodes, nEvents >>`, Holds: func(p *pair) bool { return p.sameServices() && p.sameNodes() }},
		{
			Text: `\/ t.desired_state = remove /\ (State(t) \prec assigned \/ ~Runnable(t)) \/ State(t) = orphaned`,
			Holds: func(p *pair) bool {
				t := &p.t.old
				return t.desired == Remove && (t.state.Prec(Assigned) || !t.state.Runnable()) || t.state == Orphaned
			},
			Shows: func(p *pair) string {
				return fmt.Sprintf("t.desired_state = %s, State(t) = %s", p.t.old.desired, p.t.old.state)
			},
		},
		{Text: `tasks' = tasks \ {t}`, Effect: true, Holds: func(p *pair) bool { return len(p.tasks) == 1 }},
	},
}
