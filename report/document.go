package report

import (
	"bytes"

	"tracecheck/validators"
)

// Document is a result with the data that a self-contained report needs.
type Document struct {
	Result   *validators.Result
	Specs    []*validators.Spec // all specs
	Notes    []string           // remarks of the caller, each a paragraph
	Version  string             // of the program
	Timeline *Timeline          // nil: no timeline
}

// spec returns the spec with this name, or an empty one.
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
	p.flush() // writing to memory does not fail
	return b.String()
}

// suite is a spec that judged a stream.
type suite struct{ stream, spec string }

// suites lists them in the result's order, those with violations first.
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

// ruleNames lists the rules of the spec in its order, and then other rules of
// its violations.
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
