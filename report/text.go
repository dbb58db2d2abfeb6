package report

import (
	"fmt"
	"io"
	"strings"

	"tracecheck/internal/amount"
	"tracecheck/trace"
	"tracecheck/validators"
)

// fullyShown bounds the explained violating steps. Each further step has one
// line.
const fullyShown = 20

// Text writes the result for people.
func Text(w io.Writer, r *validators.Result, opts TextOptions) error {
	p := newPrinter(w, opts.Color, opts.Width)
	p.explain = opts.Explain
	p.headline(r)
	if r.Verdict == validators.Unusable {
		p.unusable(r)
	}
	groups := bySteps(r.Violations)
	for i, g := range groups {
		if i == fullyShown {
			p.rest(groups[i:])
			break
		}
		p.blank()
		p.violation(i+1, g)
	}
	p.blank()
	for _, note := range opts.Notes {
		p.wrapped(0, bold, "note:", plain, note)
	}
	if len(opts.Notes) > 0 {
		p.blank()
	}
	p.summary(r)
	p.desired(r)
	p.liveness(r.Liveness)
	p.uses(r.Allowances)
	p.exercised(r)
	return p.flush()
}

func (p *printer) headline(r *validators.Result) {
	word, color := strings.ToUpper(string(r.Verdict)), red
	rest := ""
	switch r.Verdict {
	case validators.Conforming:
		color = green
		rest = strings.Join(r.Specs, ", ") + "  " + conforms(r)
	case validators.Violated:
		v := &r.Violations[0]
		rest = fmt.Sprintf("%s  %s", v.Spec, trace.Pos{File: v.File, Line: v.Line})
		if n := len(r.Violations); n > 1 {
			rest += fmt.Sprintf("  (the first of %s)", amount.Grouped(n))
		}
	default:
		color = yellow
		rest = "the input could not be judged to its end"
		if r.Steps == 0 {
			rest = "the input could not be judged"
		}
	}
	if r.Partial {
		word += " (PARTIAL)"
	}
	p.raw(0, p.paint(color, word)+"  "+p.paint(bold, clean(rest)))
}

// conforms says what it means that the verdict is conforming.
func conforms(r *validators.Result) string {
	text := "every step is one that the spec allows"
	if r.Known > 0 {
		text += ", but for " + amount.Of(r.Known, "known violation")
	}
	return text
}

// unusable says why the input is unusable, what is known anyway, and what to
// do.
func (p *printer) unusable(r *validators.Result) {
	p.blank()
	p.wrapped(2, plain, "", bold, r.Reason)
	p.blank()
	known := ""
	switch {
	case len(r.Violations) > 0:
		known = fmt.Sprintf("Found before that: %s, below. ", amount.Of(len(r.Violations), "violation"))
	case r.Partial: // the reason says it
	case r.Steps > 0:
		conform := "conform"
		if r.Steps == 1 {
			conform = "conforms"
		}
		known = fmt.Sprintf("The %s judged %s; the rest is not known, so this is not a success. ", amount.Of(r.Steps, "step"), conform)
	}
	do := "Repair the input at this position, or cut it off before it, and run again."
	switch {
	case r.Partial:
		do = "This is not a success: run again to the end for a verdict."
	case r.Events == 0 && r.Reason != validators.NoEvents:
		do = "Nothing was judged, so this is not a success."
	case r.Events == 0 && r.Unmapped > 0:
		do = "No line of the log matches a rule. To see the nearest rule of each line, run `tracecheck map --verbose` with the rules."
	case r.Events == 0:
		do = "Check that this is the right input, and that a program has written to it."
	case r.Steps == 0:
		do = "Check that this is the right input for the chosen specs: `tracecheck specs` lists the kinds that each spec reads. " +
			"If you use a bind file, `tracecheck bind --check FILE LOG` shows what the lines mean."
	}
	p.wrapped(2, plain, "", plain, known+do)
}

// rest lists the violating steps beyond fullyShown.
func (p *printer) rest(groups [][]validators.Violation) {
	p.blank()
	p.heading(0, "And "+strings.Replace(amount.Of(len(groups), "violating step"), " ", " more ", 1)+":")
	for _, g := range groups {
		for i := range g {
			v := &g[i]
			p.cut(2, plain, fmt.Sprintf("%s  %s %s  %s", trace.Pos{File: v.File, Line: v.Line}, v.Kind, v.Rule, v.Message))
		}
	}
}

// summary says how much was read and judged.
func (p *printer) summary(r *validators.Result) {
	parts := []string{
		amount.Of(r.Events, "event"), amount.Of(r.Steps, "step") + " judged", amount.Of(r.Streams, "stream"),
	}
	if r.Duplicates > 0 {
		parts = append(parts, amount.Of(r.Duplicates, "duplicate")+" skipped")
	}
	if r.Gaps > 0 {
		parts = append(parts, amount.Of(r.Gaps, "gap"))
	}
	if r.Skipped > 0 {
		parts = append(parts, amount.Of(r.Skipped, "event")+" skipped at gaps")
	}
	line := strings.Join(parts, ", ")
	if r.Partial {
		line += " (partial: the run ended before the input did)"
	}
	p.wrapped(0, plain, "", plain, line+".")
}
