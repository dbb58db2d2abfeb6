package model

import (
	"tracecheck/trace"
	"tracecheck/validators"
)

// StepRule is a property of steps. The engine judges it for each step that a single action explains.
type StepRule[S any] struct {
	validators.RuleDoc
	// Broken is called before the step is taken; line is an index into the step.
	Broken func(s *S) (line int, message string) // "" if it holds
}

// judgeSteps judges the properties of a step that is explained.
func (j *machine[S, P]) judgeSteps(step *trace.Step) (found []validators.Finding) {
	for _, rule := range j.of.Steps {
		if line, message := rule.Broken(j.s); message != "" {
			found = append(found, validators.Finding{Kind: rule.Kind, Rule: rule.Name, Pos: step.Events[line].Pos, Message: message, Changes: j.changes()})
		}
	}
	return found
}

// Refusal is a rule for lines that record a refusal. A refusal changes nothing.
type Refusal[S any] struct {
	validators.RuleDoc
	On trace.Kind // of the lines
	// Before reads the line, in the state before its step.
	Before func(b *Line[S], ev *trace.Event)
	// After judges the n-th of the step's refusals, in the state after the step. same
	// says that the step is nothing but refusals.
	After func(s *S, n int, ev *trace.Event, same bool) (message string)
}

// readRefusal reads a line that records a refusal.
func (j *machine[S, P]) readRefusal(ev *trace.Event, i int) {
	if r := j.of.Refusal; r != nil && r.On == ev.Kind {
		j.line = i
		r.Before(&j.binder, ev)
	}
}

// judgeRefusals reports the first refusal that breaks the rule. Under --attach it
// may rest on what no line has shown: open says that the step is nothing else.
func (j *machine[S, P]) judgeRefusals(step *trace.Step, found []validators.Finding) (_ []validators.Finding, open bool) {
	r := j.of.Refusal
	if r == nil || !j.refuses {
		return found, false
	}
	n := 0
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Op != trace.OpReject || ev.Kind != r.On {
			continue
		}
		message := r.After(j.s, n, ev, !j.acts)
		switch n++; {
		case message == "":
		case j.attach:
			open = !j.acts
		case !validators.HasRule(found, r.Name):
			found = append(found, validators.Finding{Kind: r.Kind, Rule: r.Name, Pos: ev.Pos, Message: message})
		}
	}
	return found, open
}
