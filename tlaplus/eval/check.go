package eval

import (
	"cmp"
	"fmt"
	"slices"

	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// What is wrong with the texts is found before anything is evaluated, several errors
// at once: an expression with one is left out, and what is around it goes on.

// collect runs do, and returns what is wrong with the texts, as syntax.Errors.
func (p *Program) collect(do func()) error {
	p.checking = true
	p.note(do)
	p.checking = false
	if len(p.problems) > 0 {
		return p.problems.Sorted()
	}
	return nil
}

// note runs do up to the first error in the texts, which it notes.
func (p *Program) note(do func()) {
	defer func() {
		if x := recover(); x != nil {
			p.noted(x)
		}
	}()
	do()
}

// noted takes over a panic that is of errors in the texts; it continues with others.
func (p *Program) noted(x any) syntax.Errors {
	var list syntax.Errors
	switch x := x.(type) {
	case *syntax.Error:
		list = syntax.Errors{x}
	case syntax.Errors:
		list = x
	default:
		panic(x)
	}
	for _, e := range list {
		if !slices.ContainsFunc(p.problems, func(old *syntax.Error) bool { return *old == *e }) {
			p.problems = append(p.problems, e)
		}
	}
	return list
}

// broken represents an expression with an error.
func (p *Program) broken(x any) *expr {
	list := p.noted(x)
	return &expr{code: func(*Run, *frame) value.Value {
		value.Fail("%s", list)
		return nil
	}}
}

// check compiles all definitions of all modules, also those that nothing uses. Those
// that the root module has come first, in the texts' order, on which the order of
// strings depends.
func (p *Program) check() {
	p.checkScope(p.root.scope)
	for i := 0; i < len(p.scopes); i++ { // a LET may add some
		p.checkScope(p.scopes[i])
	}
	for _, a := range p.assumes {
		p.note(func() {
			if x := p.compileAt(a.s, a.expr, a.unit); x.level > state { // TLCGet has the level of a state, too
				a.s.refuse(a.expr, "the assumption is of %s level: it may only be of constants", x.level)
			}
		})
	}
}

func (p *Program) checkScope(s *scope) {
	var list []*definition
	for _, sym := range s.names {
		if d, ok := sym.(*definition); ok {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *definition) int {
		x, y := a.syn.Place().From, b.syn.Place().From
		return cmp.Or(slices.Index(p.order, a.scope.mod.syn.File)-slices.Index(p.order, b.scope.mod.syn.File), x.Line-y.Line, x.Col-y.Col)
	})
	for _, d := range list {
		p.note(func() { d.body() })
	}
}

// compileIn compiles an expression with a frame of its own.
func (p *Program) compileIn(s *scope, n syntax.Expr) *body { return p.compileAt(s, n, 0) }

// compileAt compiles an expression of the module's unit.
func (p *Program) compileAt(s *scope, n syntax.Expr, unit int) *body {
	d := &definition{p: p, name: "the expression", syn: n, expr: n, scope: s, unit: unit}
	return d.body()
}

// given is an error where a name of the cfg means nothing.
func (p *Program) given(id syntax.Ident) {
	if id.Name == "TRUE" {
		return
	}
	if p.meaning(id.Name) == nil && p.scopeOf(id.Name) == p.root.scope {
		p.refuseGiven(&id, "%s is not defined in the module%s", id.Name, p.root.scope.like(id.Name))
	}
}

// replaces is an error where the substitution has nothing to replace.
func (p *Program) replaces(sub *config.Substitution) {
	if m := sub.Module; m != nil {
		if p.files[m.Name] == nil && natives()[m.Name] == nil {
			p.refuseGiven(m, "there is no module %s here", m.Name)
		}
		has := func(s *scope) bool {
			return s.mod.syn.Name == m.Name && s.names[sub.Name.Name] != nil && !declaredIn(s.mod.syn, sub.Name.Name)
		}
		known := slices.ContainsFunc(p.scopes, has)
		if p.files[m.Name] == nil {
			known = slices.ContainsFunc(exported(m.Name), func(n *Native) bool { return n.Name == sub.Name.Name })
		}
		if !known {
			p.refuseGiven(&sub.Name, "%s is not defined in the module %s", sub.Name.Name, m.Name)
		}
	} else {
		p.given(sub.Name)
	}
	if a, ok := p.override[keyOf(sub.Module, sub.Name.Name)].(*alias); ok && a.used {
		if is := parameters(p.aliased(a)); is >= 0 && is != a.arity {
			p.refuseGiven(&sub.By, "%s takes %d arguments, and %s, which it replaces, takes %d", sub.By.Name, is, sub.Name.Name, a.arity)
		}
	}
	if sub.Module != nil {
		return
	}
	if _, ok := p.root.scope.names[sub.Name.Name].(*variable); ok {
		p.refuseGiven(&sub.Name, "%s is a variable: only constants and definitions are replaced", sub.Name.Name)
	}
	if d, ok := p.aliased(p.override[sub.Name.Name]).(*definition); ok && p.constants[sub.Name.Name] && len(d.params) == 0 && d.body().level > constant {
		r := p.NewRun()
		if vars, _ := p.readsOf(d.x); len(vars) > 0 && r.protect(func() { d.x.code(r, d.x.frame(nil)) }) != nil {
			p.refuseGiven(&sub.By, "%s is a constant, and %s, which gives its value, depends on variables", sub.Name.Name, sub.By.Name)
		}
	}
}

// refuseGiven reports an error about the cfg.
func (p *Program) refuseGiven(n syntax.Node, format string, args ...any) {
	panic(&syntax.Error{File: p.cfgFile, Span: n.Place(), Msg: fmt.Sprintf(format, args...)})
}

// later reports whether the name, which the scope or one around it has, gets its
// meaning only later in the module.
func (s *scope) later(name string) bool {
	for at := s; at != nil && at.mod == s.mod; at = at.up {
		if _, ok := at.names[name]; ok {
			return at.since != nil && s.unit > 0 && at.since[name] >= s.unit
		}
	}
	return false
}

// fresh is an error where a name that is bound here has a meaning already.
func (s *scope) fresh(n syntax.Node, name string) {
	for at := s; at != nil; at = at.up {
		sym, ok := at.names[name]
		if !ok {
			continue
		}
		_, native := sym.(*Native)
		beside := native && at.since == nil // it is no module's
		if _, declared := sym.(*undefined); !declared && !beside && !at.passed[name] && !s.repeats && !s.later(name) {
			s.refuse(n, "%s has a meaning here already: another name is needed", name)
		}
		return
	}
}

// usage is where a definition has a parameter, also by way of other definitions.
type usage struct {
	primed bool // under a prime, UNCHANGED or the like: what is passed may then have no prime
	bare   bool // not under ENABLED: the level of what is passed counts
}

// usageOf is where the definition has its parameter.
func (d *definition) usageOf(param int) usage {
	if known, ok := d.usages[param]; ok {
		return known
	}
	if d.usages == nil {
		d.usages = map[int]usage{}
	}
	d.usages[param] = usage{} // while it is looked for
	var found usage
	var walk func(n syntax.Node, primed, enabled bool)
	walk = func(n syntax.Node, primed, enabled bool) {
		if op, ok := n.(*syntax.Op); ok && len(op.Prefix) == 0 {
			switch name := op.Name.Name; {
			case name == d.params[param].Name:
				found.primed, found.bare = found.primed || primed, found.bare || !enabled
			case name == "'" || name == "UNCHANGED":
				primed = true
			case name == "ENABLED":
				enabled = true
			case builtins[name] == nil:
				if callee, ok := d.scope.lookup(name).(*definition); ok && len(callee.params) == len(op.Args) && callee.fcn == nil {
					for i, arg := range op.Args {
						of := callee.usageOf(i)
						walk(arg, primed || of.primed, enabled || !of.bare)
					}
					return
				}
			}
		}
		syntax.Children(n, func(child syntax.Node) { walk(child, primed, enabled) })
	}
	if d.fcn == nil {
		walk(d.expr, false, false)
	} else {
		found.bare = true
	}
	d.usages[param] = found
	return found
}
