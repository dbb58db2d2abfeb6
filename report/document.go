package report

import (
	"bytes"

	"tracecheck/validators"
)

// Document is a result with what a report that stands by itself needs beside it.
type Document struct {
	Result   *validators.Result
	Specs    []*validators.Spec // those there are
	Notes    []string           // the caller's own remarks, each a paragraph
	Version  string             // of the program
	Timeline *Timeline          // nil: there is none
}

// spec returns the spec of that name, an empty one where there is none.
func (d *Document) spec(name string) *validators.Spec {
	for _, s := range d.Specs {
		if s.Name == name {
			return s
		}
	}
	return &validators.Spec{Name: name}
}

// explanation is a violating step as Text explains it.
func explanation(step []validators.Violation) string {
	var b bytes.Buffer
	p := newPrinter(&b, false, mostProse)
	p.violation(1, step)
	p.flush() // to memory, which does not fail
	return b.String()
}

// suite names a stream that a spec judged.
type suite struct{ stream, spec string }

// suites lists them, those with violations first, in the result's order.
func suites(r *validators.Result) []suite {
	var list []suite
	seen := map[suite]bool{}
	add := func(s suite) {
		if !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	for i := range r.Violations {
		add(suite{r.Violations[i].Stream, r.Violations[i].Spec})
	}
	for i := range r.Liveness {
		add(suite{r.Liveness[i].Stream, r.Liveness[i].Spec})
	}
	return list
}

// ruleNames are the names that a violation of the spec may have as its rule, in
// the order in which the spec has them, and those that the violations have beside
// these.
func ruleNames(s *validators.Spec, violations []validators.Violation) []string {
	names := []string{validators.NextRule, "actor", "action"}
	seen := map[string]bool{validators.NextRule: true, "actor": true, "action": true}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for i := range s.Rules {
		add(s.Rules[i].Name)
	}
	for i := range s.Temporal {
		add(s.Temporal[i].Name)
	}
	for i := range violations {
		add(violations[i].Rule)
	}
	return names
}
