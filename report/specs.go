package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tracecheck/validators"
)

// Specs writes an overview of the specs.
func Specs(w io.Writer, specs []*validators.Spec, opts TextOptions) error {
	p := newPrinter(w, opts.Color, opts.Width)
	for i, s := range specs {
		if i > 0 {
			p.blank()
		}
		p.specHead(s)
		names := make([]string, len(s.Actions))
		for j := range s.Actions {
			names[j] = s.Actions[j].Name
		}
		p.wrapped(2, plain, "actions:  ", plain, strings.Join(names, ", "))
		names = names[:0]
		for j := range s.Rules {
			names = append(names, s.Rules[j].Name)
		}
		p.wrapped(2, plain, "rules:    ", plain, strings.Join(names, ", "))
		names = names[:0]
		for j := range s.Temporal {
			names = append(names, s.Temporal[j].Name)
		}
		if len(names) > 0 {
			p.wrapped(2, plain, "temporal: ", plain, strings.Join(names, ", "))
		}
		names = names[:0]
		for _, a := range s.Allows() {
			names = append(names, a.Name)
		}
		if len(names) > 0 {
			p.wrapped(2, plain, "allowances:", plain, strings.Join(names, ", "))
		}
	}
	if len(specs) > 0 {
		p.blank()
		p.wrapped(0, bold, "To read one:", plain, "tracecheck specs "+specs[0].Name+" [ACTION or RULE]")
	}
	return p.flush()
}

// Spec writes one spec with all its actions, rules and constants.
func Spec(w io.Writer, s *validators.Spec, opts TextOptions) error {
	p := newPrinter(w, opts.Color, opts.Width)
	p.specHead(s)
	p.blank()
	p.heading(0, "Actions: a step is one of these, or changes nothing")
	for i := range s.Actions {
		p.blank()
		p.action(&s.Actions[i])
	}
	if len(s.Rules) > 0 {
		p.blank()
		p.heading(0, "Rules")
	}
	for i := range s.Rules {
		p.blank()
		p.rule(&s.Rules[i])
	}
	if len(s.Temporal) > 0 {
		p.blank()
		p.heading(0, temporalHeading(s))
	}
	for i := range s.Temporal {
		p.blank()
		p.temporal(s, &s.Temporal[i])
	}
	for i := range s.Profiles {
		profile := &s.Profiles[i]
		p.blank()
		p.heading(0, "Allowances of the profile "+profile.Name+": "+profile.Doc)
		for k := range profile.Allows {
			p.blank()
			p.allowance(&profile.Allows[k])
		}
	}
	return p.flush()
}

// Part writes the parts of a spec with one name: an action, a rule, or "Next",
// which lists all actions.
func Part(w io.Writer, s *validators.Spec, opts TextOptions) error {
	p := newPrinter(w, opts.Color, opts.Width)
	for i := range s.Actions {
		p.action(&s.Actions[i])
	}
	for i := range s.Rules {
		p.rule(&s.Rules[i])
	}
	for i := range s.Temporal {
		p.temporal(s, &s.Temporal[i])
	}
	for _, a := range s.Allows() {
		p.allowance(&a)
	}
	return p.flush()
}

// Named returns the spec with only the actions and rules of this name, or nil if
// there are none. For validators.NextRule it returns all actions, without clauses.
func Named(s *validators.Spec, name string) *validators.Spec {
	part := *s
	part.Actions, part.Rules, part.Temporal, part.Profiles = nil, nil, nil, nil
	for _, a := range s.Actions {
		if name == validators.NextRule {
			a.Clauses = nil
		} else if a.Name != name {
			continue
		}
		part.Actions = append(part.Actions, a)
	}
	for _, r := range s.Rules {
		if r.Name == name {
			part.Rules = append(part.Rules, r)
		}
	}
	for _, t := range s.Temporal {
		if t.Name == name {
			part.Temporal = append(part.Temporal, t)
		}
	}
	for _, p := range s.Profiles {
		if i := slices.IndexFunc(p.Allows, func(a validators.AllowanceDoc) bool { return a.Name == name }); i >= 0 {
			p.Allows = p.Allows[i : i+1]
			part.Profiles = append(part.Profiles, p)
		}
	}
	if part.Actions == nil && part.Rules == nil && part.Temporal == nil && part.Profiles == nil {
		return nil
	}
	return &part
}

func (p *printer) specHead(s *validators.Spec) {
	title := s.Name
	if s.Module != "" {
		title += "  (module " + s.Module + ")"
	}
	p.heading(0, title)
	p.doc(2, s.Doc)
	if s.Source != "" {
		p.wrapped(2, plain, "source:   ", plain, s.Source)
	}
	kinds := make([]string, len(s.Kinds))
	for i, k := range s.Kinds {
		kinds[i] = k.String()
	}
	if len(kinds) > 0 {
		p.wrapped(2, plain, "reads:    ", plain, strings.Join(kinds, ", "))
	}
	for i, c := range s.Constants {
		label := "constants:"
		if i > 0 {
			label = strings.Repeat(" ", len(label))
		}
		text := fmt.Sprintf("%s: %s", c.Name, c.Type)
		switch {
		case c.Type == "":
			text = c.Name + " = " + c.Default
		case c.Default != "":
			text += ", default " + c.Default
		}
		if c.Doc != "" {
			text += ". " + c.Doc
		}
		p.wrapped(2, plain, label, plain, text)
	}
}

func (p *printer) action(a *validators.ActionDoc) {
	title := a.Name
	if a.Actor != "" {
		title += "  by the " + a.Actor
	}
	p.heading(2, at(title, a.Text))
	p.doc(4, a.Doc)
	p.clauses(a.Clauses, a.Places)
	if a.Stutters {
		p.wrapped(6, plain, "", dim, "(may also leave the state as it is)")
	}
}

func (p *printer) rule(r *validators.RuleDoc) {
	title := r.Name
	if r.Kind != "" {
		title += "  " + string(r.Kind)
	}
	p.heading(2, at(title, r.Text))
	p.doc(4, r.Doc)
	p.clauses(r.Clauses, r.Places)
}

// doc writes a paragraph, unless it is empty.
func (p *printer) doc(indent int, text string) {
	if text != "" {
		p.wrapped(indent, plain, "", plain, text)
	}
}

// at is a text with its position, if known.
func at(text, place string) string {
	if place == "" {
		return text
	}
	return text + "  (" + place + ")"
}

// clauses writes conjuncts, with their positions if known.
func (p *printer) clauses(texts, places []string) {
	for i, text := range texts {
		place := ""
		if i < len(places) {
			place = places[i]
		}
		p.wrapped(6, plain, `/\`, plain, at(text, place))
	}
}

func temporalHeading(s *validators.Spec) string {
	if s.File != "" {
		return "Temporal properties: the trace spec requires them of the paths"
	}
	return "Temporal properties: reported with their state, violations only with --deadline"
}

func (p *printer) temporal(s *validators.Spec, t *validators.Temporal) {
	p.heading(2, t.Name)
	p.doc(4, t.Doc)
	if t.Formula != "" {
		p.wrapped(6, plain, "", plain, t.Formula)
	}
	if actions := s.Progress(t); len(actions) > 0 {
		p.wrapped(6, plain, "", plain, "waits for "+strings.Join(actions, ", "))
	}
}
