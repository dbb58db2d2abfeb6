package model

import (
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
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

// claim notes what the event claims. A refusal is not an action.
func (j *machine[S, P]) claim(ev *trace.Event, t Table[S], id string, part int) {
	var action *Action[S, P]
	if ev.Action != "" {
		action = j.law.action(ev.Action)
	}
	actor := j.law.says.actor(ev)
	switch {
	case ev.Action != "" && action == nil || actor != "" && !slices.Contains(j.law.says.Actors, actor):
		j.unknown = true
	case ev.Op == trace.OpReject || action == nil && actor == "":
		return
	}
	n := len(j.stated)
	j.stated = slices.Grow(j.stated, 1)[:n+1]
	c := &j.stated[n] // to copy one would take until its parts are stored
	c.event, c.table, c.action, c.actor, c.id, c.part = ev, t, action, actor, id, part
}

// isUnknown says that the claim names what the module does not have.
func (j *machine[S, P]) isUnknown(c *stated[S, P]) bool {
	return c.action == nil && c.event.Action != "" || !j.law.says.knowsActor(c.event)
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
		found = j.law.says.unknown(c.event, found, j.changes)
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
	first, unmet := j.meet(by)
	j.matches(by[first])
	took := j.plan[j.before:]
	unmet = slices.DeleteFunc(unmet, func(u Unmet) bool {
		return slices.ContainsFunc(took, func(a *Action[S, P]) bool { return j.isOf(&j.stated[u.At], a) })
	})
	what := strings.Join(j.Explanation()[j.before:], ", ")
	if len(j.of.Actors) > 0 {
		what = Alternatives(by, " or ")
	}
	return j.refuted(unmet, "the step is "+what), true
}

// meet is the first of the actions that is what all lines claim, as Vocabulary's.
func (j *machine[S, P]) meet(by []*Action[S, P]) (int, []Unmet) {
	return Meet(&j.law.says, j.lines(), by)
}

// lines are those that make the claims.
func (j *machine[S, P]) lines() []*trace.Event {
	list := make([]*trace.Event, len(j.stated))
	for i := range j.stated {
		list[i] = j.stated[i].event
	}
	return list
}

// Title returns the name and the actor by which a line can claim the action.
func (a *Action[S, P]) Title() validators.Title {
	return validators.Title{Name: a.Name, Actor: a.Actor}
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
		first, unmet := j.meet(by)
		if len(unmet) > 0 {
			return j.refuted(unmet, "nothing changes, and that "+j.of.calls()+" cannot leave this state as it is")
		}
		if a := by[first]; a.Stuttered != nil {
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
func (j *machine[S, P]) refuted(list []Unmet, why string) []validators.Finding {
	return j.law.says.Refuted(j.lines(), list, why, j.changes)
}
