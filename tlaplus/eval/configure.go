package eval

import (
	"slices"

	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// configure takes over what a cfg gives for the constants.
func (p *Program) configure(cfg *config.Config) {
	p.cfgFile = cfg.File
	tables := map[string]*Native{}
	for i := range cfg.Constants {
		c := &cfg.Constants[i]
		name := key(c.Module, c.Name.Name)
		v := p.constantValue(c.Value)
		if len(c.Args) == 0 {
			p.override[name] = &Native{Name: c.Name.Name, F0: func(*Run) value.Value { return v }}
			continue
		}
		args := make([]value.Value, len(c.Args))
		for k, a := range c.Args {
			args[k] = p.constantValue(a)
		}
		t := tables[name]
		if t == nil {
			t = p.tabulated(c.Name.Name, len(args))
			tables[name] = t
			p.override[name] = t
		}
		call := t.FN
		t.FN = func(r *Run, got []any) value.Value {
			if slices.EqualFunc(args, got, func(a value.Value, g any) bool { return value.Equal(a, r.get(g)) }) {
				return v
			}
			return call(r, got)
		}
	}
	for i := range cfg.Substitutions {
		s := &cfg.Substitutions[i]
		p.override[key(s.Module, s.Name.Name)] = &alias{s.By}
	}
}

func key(module *syntax.Ident, name string) string {
	if module == nil {
		return name
	}
	return module.Name + "!" + name
}

// tabulated is an operator that has a value for some arguments only.
func (p *Program) tabulated(name string, arity int) *Native {
	return &Native{Name: name, Arity: arity, FN: func(r *Run, args []any) value.Value {
		value.Fail("%s has no value for these arguments", name)
		return nil
	}}
}

// alias represents a definition of the root module, by name.
type alias struct{ by syntax.Ident }

// constantValue is the value that a cfg writes.
func (p *Program) constantValue(v config.Value) value.Value {
	switch v := v.(type) {
	case *config.Int:
		return value.Of(int64(v.Value))
	case *config.Bool:
		return value.Truth(v.Value)
	case *config.String:
		return p.Space.String(v.Value)
	case *config.Model:
		return p.Space.Model(v.Name)
	case *config.Set:
		elems := make([]value.Value, len(v.Items))
		for i, item := range v.Items {
			elems[i] = p.constantValue(item)
		}
		return value.NewSet(elems)
	}
	return nil
}

// aliased follows an alias.
func (p *Program) aliased(sym symbol) symbol {
	for range 100 {
		a, ok := sym.(*alias)
		if !ok {
			break
		}
		to := p.root.scope.names[a.by.Name]
		if to == sym || to == nil {
			p.refuseGiven(&a.by, "%s is not defined in the module%s", a.by.Name, p.root.scope.like(a.by.Name))
		}
		sym = to
	}
	return sym
}
