package swarmkit

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
	return ev.HasClaim() && ev.Op != trace.OpReject && isOwn(ev.Kind)
}

// meets reports whether the action is what the event claims.
func meets(a *action, ev *trace.Event) bool {
	return (ev.Actor == "" || ev.Actor == a.Actor) && (ev.Action == "" || ev.Action == a.Name)
}

// unknownNames reports claims of actors and actions that the spec does not
// have.
func (m *machine) unknownNames(step *trace.Step) []validators.Finding {
	return validators.UnknownNames(step, isOwn, isActor, m.isAction, func(ev *trace.Event, rule string) validators.Finding {
		text := validators.NoAction("SwarmKit", "swarmkit", "action", ev.Action, actionNames)
		if rule == "actor" {
			text = fmt.Sprintf("SwarmKit has no actor %q: it has %s", ev.Actor, strings.Join(actors, ", "))
		}
		return m.claimFinding(ev, rule, text)
	})
}

// claims reports the claims that no action among those that explain the step
// meets. One action explains an atomic step, so it must meet them all.
func (m *machine) claims(step *trace.Step, explains func(*action) bool) []validators.Finding {
	if m.by != nil && meetsAll(m.by, step) {
		return nil
	}
	var claims []*trace.Event
	for i := range step.Events {
		if ev := &step.Events[i]; claimed(ev) && !m.hasUnknownName(ev) {
			claims = append(claims, ev)
		}
	}
	if len(claims) == 0 {
		return nil
	}
	var by []*action
	for _, a := range next {
		switch {
		case !explains(a):
		case slices.ContainsFunc(claims, func(ev *trace.Event) bool { return !meets(a, ev) }):
			by = append(by, a)
		default:
			if m.by != nil {
				m.by = a
			}
			return nil
		}
	}
	return m.unmet(claims, by)
}

// meetsAll reports whether the action is what all events claim.
func meetsAll(a *action, step *trace.Step) bool {
	for i := range step.Events {
		if ev := &step.Events[i]; claimed(ev) && !meets(a, ev) {
			return false
		}
	}
	return true
}

// unmet reports the claims that none of the actions meets.
func (m *machine) unmet(claims []*trace.Event, by []*action) []validators.Finding {
	what := "nothing changes, and no action of that name can leave this state as it is"
	if len(by) > 0 {
		var names []string
		for _, a := range by {
			names = append(names, fmt.Sprintf("%s (%s)", a.Name, a.Actor))
		}
		what = "the step is " + strings.Join(names, " or ")
	}
	var found []validators.Finding
	add := func(rule string, ev *trace.Event, value string) {
		if !validators.HasRule(found, rule) {
			found = append(found, m.claimFinding(ev, rule, fmt.Sprintf("%s %s claims the %s %s, but %s", ev.Kind, ev.ID, rule, value, what)))
		}
	}
	for _, ev := range claims {
		if ev.Actor != "" && !slices.ContainsFunc(by, func(a *action) bool { return a.Actor == ev.Actor }) {
			add("actor", ev, ev.Actor)
		}
		if ev.Action != "" && !slices.ContainsFunc(by, func(a *action) bool { return a.Name == ev.Action }) {
			add("action", ev, ev.Action)
		}
	}
	if len(found) == 0 { // each can be met, but not all by one action
		for _, ev := range claims {
			if ev.Action != "" {
				add("action", ev, ev.Action)
			} else {
				add("actor", ev, ev.Actor)
			}
		}
		found = found[:1]
	}
	return found
}

func (m *machine) claimFinding(ev *trace.Event, rule, text string) validators.Finding {
	return validators.Finding{Kind: validators.OfClaim, Rule: rule, Pos: ev.Pos, Message: text, Changes: m.changes()}
}

func (m *machine) hasUnknownName(ev *trace.Event) bool {
	return ev.Actor != "" && !isActor(ev.Actor) || ev.Action != "" && !m.isAction(ev.Action)
}

// actors are the spec's components, in Next's order.
var actors = func() []string {
	var names []string
	for _, a := range next {
		if len(names) == 0 || names[len(names)-1] != a.Actor {
			names = append(names, a.Actor)
		}
	}
	return names
}()

func isActor(name string) bool { return slices.Contains(actors, name) }

// actionNames are the names of the text's actions.
func actionNames(yield func(string) bool) {
	for _, a := range next {
		if !yield(a.Name) {
			return
		}
	}
}

func (m *machine) isAction(name string) bool {
	return slices.ContainsFunc(next, func(a *action) bool { return a.Name == name }) || m.s.moby && isAllowance(name)
}

func isOwn(k trace.Kind) bool {
	return k == kindService || k == kindTask || k == kindNode
}
