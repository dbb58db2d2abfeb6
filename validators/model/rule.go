package model

import (
	"tracecheck/trace"
	"tracecheck/validators"
)

// Rule is an invariant, or a property of steps. The engine judges it for each object of the kind
// that a step has changed.
type Rule[S any, R comparable] struct {
	validators.RuleDoc
	On       *Kind[S, R]
	Reads    Columns                                      // it is judged where one of these has changed; 0: any
	Status   Statuses                                     // and the status, the first enumeration, is one of these; 0: any
	Broken   func(s *S, id string, r *R) (message string) // "" if it holds
	Branches []Branch[S, R]                               // ways in which it holds, for coverage
	Gone     func(s *S, old *R) (message string)          // optional: judges what the step has changed or deleted, as it was before
}

// Branch is a way in which a rule can hold.
type Branch[S any, R comparable] struct {
	Text  string
	Taken func(s *S, r *R) bool
}

// Judged is a *Rule. Only this package implements it.
type Judged[S any] interface {
	doc() (validators.RuleDoc, []validators.RuleBranch)
	of() (trace.Kind, Statuses)
	broken(s *S, step *trace.Step, found []validators.Finding) []validators.Finding
	suspected(s *S, at *Suspect, found []validators.Finding) []validators.Finding
	cover(s *S, c *validators.Cover)
}

func (rule *Rule[S, R]) doc() (validators.RuleDoc, []validators.RuleBranch) {
	var branches []validators.RuleBranch
	for _, b := range rule.Branches {
		branches = append(branches, validators.RuleBranch{Rule: rule.Name, Branch: b.Text})
	}
	return rule.RuleDoc, branches
}

// of says which objects it is judged of.
func (rule *Rule[S, R]) of() (trace.Kind, Statuses) {
	rule.On.keepsOld = rule.On.keepsOld || rule.Gone != nil
	if rule.Status == 0 {
		return rule.On.Kind, ^Statuses(0)
	}
	return rule.On.Kind, rule.Status
}

// isAbout says that it is judged of the object after the step.
func (rule *Rule[S, R]) isAbout(c *Change[R]) bool {
	return c.Shown && c.Differs(rule.Reads) && rule.concerns(&c.New)
}

func (rule *Rule[S, R]) concerns(r *R) bool {
	return rule.Status == 0 || rule.Status.has(rule.On.status.value(r))
}

func (rule *Rule[S, R]) cover(s *S, cover *validators.Cover) {
	for _, c := range rule.On.Rows(s).Changed() {
		if !rule.isAbout(c) {
			continue
		}
		for _, b := range rule.Branches {
			if b.Taken(s, &c.New) {
				cover.Took(validators.RuleBranch{Rule: rule.Name, Branch: b.Text})
			}
		}
	}
}

func (rule *Rule[S, R]) broken(s *S, step *trace.Step, found []validators.Finding) []validators.Finding {
	for _, c := range rule.On.Rows(s).Changed() {
		message := ""
		if rule.isAbout(c) {
			message = rule.Broken(s, c.ID, &c.New)
		}
		if message == "" && rule.Gone != nil {
			message = rule.Gone(s, c.Old)
		}
		if message != "" {
			found = rule.report(message, step.Events[max(c.Line, 0)].Pos, found)
		}
	}
	return found
}

func (rule *Rule[S, R]) report(message string, at trace.Pos, found []validators.Finding) []validators.Finding {
	if !validators.HasRule(found, rule.Name) {
		found = append(found, validators.Finding{Kind: rule.Kind, Rule: rule.Name, Pos: at, Message: message})
	}
	return found
}

func (rule *Rule[S, R]) suspected(s *S, at *Suspect, found []validators.Finding) []validators.Finding {
	if r := rule.on(s, at); r != nil && rule.concerns(r) {
		if message := rule.Broken(s, at.ID, r); message != "" {
			found = rule.report(message, at.At, found)
		}
	}
	return found
}

// on is the object, nil where the rule is not of its kind, or there is none.
func (rule *Rule[S, R]) on(s *S, at *Suspect) *R {
	if rule.On.Kind != at.Kind {
		return nil
	}
	if one := rule.On.Rows(s).one; one != nil {
		return one.Now
	}
	if r := rule.On.Rows(s).Get(at.ID); r != nil {
		return &r.Value
	}
	return nil // the line says nothing
}
