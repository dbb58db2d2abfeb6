package eval

import (
	"maps"
	"slices"
	"strings"

	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// configure takes over what a cfg gives for the constants.
func (p *Program) configure(cfg *config.Config) {
	p.cfgFile, p.deadlock = cfg.File, cfg.CheckDeadlock == nil || cfg.CheckDeadlock.Check
	tables := map[string]*Native{}
	for i := range cfg.Constants {
		c := &cfg.Constants[i]
		name := keyOf(c.Module, c.Name.Name)
		v := p.constantValue(c.Value)
		if len(c.Args) == 0 {
			p.override[name] = &Native{Name: c.Name.Name, F0: func(*Run) value.Value { return v }, given: v}
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
		p.override[keyOf(s.Module, s.Name.Name)] = &alias{by: s.By}
	}
}

func keyOf(module *syntax.Ident, name string) string {
	if module == nil {
		return name
	}
	for _, nat := range exported(module.Name) {
		if nat.Name == name {
			return key(owner(nat, module.Name), name) // a module replaces what it extends, too
		}
	}
	return key(module.Name, name)
}

func key(module, name string) string { return "[" + module + "]" + name }

// replaced is the scope of an instance as the root module sees it: with what the cfg gives
// for I!F, where I is the prefix. What the instance itself defines by F stays as it is.
func (p *Program) replaced(prefix string, s *scope) *scope {
	seen := *s
	seen.names = maps.Clone(s.names)
	for name, sym := range s.names {
		if by := p.override[prefix+name]; by != nil && parameters(sym) >= 0 && !s.given[name] {
			forParameters(by, parameters(sym))
			seen.names[name] = by
		}
		if in, ok := sym.(*named); ok && in.fn == nil {
			inner := *in
			inner.scope = p.replaced(prefix+name+"!", in.scope)
			seen.names[name] = &inner
		}
	}
	return &seen
}

// replacesIn reports whether the cfg gives something for a name with the prefix.
func (p *Program) replacesIn(prefix string) bool {
	for name := range p.override {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// meaning is what a name such as F or I!J!F means in the root module; nil: nothing.
func (p *Program) meaning(name string) symbol {
	s := p.root.scope
	for {
		prefix, rest, more := strings.Cut(name, "!")
		sym := s.names[prefix]
		in, ok := sym.(*named)
		switch {
		case !more && s != p.root.scope && s.given[name]:
			return nil
		case !more:
			return sym
		case !ok || in.fn != nil:
			return nil
		}
		s, name = in.scope, rest
	}
}

// tabulated is an operator that has a value for some arguments only.
func (p *Program) tabulated(name string, arity int) *Native {
	return &Native{Name: name, Arity: arity, FN: func(r *Run, args []any) value.Value {
		value.Fail("%s has no value for these arguments", name)
		return nil
	}}
}

// alias represents a definition of the root module, by name.
type alias struct {
	by    syntax.Ident
	used  bool
	arity int // of what it names, where it is used
}

// forParameters notes how many parameters what a symbol is used for has.
func forParameters(by symbol, arity int) {
	if a, ok := by.(*alias); ok {
		a.used, a.arity = true, arity
	}
}

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
