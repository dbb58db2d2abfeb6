package swarmkit

import "fmt"

// Module Reaper: actions performed by the reaper.

var reaper = &action{
	Name: "Reaper", Actor: "reaper", Doc: "Forget about a task that is to be removed, or orphaned.",
	Bind: bindDeleted, Clauses: []clause{
		onlyTasks,
		{
			Text:  `\/ t.desired_state = remove /\ (State(t) \prec assigned \/ ~Runnable(t)) \/ State(t) = orphaned`,
			Holds: func(p *pair) bool { return p.t.old.isReapable() },
			Shows: func(p *pair) string {
				return fmt.Sprintf("t.desired_state = %s, State(t) = %s", p.t.old.desired, p.t.old.state)
			},
		},
		isForgotten,
	},
}

// isReapable is the guard of Reaper.
func (v *taskRest) isReapable() bool {
	return v.desired == Remove && (v.state.Prec(Assigned) || !v.state.Runnable()) || v.state == Orphaned
}
