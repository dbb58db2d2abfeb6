package report

import (
	"fmt"
	"strings"

	"tracecheck/internal/amount"
	"tracecheck/validators"
)

// allowance writes an allowance: what it permits, which part of the text it
// contradicts, and its source.
func (p *printer) allowance(a *validators.AllowanceDoc) {
	title := a.Name
	if a.Actor != "" {
		title += "  by the " + a.Actor
	}
	p.heading(2, title)
	p.wrapped(4, plain, "", plain, a.Doc)
	p.clauses(a.Clauses, nil)
	p.wrapped(6, plain, "relaxes", plain, a.Relaxes)
	p.wrapped(6, plain, "source ", plain, a.Source)
}

// uses lists the allowances that the steps needed.
func (p *printer) uses(all []validators.Use) {
	if len(all) > 0 {
		p.blank()
	}
	for len(all) > 0 {
		spec := all[0].Spec
		var parts []string
		for len(all) > 0 && all[0].Spec == spec {
			parts = append(parts, fmt.Sprintf("%s %s", all[0].Name, amount.Grouped(all[0].Count)))
			all = all[1:]
		}
		p.wrapped(0, plain, "", plain, fmt.Sprintf("Allowed by the profile moby, beyond the text of %s: %s.", spec, strings.Join(parts, ", ")))
	}
}
