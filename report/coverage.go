package report

import (
	"fmt"
	"io"
	"strconv"

	"tracecheck/internal/amount"
	"tracecheck/postmortem/coverage"
	"tracecheck/validators"
)

// CoverageJSON writes the report as one object on one line.
func CoverageJSON(w io.Writer, r *coverage.Report) error { return Encode(w, r) }

// meanings explain each measure in a line.
var meanings = map[coverage.Measure]string{
	coverage.Actions:     "conforming steps, or parts of steps, that the action explains",
	coverage.Transitions: "changes of status that a conforming step made",
	coverage.Clauses:     "steps that the action would explain without this clause",
	coverage.Disjuncts:   "lines of the log on which a path takes this alternative",
	coverage.Branches:    "objects of conforming steps that satisfy the invariant in this way",
}

// Coverage writes the report for people.
func Coverage(w io.Writer, r *coverage.Report, opts TextOptions) error {
	p := newPrinter(w, opts.Color, opts.Width)
	steps := 0
	for i := range r.Traces {
		steps += r.Traces[i].Steps
	}
	p.raw(0, p.paint(bold, "COVERAGE")+"  "+fmt.Sprintf("%s, %s judged", amount.Of(len(r.Traces), "trace"), amount.Of(steps, "step")))
	p.blank()
	for i := range r.Traces {
		t := &r.Traces[i]
		p.cut(2, plain, fmt.Sprintf("%s  %s, %s", t.File, traceVerdict(t), amount.Of(t.Steps, "step")))
		if t.Reason != "" {
			p.wrapped(4, plain, "", yellow, t.Reason)
		}
	}
	for i := range r.Coverage {
		p.specCoverage(r, &r.Coverage[i])
	}
	p.below(r.Below)
	p.against(r.Against)
	return p.flush()
}

func traceVerdict(t *coverage.Trace) string {
	if t.Violations > 0 {
		return amount.Of(t.Violations, "violation")
	}
	return string(t.Verdict)
}

func (p *printer) specCoverage(r *coverage.Report, c *validators.Coverage) {
	p.blank()
	p.heading(0, c.Spec)
	for i := range r.Shares {
		if s := &r.Shares[i]; s.Spec == c.Spec {
			p.raw(2, share(s))
		}
	}
	items := coverage.Items(c)
	width := 1
	for _, item := range items {
		width = max(width, len(amount.Grouped(item.Count)))
	}
	last := coverage.Measure("")
	of := ""
	for _, item := range items {
		if item.Measure != last {
			last, of = item.Measure, ""
			p.blank()
			p.raw(2, p.paint(bold, string(last))+": "+meanings[last])
		}
		if item.Of != of {
			of = item.Of
			p.raw(4, of)
		}
		indent := 4
		if of != "" {
			indent = 6
		}
		number, s := amount.Grouped(item.Count), plain
		if item.Count == 0 {
			number, s = "-", yellow
		}
		p.cut(indent, s, fmt.Sprintf("%*s  %s", width, number, item.Name))
	}
}

// share is a line such as "actions        14 of 20   70 %".
func share(s *coverage.Share) string {
	return fmt.Sprintf("%-11s  %3d of %3d  %3s %%", s.Measure, s.Exercised, s.Of, percent(s.Percent()))
}

// percent is rounded down, so that 100 means all.
func percent(p float64) string { return strconv.Itoa(int(p)) }

func (p *printer) below(list []coverage.Below) {
	if len(list) == 0 {
		return
	}
	p.blank()
	for i := range list {
		p.wrapped(0, red, "BELOW", plain, belowText(&list[i]))
	}
}

func belowText(b *coverage.Below) string {
	return fmt.Sprintf("%s %s: %d of %d is %s %%, and --min requires %s %%",
		b.Spec, b.Measure, b.Exercised, b.Of, percent(b.Percent()), strconv.FormatFloat(b.Wanted, 'f', -1, 64))
}

func (p *printer) against(c *coverage.Change) {
	if c == nil {
		return
	}
	p.changed("Newly exercised, against "+c.File, green, c.Gained)
	p.changed("No longer exercised, against "+c.File, red, c.Lost)
}

func (p *printer) changed(title string, s style, list []coverage.Changed) {
	p.blank()
	if len(list) == 0 {
		p.heading(0, title+": nothing")
		return
	}
	p.heading(0, title+":")
	for i := range list {
		p.cut(2, s, changedText(&list[i]))
	}
}

// changedText is the full name of an entry.
func changedText(c *coverage.Changed) string {
	of := ""
	if c.Of != "" {
		of = c.Of + ": "
	}
	return fmt.Sprintf("%s %s  %s%s", c.Spec, c.Measure, of, c.Name)
}
