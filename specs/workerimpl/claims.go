package workerimpl

import (
	"slices"

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

// changesClaimed reports whether the step changes each object of a line with a claim. In
// a batched step, the action that meets the claim changes the line's object. An actor
// alone is not checked where the action has none.
func (m *machine) changesClaimed(step *trace.Step) bool {
	if len(step.Events) == len(m.tasks)+len(m.conts)+len(m.nodes) { // each of these has a line
		return true
	}
	changed := map[objectKey]bool{}
	for i := range m.tasks {
		changed[objectKey{kindTask, m.tasks[i].id}] = true
	}
	for i := range m.conts {
		changed[objectKey{kindContainer, m.conts[i].id}] = true
	}
	for i := range m.nodes {
		changed[objectKey{kindNode, m.nodes[i].id}] = true
	}
	actorless := m.by != nil && m.by.Actor == ""
	return !slices.ContainsFunc(says.Claims(step), func(ev *trace.Event) bool {
		return !changed[objectKey{ev.Kind, ev.ID}] && (ev.Action != "" || !actorless)
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
