package validators

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
)

// NextRule is the rule of a step that no action explains.
const NextRule = "Next"

// NoSuchObject ends the text of a Fault about an object that does not exist.
const NoSuchObject = "that does not exist"

// Fault is part of an event that no state allows: a value outside its type, or
// an operation on an object that does not exist, or exists already.
type Fault struct {
	Kind ViolationKind // OfType or OfTransition
	Line int           // the event, as an index in the step
	Text string
}

// Faults are the faults of one step.
type Faults []Fault

// Add adds a fault.
func (f *Faults) Add(kind ViolationKind, line int, text string) {
	*f = append(*f, Fault{kind, line, text})
}

// Has reports whether there is a fault of the kind.
func (f Faults) Has(kind ViolationKind) bool {
	return slices.ContainsFunc(f, func(of Fault) bool { return of.Kind == kind })
}

// faultsShown bounds the faults of a kind in a message.
const faultsShown = 3

// Findings returns one finding for each kind of fault, types first.
func (f Faults) Findings(step *trace.Step, typeRule string, changes func() []Change) []Finding {
	if len(f) == 0 {
		return nil
	}
	var found []Finding
	for _, kind := range []ViolationKind{OfType, OfTransition} {
		var texts []string
		var at trace.Pos
		for i := range f {
			if f[i].Kind != kind {
				continue
			}
			if len(texts) == 0 {
				at = step.Events[f[i].Line].Pos
			}
			texts = append(texts, f[i].Text)
		}
		if len(texts) == 0 {
			continue
		}
		rule, text := NextRule, strings.Join(texts[:min(len(texts), faultsShown)], "; ")
		if kind == OfType {
			rule = typeRule
		}
		if n := len(texts) - faultsShown; n > 0 {
			text += fmt.Sprintf("; and %d more", n)
		}
		found = append(found, Finding{Kind: kind, Rule: rule, Pos: at, Message: text, Changes: changes()})
	}
	return found
}

// HasRule reports whether a finding names the rule.
func HasRule(found []Finding, rule string) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == rule })
}
