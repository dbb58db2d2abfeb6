package model

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/internal/nearest"
	"tracecheck/trace"
	"tracecheck/validators"
)

// The rules of claims, as reports name them.
const (
	actionRule = "action"
	actorRule  = "actor"
)

// Titled is an action with a name and an actor.
type Titled interface{ Title() validators.Title }

// NamesOf returns the names of the actions.
func NamesOf[A Titled](of ...A) []string {
	names := make([]string, len(of))
	for i, a := range of {
		names[i] = a.Title().Name
	}
	return names
}

// Alternatives returns the names of the actions with their actors, with the word between them.
func Alternatives[A Titled](by []A, word string) string {
	names := NamesOf(by...)
	for i, a := range by {
		if actor := a.Title().Actor; actor != "" {
			names[i] += " (" + actor + ")"
		}
	}
	return strings.Join(names, word)
}

// Vocabulary has the names that the lines of a step can claim.
type Vocabulary struct {
	Module, Spec string // the names of the module and of the specification
	Calls        string // what the module calls an action
	Kinds        []trace.Kind
	Actors       []string // nil: actors are not judged
	NoActor      string   // formats the message of an unknown actor, and of all that there are; "": it names the module
	Actions      []string // the text's, in its order
	Beyond       []string // a profile's

	named func(*trace.Event) string // what a line is about; nil: the object of its kind and id
}

// actor is the actor that the line claims, where these are judged.
func (v *Vocabulary) actor(ev *trace.Event) string {
	if v.Actors == nil {
		return ""
	}
	return ev.Actor
}

func (v *Vocabulary) knowsActor(ev *trace.Event) bool {
	actor := v.actor(ev)
	return actor == "" || slices.Contains(v.Actors, actor)
}

func (v *Vocabulary) knowsAction(ev *trace.Event) bool {
	return ev.Action == "" || slices.Contains(v.Actions, ev.Action) || slices.Contains(v.Beyond, ev.Action)
}

// Reads reports whether the line is of one of the kinds.
func (v *Vocabulary) Reads(ev *trace.Event) bool { return slices.Contains(v.Kinds, ev.Kind) }

// Claimed reports whether the line makes a claim with known names. A refusal makes no claim.
func (v *Vocabulary) Claimed(ev *trace.Event) bool {
	return ev.HasClaim() && ev.Op != trace.OpReject && v.Reads(ev) && v.knowsActor(ev) && v.knowsAction(ev)
}

// Claims returns the lines of the step for which Claimed holds.
func (v *Vocabulary) Claims(step *trace.Step) (claims []*trace.Event) {
	for i := range step.Events {
		if ev := &step.Events[i]; v.Claimed(ev) {
			claims = append(claims, ev)
		}
	}
	return claims
}

// ChangesClaimed reports whether the step changes the object of each claim. In a batched step, the
// action that meets a claim must change the line's object. by is the action that explains the step
// alone, if there is one. If it has no actor, lines that claim only an actor are not checked. count
// is the number of changed objects, and each yields them. Each of them has a line.
func (v *Vocabulary) ChangesClaimed(step *trace.Step, by validators.Title, count int, each func(yield func(trace.Kind, string))) bool {
	if len(step.Events) == count {
		return true
	}
	type object struct {
		kind trace.Kind
		id   string
	}
	changed := map[object]bool{}
	each(func(kind trace.Kind, id string) { changed[object{kind, id}] = true })
	actorless := by.Name != "" && by.Actor == ""
	return !slices.ContainsFunc(v.Claims(step), func(ev *trace.Event) bool {
		return !changed[object{ev.Kind, ev.ID}] && (ev.Action != "" || !actorless)
	})
}

// Met reports whether all lines of the step claim the action, or nothing.
func (v *Vocabulary) Met(step *trace.Step, by validators.Title) bool {
	for i := range step.Events {
		if ev := &step.Events[i]; !by.Meets(ev) && v.Reads(ev) && ev.Op != trace.OpReject {
			return false
		}
	}
	return true
}

// Unknown returns a finding for the first unknown actor, and for the first unknown action.
func (v *Vocabulary) Unknown(step *trace.Step, changes func() []validators.Change) (found []validators.Finding) {
	for i := range step.Events {
		if ev := &step.Events[i]; ev.HasClaim() && v.Reads(ev) {
			found = v.unknown(ev, found, changes)
		}
	}
	return found
}

func (v *Vocabulary) unknown(ev *trace.Event, found []validators.Finding, changes func() []validators.Change) []validators.Finding {
	if !v.knowsActor(ev) && !validators.HasRule(found, actorRule) {
		format := v.NoActor
		if format == "" {
			format = v.Module + " has no actor %q: it has %s"
		}
		found = append(found, ClaimFinding(ev, actorRule, fmt.Sprintf(format, ev.Actor, strings.Join(v.Actors, ", "))+nearest.Hint(ev.Actor, v.Actors), changes))
	}
	if !v.knowsAction(ev) && !validators.HasRule(found, actionRule) {
		text := validators.NoAction(v.Module, v.Spec, v.Calls, ev.Action, slices.Values(v.Actions))
		found = append(found, ClaimFinding(ev, actionRule, text, changes))
	}
	return found
}

// Unmet is a claim that no action meets.
type Unmet struct {
	At          int // of the claims
	Rule, Value string
}

// Meet returns the index of the first action that all lines claim. Each of the actions explains the
// step. If no action is claimed by all lines, the index is 0, with the claims that are not met. If
// no action has an actor, actors are not checked.
func Meet[A Titled](v *Vocabulary, claims []*trace.Event, by []A) (first int, unmet []Unmet) {
	checked := len(by) == 0 || slices.ContainsFunc(by, func(a A) bool { return a.Title().Actor != "" })
	acts := func(actor string) bool {
		return actor == "" || !checked || slices.ContainsFunc(by, func(a A) bool { return a.Title().Actor == actor })
	}
	is := func(a A, ev *trace.Event) bool {
		t, actor := a.Title(), v.actor(ev)
		return (ev.Action == "" || ev.Action == t.Name) && (actor == "" || actor == t.Actor || t.Actor == "") && acts(actor)
	}
	for i, a := range by {
		if !slices.ContainsFunc(claims, func(ev *trace.Event) bool { return !is(a, ev) }) {
			return i, nil
		}
	}
	add := func(rule, value string, at int) {
		if !slices.ContainsFunc(unmet, func(u Unmet) bool { return u.Rule == rule }) {
			unmet = append(unmet, Unmet{at, rule, value})
		}
	}
	for i, ev := range claims {
		if actor := v.actor(ev); !acts(actor) {
			add(actorRule, actor, i)
		}
		if ev.Action != "" && !slices.ContainsFunc(by, func(a A) bool { return a.Title().Name == ev.Action }) {
			add(actionRule, ev.Action, i)
		}
	}
	if len(unmet) == 0 && len(by) > 0 { // each can be met, but not all by one action
		at := slices.IndexFunc(claims, func(ev *trace.Event) bool { return !is(by[0], ev) })
		if ev := claims[at]; ev.Action != "" {
			add(actionRule, ev.Action, at)
		} else {
			add(actorRule, ev.Actor, at)
		}
	}
	return 0, unmet
}

// JudgeClaims judges the claims of an atomic step. found is an action that explains the step, or the
// zero value if nothing changes. It returns an action that explains the step and that all lines
// claim. If there is none, it returns findings for the claims that are not met. why returns the
// reason that they give.
func JudgeClaims[A interface {
	comparable
	Titled
}](v *Vocabulary, step *trace.Step, found A, all []A, explains func(A) bool, why func(by []A) string, changes func() []validators.Change) (A, []validators.Finding) {
	var none A
	if found != none && v.Met(step, found.Title()) {
		return found, nil
	}
	claims := v.Claims(step)
	if len(claims) == 0 {
		return found, nil
	}
	var by []A
	for _, a := range all {
		if explains(a) {
			by = append(by, a)
		}
	}
	first, unmet := Meet(v, claims, by)
	if len(unmet) > 0 {
		return found, v.Refuted(claims, unmet, why(by), changes)
	}
	if found != none {
		if _, unmet := Meet(v, claims, []A{found}); len(unmet) > 0 {
			found = by[first]
		}
	}
	return found, nil
}

// Refuted returns the findings for claims that are not met, with the reason.
func (v *Vocabulary) Refuted(claims []*trace.Event, unmet []Unmet, why string, changes func() []validators.Change) (found []validators.Finding) {
	for _, u := range unmet {
		ev := claims[u.At]
		what := ev.Kind.String() + " " + ev.ID
		if v.named != nil {
			what = v.named(ev)
		}
		found = append(found, ClaimFinding(ev, u.Rule, fmt.Sprintf("%s claims the %s %s, but %s", what, u.Rule, u.Value, why), changes))
	}
	return found
}

// ClaimFinding returns the finding for a claim that does not hold.
func ClaimFinding(ev *trace.Event, rule, text string, changes func() []validators.Change) validators.Finding {
	return validators.Finding{Kind: validators.OfClaim, Rule: rule, Pos: ev.Pos, Message: text, Changes: changes()}
}
