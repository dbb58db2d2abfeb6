package bind

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// actionRule is the rule of a step that is explained, but not by the action that its lines
// name.
const actionRule = "action"

// claim is that of a line: the action, and the object that it changes.
type claim struct {
	action string
	kind   trace.Kind
	id     string
}

// claimed are the actions that the lines name. A name that is not an action of the module is a
// violation, whatever the step is.
func (m *objectMachine) claimed(step *trace.Step) (list []claim, found []validators.Finding) {
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Action == "" || !slices.Contains(m.b.Spec.Kinds, ev.Kind) {
			continue
		}
		c := claim{strings.Clone(ev.Action), ev.Kind, strings.Clone(ev.ID)}
		if !m.p.spec.IsAction(c.action) {
			found = append(found, validators.Finding{Kind: validators.OfClaim, Rule: actionRule, Pos: ev.Pos,
				Message: fmt.Sprintf("the line claims the action %s, which is not an action of %s", c.action, m.p.spec.Root)})
		} else if ev.Op != trace.OpReject && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list, found
}

// unmet is the finding of claims that no way to explain the step meets.
func (m *objectMachine) unmet(ev *trace.Event, claims []claim) validators.Finding {
	var names []string
	for _, c := range claims {
		if !slices.Contains(names, c.action) {
			names = append(names, c.action)
		}
	}
	text := fmt.Sprintf("the lines claim the action %s, which does not explain the step", strings.Join(names, ", "))
	if len(m.actions) > 0 {
		text += "; " + strings.Join(m.actions, ", ") + " does"
	}
	return validators.Finding{Kind: validators.OfClaim, Rule: actionRule, Pos: ev.Pos, Message: text}
}
