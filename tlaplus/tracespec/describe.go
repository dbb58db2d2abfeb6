package tracespec

import (
	"context"
	"path/filepath"
	"slices"

	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/eval"
	"tracecheck/validators"
)

// Describe reads the module and its cfg, and lists their actions and rules. No log
// is read. The error is a *UsageError.
func Describe(o Options) (*validators.Spec, error) {
	cfg, err := o.cfg()
	if err != nil {
		return nil, err
	}
	spec, err := o.load(context.Background(), cfg, true)
	if err != nil {
		return nil, &UsageError{err}
	}
	return describe(o, cfg, spec), nil
}

func describe(o Options, cfg *config.Config, spec *eval.Spec) *validators.Spec {
	d := Described(o.Module, cfg, spec)
	if o.Config != defaultConfig(o.Module) {
		d.Config = o.Config
	}
	return d
}

// Described is what there is to judge by, of a module that has been read.
func Described(module string, cfg *config.Config, spec *eval.Spec) *validators.Spec {
	d := &validators.Spec{
		Name: spec.Root, Module: spec.Root, Doc: spec.Doc(), Source: filepath.ToSlash(module), File: module,
	}
	if cfg.View != nil {
		d.Source += ", whose states are compared by " + cfg.View.Name
	}
	for i := range cfg.Constants {
		c := &cfg.Constants[i]
		d.Constants = append(d.Constants, validators.ConstantDoc{Name: c.Name.Name, Default: config.Show(c.Value)})
	}
	for i := range cfg.Substitutions {
		s := &cfg.Substitutions[i]
		d.Constants = append(d.Constants, validators.ConstantDoc{Name: s.Name.Name, Default: s.By.Name})
	}
	for _, a := range spec.Actions() {
		d.Actions = append(d.Actions, validators.ActionDoc{Name: a.Name, Doc: a.Doc, Text: a.Place, Clauses: texts(a.Clauses), Places: places(a.Clauses)})
	}
	rule := func(kind validators.ViolationKind, name string, list []eval.Predicate) {
		_, place, doc := spec.Definition(name)
		r := validators.RuleDoc{Name: name, Kind: kind, Doc: doc, Text: place}
		for i := range list {
			clauses := spec.Clauses(&list[i])
			r.Clauses, r.Places = append(r.Clauses, texts(clauses)...), append(r.Places, places(clauses)...)
		}
		d.Rules = append(d.Rules, r)
	}
	rules := func(kind validators.ViolationKind, list []eval.Predicate) {
		for i := range list {
			rule(kind, list[i].Name, list[i:i+1])
		}
	}
	rules("constraint", spec.Constraints)
	rules("action constraint", spec.ActionConstraints)
	rules(validators.OfInvariant, spec.Invariants)
	for _, p := range spec.Properties {
		if judged := slices.Concat(p.Initial, p.Steps, p.States); len(judged) > 0 {
			rule(validators.OfProperty, p.Name, judged)
		}
		if len(p.Once)+len(p.Live) > 0 {
			formula, _, doc := spec.Definition(p.Name)
			d.Temporal = append(d.Temporal, validators.Temporal{Name: p.Name, Doc: doc, Formula: formula})
		}
	}
	rules("postcondition", spec.Postconditions)
	return d
}

func texts(list []eval.Clause) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Text
	}
	return out
}

func places(list []eval.Clause) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Place
	}
	return out
}
