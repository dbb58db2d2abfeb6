package eval

import (
	"cmp"
	"slices"

	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// configure takes over what a cfg gives for the constants.
func (p *Program) configure(cfg *config.Config) {
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

// alias stands for a definition of the root module, by name.
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
			p.root.scope.refuse(&a.by, "%s, which the cfg names, is not defined", a.by.Name)
		}
		sym = to
	}
	return sym
}

// chosen is the value of a CHOOSE without a set: of one text always the same, and
// another than all others.
func (p *Program) chosen(n *syntax.Choose) value.Value {
	name := "CHOOSE " + syntax.Pos(n.From).String()
	v := p.choices[name]
	if v == nil {
		v = p.Space.Model(name)
		p.choices[name] = v
	}
	return v
}

// check compiles all definitions of the root module and what it extends, so that
// what is wrong with the texts is found before anything is evaluated. It does so in
// the texts' order, on which the order of strings depends.
func (p *Program) check() {
	var list []*definition
	for _, sym := range p.root.scope.names {
		if d, ok := sym.(*definition); ok {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *definition) int {
		x, y := a.syn.Place().From, b.syn.Place().From
		return cmp.Or(slices.Index(p.order, a.scope.mod.syn.File)-slices.Index(p.order, b.scope.mod.syn.File), x.Line-y.Line, x.Col-y.Col)
	})
	for _, d := range list {
		d.body()
	}
	for _, a := range p.assumes {
		p.compileIn(a.s, a.expr)
	}
}

// compileIn compiles an expression with a frame of its own.
func (p *Program) compileIn(s *scope, n syntax.Expr) *body {
	d := &definition{p: p, name: "the expression", syn: n, expr: n, scope: s}
	return d.body()
}
