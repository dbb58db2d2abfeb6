package validators

import (
	"fmt"
	"strings"

	"tracecheck/trace"
)

// NextRule is the rule that a step breaks which no action explains.
const NextRule = "Next"

// NoSuchObject ends the text of a Fault of an operation on what does not stand.
const NoSuchObject = "that does not exist"

// Fault is what an event says that no state allows: a value outside its type,
// or an operation on what does not stand, or stands already.
type Fault struct {
	Kind ViolationKind // OfType or OfTransition
	Line int           // the event, an index into the step
	Text string
}

// Faults are those of one step.
type Faults []Fault

// Add adds a fault.
func (f *Faults) Add(kind ViolationKind, line int, text string) {
	*f = append(*f, Fault{kind, line, text})
}

// Has reports whether one is of the kind.
func (f Faults) Has(kind ViolationKind) bool {
	for i := range f {
		if f[i].Kind == kind {
			return true
		}
	}
	return false
}

// faultsShown is how many faults of a kind a message tells.
const faultsShown = 3

// Findings are one finding for each kind of fault, that of types first.
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

// HasRule reports whether some finding is of the rule.
func HasRule(found []Finding, rule string) bool {
	for i := range found {
		if found[i].Rule == rule {
			return true
		}
	}
	return false
}
