package swarmkit

import "tracecheck/validators"

// TypeOK and Inv under the profile.

var mobyTypeOK = relax(typeOK, map[string]func(v *seen, holds bool) bool{
	"TasksTypeOK": func(v *seen, holds bool) bool {
		return holds && (v.task == nil || v.task.desired != Complete || v.task.service.docker.mayBeJob() || v.task.service.id == "")
	},
})

var mobyInv = relax(inv, map[string]func(v *seen, holds bool) bool{
	`t.service \in DOMAIN services`: func(v *seen, holds bool) bool {
		return holds || v.task.service.isGone() || v.task.service.isAttachment()
	},
	`assigned \preceq State(t) => t.node \in Node \/ State(t) = rejected`: func(v *seen, holds bool) bool {
		return holds || v.task.state == Shutdown && v.task.node == nil
	},
})

var mobyInvariants = []*validators.Invariant[seen]{mobyTypeOK, mobyInv}

// relax returns the invariant with other results for the named clauses. Each function gets
// the result of its clause.
func relax(of *validators.Invariant[seen], clauses map[string]func(v *seen, holds bool) bool) *validators.Invariant[seen] {
	relaxed := *of
	relaxed.Clauses = append([]stateClause(nil), of.Clauses...)
	for i := range relaxed.Clauses {
		c := &relaxed.Clauses[i]
		if is, text := clauses[c.Text], c.Holds; is != nil {
			c.Holds = func(v *seen) bool { return is(v, text(v)) }
		}
	}
	return &relaxed
}
