package report

import (
	"fmt"
	"strings"

	"tracecheck/internal/amount"
	"tracecheck/validators"
)

// neverShown bounds the listed actions that explained no step.
const neverShown = 6

// exercised says how much of each spec a conforming trace exercised. If it is
// little, conformance proves little.
func (p *printer) exercised(r *validators.Result) {
	if r.Verdict != validators.Conforming || len(r.Coverage) == 0 {
		return
	}
	p.blank()
	for i := range r.Coverage {
		p.wrapped(0, plain, "", plain, exercisedLine(&r.Coverage[i]))
	}
}

// exercisedLine is the line of one spec.
func exercisedLine(c *validators.Coverage) string {
	var never []string
	for _, a := range c.Actions {
		if a.Count == 0 {
			never = append(never, a.Action)
		}
	}
	line := fmt.Sprintf("The trace exercised %d of %s's %s", len(c.Actions)-len(never), c.Spec, amount.Of(len(c.Actions), "action"))
	switch n := len(never); {
	case n == 0:
		return line + "."
	case n > neverShown+1:
		return fmt.Sprintf("%s; never: %s and %d more, which tracecheck coverage lists.", line, strings.Join(never[:neverShown], ", "), n-neverShown)
	}
	return line + "; never: " + strings.Join(never, ", ") + "."
}
