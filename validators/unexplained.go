package validators

import (
	"encoding/json"
	"fmt"
	"strings"

	"tracecheck/trace"
)

// Unexplained is the finding of a step that nothing explains. The text says so, and what
// happens in the line. The nearest actions end it.
func Unexplained(step *trace.Step, line int, text string, near []Near, changes []Change) Finding {
	return Finding{Kind: OfTransition, Rule: NextRule, Pos: step.Events[line].Pos,
		Message: text + NearestText(near), Nearest: near, Changes: changes}
}

// Among says that n objects change, where a message speaks of one of them. "" if it is
// the only one. Of an atomic step it says how to judge several actions.
func Among(n int, objects string, atomic bool) string {
	switch {
	case n < 2:
		return ""
	case atomic:
		return Among(n, objects, false) + "; an atomic step is one action: if it combines several, judge with --steps batched"
	}
	return fmt.Sprintf(" (one of %d %s that change)", n, objects)
}

// OutOfBudget is the error of a batched step of n objects. Its search has ended without an
// answer.
func OutOfBudget(step *trace.Step, n int, objects string, budget int) *trace.Error {
	return &trace.Error{Pos: step.First(), Stream: strings.Clone(step.Events[0].Stream), Reason: fmt.Sprintf(
		"the step of %s changes %d %s, and the search for a sequence of actions ended after %d tries: raise --budget",
		trace.Span(step.First(), step.Last()), n, objects, budget)}
}

// AddChange adds an object that a step changes to the list of a report, as far as that
// goes.
func AddChange(list *[]Change, kind trace.Kind, id string, was, is bool, before, after func() json.RawMessage) {
	if len(*list) == MaxChanges {
		return
	}
	c := Change{Kind: kind.String(), ID: strings.Clone(id)}
	if was {
		c.Before = before()
	}
	if is {
		c.After = after()
	}
	*list = append(*list, c)
}
