package workerimpl

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// claimed reports whether the event names an actor or action that the step must
// be explained by. A refusal is no step of an actor.
func claimed(ev *trace.Event) bool {
	return ev.HasClaim() && ev.Op != trace.OpReject && isOwn(ev.Kind) && !hasUnknownName(ev)
}

// actors are the components of the system that the worker is part of. The
// module knows the agent; its OtherComponent is all of them.
var actors = []string{"user", "orchestrator", "allocator", "scheduler", agentActor, "reaper"}

func isActor(name string) bool { return slices.Contains(actors, name) }

// isAction is a map: it is on the path of every claim.
var isAction = func() map[string]bool {
	is := map[string]bool{}
	for _, a := range next {
		is[a.Name] = true
	}
	return is
}()

// actionNames are the names of the text's actions.
func actionNames(yield func(string) bool) {
	for _, a := range next {
		if !yield(a.Name) {
			return
		}
	}
}

func isOwn(k trace.Kind) bool {
	return k == kindTask || k == kindNode || k == kindContainer
}

func hasUnknownName(ev *trace.Event) bool {
	return ev.Actor != "" && !isActor(ev.Actor) || ev.Action != "" && !isAction[ev.Action]
}

// unknownNames reports claims of actors and actions that there are not.
func (m *machine) unknownNames(step *trace.Step) []validators.Finding {
	knows := func(action string) bool { return isAction[action] }
	return validators.UnknownNames(step, isOwn, isActor, knows, func(ev *trace.Event, rule string) validators.Finding {
		text := validators.NoAction("WorkerImpl", "workerimpl", "action", ev.Action, actionNames)
		if rule == "actor" {
			text = fmt.Sprintf("there is no actor %q: there are %s", ev.Actor, strings.Join(actors, ", "))
		}
		return m.claimFinding(ev, rule, text)
	})
}

// claims reports the claims that no action among those that explain the step
// meets. One action explains an atomic step, so all actions that are claimed
// must be that one. Actions of OtherComponent have no actor: where no other
// explains the step, its actor is not checked.
func (m *machine) claims(step *trace.Step, explains func(*action) bool) []validators.Finding {
	met := true // by what explains the step, whatever else does
	for i := range step.Events {
		ev := &step.Events[i]
		met = met && (m.by != nil && isOf(ev, m.by) || !claimed(ev))
	}
	if met {
		return nil
	}
	var by []*action
	checked := false
	for _, a := range next {
		if explains(a) {
			by = append(by, a)
			checked = checked || a.Actor != ""
		}
	}
	checked = checked || len(by) == 0
	var found []validators.Finding
	left := by // that meet the claims so far
	for i := range step.Events {
		ev := &step.Events[i]
		if !claimed(ev) {
			continue
		}
		if ev.Actor != "" && checked && !validators.HasRule(found, "actor") &&
			!slices.ContainsFunc(by, func(a *action) bool { return a.Actor == ev.Actor }) {
			found = append(found, m.unmet(ev, "actor", ev.Actor, by))
		}
		if ev.Action == "" || validators.HasRule(found, "action") {
			continue
		}
		if at := slices.IndexFunc(left, func(a *action) bool { return a.Name == ev.Action }); at >= 0 {
			left = left[at : at+1]
		} else {
			found = append(found, m.unmet(ev, "action", ev.Action, left))
		}
	}
	if len(found) == 0 && m.by != nil && !slices.Contains(left, m.by) {
		m.by = left[0]
	}
	return found
}

// isOf says that the action meets what the event claims.
func isOf(ev *trace.Event, a *action) bool {
	return (ev.Action == "" || ev.Action == a.Name) && (ev.Actor == "" || ev.Actor == a.Actor)
}

// unmet is the finding of a claim that none of the actions meets.
func (m *machine) unmet(ev *trace.Event, rule, value string, by []*action) validators.Finding {
	what := "nothing changes, and no such action can leave this state as it is"
	switch {
	case len(by) > 0 && m.by == nil:
		what = "nothing changes, and of the actions only " + strings.Join(names(by), " and ") + " can leave this state as it is"
	case len(by) > 0:
		what = "the step is " + strings.Join(names(by), " or ")
	case len(m.environment) > 0:
		what = "the step is the environment's: a node appears or disappears"
	}
	return m.claimFinding(ev, rule, fmt.Sprintf("%s %s claims the %s %s, but %s", ev.Kind, ev.ID, rule, value, what))
}

func names(by []*action) []string {
	list := make([]string, len(by))
	for i, a := range by {
		list[i] = a.Name
		if a.Actor != "" {
			list[i] += " (" + a.Actor + ")"
		}
	}
	return list
}

func (m *machine) claimFinding(ev *trace.Event, rule, text string) validators.Finding {
	return validators.Finding{Kind: validators.OfClaim, Rule: rule, Pos: ev.Pos, Message: text, Changes: m.changes()}
}
