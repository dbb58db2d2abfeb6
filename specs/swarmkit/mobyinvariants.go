package swarmkit

import "tracecheck/validators"

// TypeOK and Inv as the profile relaxes them.

var mobyTypeOK = relax(typeOK, map[string]func(*seen) bool{
	"TasksTypeOK": func(v *seen) bool {
		return v.task == nil || v.task.desired != Complete || v.task.service.docker.mayBeJob() || v.task.service.id == ""
	},
}, nil)

var mobyInv = relax(inv, nil, map[string]func(*seen) bool{
	`t.service \in DOMAIN services`: func(v *seen) bool {
		return v.task.service.isGone() || v.task.service.isAttachment()
	},
	`assigned \preceq State(t) => t.node \in Node \/ State(t) = rejected`: func(v *seen) bool {
		return v.task.state == Shutdown && v.task.node == nil
	},
})

var mobyInvariants = []*validators.Invariant[seen]{mobyTypeOK, mobyInv}

// relax makes an invariant of another: the clauses named hold only where
// besides holds too, or hold also where instead does.
func relax(of *validators.Invariant[seen], besides, instead map[string]func(*seen) bool) *validators.Invariant[seen] {
	relaxed := *of
	relaxed.Clauses = append([]stateClause(nil), of.Clauses...)
	for i := range relaxed.Clauses {
		c := &relaxed.Clauses[i]
		holds := c.Holds
		if and := besides[c.Text]; and != nil {
			c.Holds = func(v *seen) bool { return holds(v) && and(v) }
		}
		if or := instead[c.Text]; or != nil {
			c.Holds = func(v *seen) bool { return holds(v) || or(v) }
		}
	}
	return &relaxed
}
