package model

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// stated is a claim of the step: an event and the action that it names.
type stated[S, P any] struct {
	event  *trace.Event
	table  Table[S]
	action *Action[S, P] // nil: the module has none of that name
	id     string        // of the object that the line is about, among those of its kind
	part   int           // of the step; -1: the line says nothing
}

// claim notes what the event claims. A refusal is no action.
func (j *machine[S, P]) claim(ev *trace.Event, t Table[S], id string, part int) {
	a := j.of.action(ev.Action)
	switch {
	case a == nil:
		j.unknown = true
	case ev.Op == trace.OpReject:
		return
	case len(j.stated) == 0:
		j.common = a
	case j.common != a:
		j.common = nil
	}
	j.stated = append(j.stated, stated[S, P]{ev, t, a, id, part})
}

// unknownNames reports the first claim of an action that the module does not
// have, and takes such claims out.
func (j *machine[S, P]) unknownNames() (found []validators.Finding) {
	n := 0
	for _, c := range j.stated {
		switch {
		case c.action != nil:
			j.stated[n] = c
			n++
		case len(found) == 0:
			found = append(found, j.claimFinding(c.event, fmt.Sprintf("%s has no %s %q; `tracecheck specs %s` lists them", j.of.Module, j.of.calls(), c.event.Action, j.of.Name)))
		}
	}
	if j.of.Enter != nil {
		n = 0 // one claim of a step is enough to report
	}
	clear(j.stated[n:])
	j.stated = j.stated[:n]
	return found
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

// unmet reports the first claim that the actions of the step do not meet.
func (j *machine[S, P]) unmet() []validators.Finding {
	for _, c := range j.stated {
		if !slices.Contains(j.plan[j.before:], c.action) {
			return j.refuted(c, "the step is "+strings.Join(j.Explanation()[j.before:], ", "))
		}
	}
	return nil
}

// judgeStill judges the claims of a step that changes nothing, and finds what it
// may stand for.
func (j *machine[S, P]) judgeStill() []validators.Finding {
	for _, c := range j.stated {
		if c.action.Stutters == nil || !c.action.Stutters(j.s) {
			return j.refuted(c, "nothing changes, and that "+j.of.calls()+" cannot leave this state as it is")
		}
		if c.action.Stuttered != nil {
			c.action.Stuttered(j.s)
		}
	}
	if j.of.Still == nil {
		return nil
	}
	if by := j.of.Still(j.s); by != nil {
		for _, c := range j.stated {
			if c.action != by {
				return nil
			}
		}
		j.plan = append(j.plan, by)
	}
	return nil
}

// refuted reports the claim, with what is against it.
func (j *machine[S, P]) refuted(c stated[S, P], why string) []validators.Finding {
	return []validators.Finding{j.claimFinding(c.event, fmt.Sprintf("%s claims the action %s, but %s", c.table.named(c.event), c.event.Action, why))}
}

func (j *machine[S, P]) claimFinding(ev *trace.Event, text string) validators.Finding {
	return validators.Finding{Kind: validators.OfClaim, Rule: "action", Pos: ev.Pos, Message: text, Changes: j.changes()}
}
