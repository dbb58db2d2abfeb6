package model

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// The rules of claims, as reports name them.
const (
	actionRule = "action"
	actorRule  = "actor"
)

// stated is a claim of the step: an event, and the action and the actor that it
// names.
type stated[S, P any] struct {
	event  *trace.Event
	table  Table[S]
	action *Action[S, P] // nil: it names none, or one that the module does not have
	actor  string        // "": it names none, or the module has no actors
	id     string        // of the object that the line is about, among those of its kind
	part   int           // of the step; -1: the line says nothing
}

// claim notes what the event claims. A refusal is no action.
func (j *machine[S, P]) claim(ev *trace.Event, t Table[S], id string, part int) {
	c := stated[S, P]{event: ev, table: t, actor: j.actorOf(ev), id: id, part: part}
	if ev.Action != "" {
		c.action = j.law.action(ev.Action)
	}
	switch {
	case j.isUnknown(&c):
		j.unknown = true
	case ev.Op == trace.OpReject || c.action == nil && c.actor == "":
		return
	}
	j.stated = append(j.stated, c)
}

// actorOf is the actor that the event claims, where the module has actors.
func (j *machine[S, P]) actorOf(ev *trace.Event) string {
	if j.of.Actors == nil {
		return ""
	}
	return ev.Actor
}

// isUnknown says that the claim names what the module does not have.
func (j *machine[S, P]) isUnknown(c *stated[S, P]) bool {
	return c.action == nil && c.event.Action != "" || !j.knows(c.actor)
}

func (j *machine[S, P]) knows(actor string) bool {
	return actor == "" || slices.Contains(j.of.Actors, actor)
}

// unknownNames reports the first claim of an action, and of an actor, that the
// module does not have, and takes such claims out.
func (j *machine[S, P]) unknownNames() (found []validators.Finding) {
	n := 0
	for i := range j.stated {
		c := &j.stated[i]
		if !j.isUnknown(c) {
			j.stated[n] = *c
			n++
			continue
		}
		if !j.knows(c.actor) && !validators.HasRule(found, actorRule) {
			found = append(found, j.claimFinding(c.event, actorRule, fmt.Sprintf("%s has no actor %q: it has %s",
				j.of.Module, c.actor, strings.Join(j.of.Actors, ", "))))
		}
		if c.action == nil && c.event.Action != "" && !validators.HasRule(found, actionRule) {
			found = append(found, j.claimFinding(c.event, actionRule, validators.NoAction(
				j.of.Module, j.of.Name, j.of.calls(), c.event.Action, j.law.names)))
		}
	}
	if j.of.Enter != nil {
		n = 0 // one claim of a step is enough to report
	}
	clear(j.stated[n:])
	j.stated = j.stated[:n]
	return found
}

// isOf says that the action is what the line claims. One without an actor is anybody's.
func (j *machine[S, P]) isOf(c *stated[S, P], a *Action[S, P]) bool {
	return (c.action == nil || c.action == a) && (c.actor == "" || c.actor == a.Actor || a.Actor == "")
}

// isClaimed says that the action is what all lines claim. Of an atomic step an
// action without an actor may not be: where another explains the step, too, the
// actor has to be that one's.
func (j *machine[S, P]) isClaimed(a *Action[S, P]) bool {
	for i := range j.stated {
		if c := &j.stated[i]; !j.isOf(c, a) || c.actor != "" && a.Actor == "" && !j.strict {
			return false
		}
	}
	return true
}

// changesClaimed says that the effect that ran last changes each object that a
// claim is of.
func (j *machine[S, P]) changesClaimed() bool {
	for i := range j.stated {
		if c := &j.stated[i]; !c.table.writes(j.s, c.id) {
			return false
		}
	}
	return true
}

// matchUnclaimed takes an action that explains an atomic step, though it is not what
// all lines claim, and reports what is not met.
func (j *machine[S, P]) matchUnclaimed() (found []validators.Finding, is bool) {
	if len(j.stated) == 0 || j.strict {
		return nil, false
	}
	var by []*Action[S, P]
	for _, a := range j.law.actions {
		if j.may(a) {
			by = append(by, a)
		}
	}
	if len(by) == 0 {
		return nil, false
	}
	a, unmet := j.meet(by)
	j.matches(a)
	took := j.plan[j.before:]
	unmet = slices.DeleteFunc(unmet, func(u unmetClaim[S, P]) bool {
		return slices.ContainsFunc(took, func(a *Action[S, P]) bool { return j.isOf(u.of, a) })
	})
	what := strings.Join(j.Explanation()[j.before:], ", ")
	if len(j.of.Actors) > 0 {
		what = strings.Join(names(by), " or ")
	}
	return j.refuted(unmet, "the step is "+what), true
}

// unmetClaim is a claim that no action meets, by the rule.
type unmetClaim[S, P any] struct {
	of          *stated[S, P]
	rule, value string
}

// meet is the first of the actions that is what all lines claim or, where none is,
// the first of them and what they do not meet.
func (j *machine[S, P]) meet(by []*Action[S, P]) (*Action[S, P], []unmetClaim[S, P]) {
	checked := len(by) == 0 // an actor is not, of a step that is nobody's
	for _, a := range by {
		checked = checked || a.Actor != ""
	}
	acts := func(c *stated[S, P]) bool {
		return c.actor == "" || !checked || slices.ContainsFunc(by, func(a *Action[S, P]) bool { return a.Actor == c.actor })
	}
	for _, a := range by {
		if !slices.ContainsFunc(j.stated, func(c stated[S, P]) bool { return !j.isOf(&c, a) || !acts(&c) }) {
			return a, nil
		}
	}
	var list []unmetClaim[S, P]
	add := func(rule, value string, c *stated[S, P]) {
		if !slices.ContainsFunc(list, func(u unmetClaim[S, P]) bool { return u.rule == rule }) {
			list = append(list, unmetClaim[S, P]{c, rule, value})
		}
	}
	for i := range j.stated {
		c := &j.stated[i]
		if !acts(c) {
			add(actorRule, c.actor, c)
		}
		if c.action != nil && !slices.Contains(by, c.action) {
			add(actionRule, c.event.Action, c)
		}
	}
	if len(by) == 0 {
		return nil, list
	}
	for i := range j.stated { // each can be met, but not all by one action
		if c := &j.stated[i]; len(list) == 0 && !j.isOf(c, by[0]) {
			if add(actionRule, c.event.Action, c); c.action == nil {
				list[0].rule, list[0].value = actorRule, c.actor
			}
		}
	}
	return by[0], list
}

func names[S, P any](by []*Action[S, P]) []string {
	list := make([]string, len(by))
	for i, a := range by {
		if list[i] = a.Name; a.Actor != "" {
			list[i] += " (" + a.Actor + ")"
		}
	}
	return list
}

// judgeStill judges the claims of a step that changes nothing, and finds what it
// may stand for.
func (j *machine[S, P]) judgeStill() []validators.Finding {
	if len(j.stated) > 0 {
		var by []*Action[S, P]
		for _, a := range j.law.actions {
			if a.Stutters != nil && a.Stutters(j.s) {
				by = append(by, a)
			}
		}
		a, unmet := j.meet(by)
		if len(unmet) > 0 {
			return j.refuted(unmet, "nothing changes, and that "+j.of.calls()+" cannot leave this state as it is")
		}
		if a.Stuttered != nil {
			a.Stuttered(j.s)
		}
	}
	if j.of.Still == nil {
		return nil
	}
	if by := j.of.Still(j.s); by != nil {
		for i := range j.stated {
			if !j.isOf(&j.stated[i], by) {
				return nil
			}
		}
		j.plan = append(j.plan, by)
	}
	return nil
}

// refuted reports the claims, with what is against them.
func (j *machine[S, P]) refuted(list []unmetClaim[S, P], why string) (found []validators.Finding) {
	for _, u := range list {
		found = append(found, j.claimFinding(u.of.event, u.rule, fmt.Sprintf("%s claims the %s %s, but %s",
			u.of.table.named(u.of.event), u.rule, u.value, why)))
	}
	return found
}

func (j *machine[S, P]) claimFinding(ev *trace.Event, rule, text string) validators.Finding {
	return validators.Finding{Kind: validators.OfClaim, Rule: rule, Pos: ev.Pos, Message: text, Changes: j.changes()}
}
