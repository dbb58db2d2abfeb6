package workerimpl

import (
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// says is what lines may claim. The actors are the components of the system that the
// worker is part of. The module knows the agent; its OtherComponent is all of them.
var says = &model.Vocabulary{
	Module: "WorkerImpl", Spec: "workerimpl", Calls: "action",
	Kinds:   []trace.Kind{kindTask, kindNode, kindContainer},
	Actors:  []string{"user", "orchestrator", "allocator", "scheduler", agentActor, "reaper"},
	NoActor: "there is no actor %q: there are %s",
	Actions: model.NamesOf(next...),
}

// Title is what a line may claim of the action.
func (a *action) Title() validators.Title { return validators.Title{Name: a.Name, Actor: a.Actor} }

// changesClaimed says that the step, which one action explains, changes what its claims are of.
func (m *machine) changesClaimed(step *trace.Step) bool {
	return says.ChangesClaimed(step, m.by.Title(), m.count(), func(yield func(trace.Kind, string)) {
		each(func(c *taskChange) { yield(kindTask, c.id) }, m.tasks)
		each(func(c *containerChange) { yield(kindContainer, c.id) }, m.conts)
		each(func(c *nodeChange) { yield(kindNode, c.id) }, m.nodes)
	})
}

// claims reports the claims that no action among those that explain the step
// meets. One action explains an atomic step, so it must meet them all.
func (m *machine) claims(step *trace.Step, explains func(*action) bool) (found []validators.Finding) {
	m.by, found = model.JudgeClaims(says, step, m.by, next, explains, func(by []*action) string {
		switch {
		case len(by) > 0 && m.by == nil:
			return "nothing changes, and of the actions only " + model.Alternatives(by, " and ") + " can leave this state as it is"
		case len(by) > 0:
			return "the step is " + model.Alternatives(by, " or ")
		case len(m.environment) > 0:
			return "the step is the environment's: a node appears or disappears"
		}
		return "nothing changes, and no such action can leave this state as it is"
	}, m.changes)
	return found
}
