package eval

import (
	"slices"
	"strings"

	"tracecheck/tlaplus/syntax"
)

// context is one instantiation of modules: what their constants and variables
// are.
type context struct {
	p        *Program
	instance bool
	shared   bool              // of an instance: its definitions are those of the root module
	with     map[string]symbol // of an instance: what each constant and variable represents
	implicit *scope            // where a name that "with" has not is looked up
	at       syntax.Node       // the INSTANCE
	done     map[*syntax.Module]*scope
}

// build fills the module's scope, unit by unit.
func (c *context) build(s *scope, m *syntax.Module) {
	c.done[m], s.of = s, c
	c.p.building = append(c.p.building, m)
	defer func() { c.p.building = c.p.building[:len(c.p.building)-1] }()
	if !c.instance {
		c.p.extended[m] = true
	}
	for _, ext := range m.Extends {
		c.extend(s, ext)
	}
	c.p.scopes = append(c.p.scopes, s)
	for i, u := range m.Units {
		s.mod.unit = i + 1
		if _, instance := u.(*syntax.Instance); instance {
			c.unit(s, u) // without it names are missing that others use
		} else {
			c.p.note(func() { c.unit(s, u) })
		}
	}
	for _, u := range m.Units {
		if r, ok := u.(*syntax.Recursive); ok {
			c.p.note(func() { s.defined(r) })
		}
	}
}

// refuseCircle refuses a module that depends on itself, also by way of others.
func (p *Program) refuseCircle(s *scope, n syntax.Node, m *syntax.Module) {
	circle := []string{m.Name}
	if i := slices.Index(p.building, m); i >= 0 {
		for _, in := range p.building[i+1:] {
			circle = append(circle, in.Name)
		}
	} else if s.mod.syn != m {
		return
	}
	s.refuse(n, "modules depend on each other in a circle: %s", strings.Join(append(circle, m.Name), ", "))
}

// defined refuses what RECURSIVE declares, and nothing defines.
func (s *scope) defined(r *syntax.Recursive) {
	for i := range r.Params {
		if _, is := s.lookup(r.Params[i].Name).(*undefined); is {
			s.refuse(&r.Params[i], "%s is declared RECURSIVE, and not defined", r.Params[i].Name)
		}
	}
}

func (c *context) define(s *scope, n syntax.Node, name string, sym symbol) {
	if old, ok := s.names[name]; ok && old != sym {
		if _, declared := old.(*undefined); (!declared || c.p.constants[name]) && !s.passed[name] {
			s.refuse(n, "%s is defined twice", name)
		}
	}
	if builtins[name] != nil {
		s.refuse(n, "%s is an operator of the language, and cannot be defined", name)
	}
	s.add(name, sym)
}

// add gives a name of the module its meaning, from the current unit on.
func (s *scope) add(name string, sym symbol) {
	if _, declared := s.since[name]; !declared {
		s.since[name] = s.mod.unit
	}
	s.names[name] = sym
	delete(s.passed, name)
}

// overridden is what the cfg gives the name, nil if nothing.
func (c *context) overridden(s *scope, name string, arity int) (by symbol) {
	defer func() { forParameters(by, arity) }()
	if sym := c.p.override[key(s.mod.syn.Name, name)]; sym != nil {
		return sym
	}
	if c.instance && !c.shared && !c.p.extended[s.mod.syn] {
		return nil
	}
	return c.p.override[name]
}

// orOverridden is what the name of a definition means in its module.
func (c *context) orOverridden(s *scope, d *definition) symbol {
	by := c.overridden(s, d.name, len(d.params))
	if by == nil {
		if nat := nativelyDefined(s.mod.syn.Name, d); nat != nil {
			return nat
		}
		return d
	}
	if c.instance && !c.shared && c.p.override[key(s.mod.syn.Name, d.name)] == nil {
		s.own[d.name] = d
	}
	return by
}

// inJava are the standard modules whose operators TLC has in Java, also for a copy of the
// module beside the specification.
var inJava = map[string]bool{"Naturals": true, "Integers": true, "Sequences": true, "FiniteSets": true, "Bags": true, "TLC": true, "TLCExt": true, "Randomization": true, "Json": true}

// nativelyDefined is what TLC has in the place of a definition of a standard module; nil: nothing.
func nativelyDefined(module string, d *definition) *Native {
	if !inJava[module] {
		return nil
	}
	for _, nat := range natives()[module].ops {
		if nat.Name == d.name && nat.Arity == len(d.params) {
			return nat
		}
	}
	return nil
}

func (c *context) unit(s *scope, u syntax.Unit) {
	switch u := u.(type) {
	case *syntax.Constants:
		for _, prm := range u.Params {
			c.constant(s, prm)
		}
	case *syntax.Variables:
		for i := range u.Names {
			c.variable(s, &u.Names[i])
		}
	case *syntax.Recursive:
		for _, prm := range u.Params {
			s.add(prm.Name, &undefined{prm.Name, prm.Span, prm.Arity})
		}
	case *syntax.OpDef:
		c.operator(s, u)
	case *syntax.FcnDef:
		name := u.Name.Name
		d := &definition{p: c.p, name: name, syn: u, scope: s, fcn: u, unit: s.mod.unit}
		c.define(s, u, name, c.orOverridden(s, d))
		c.hidden(s, u.Local, name)
	case *syntax.Instance:
		c.p.instance(s, u, c.shared || c.p.ofRoot(s))
	case *syntax.Module:
		s.names["MODULE "+u.Name] = u
	case *syntax.Assume:
		if !c.instance && !u.Axiom { // TLC evaluates no AXIOM
			a := assume{expr: u.Expr, s: s, unit: s.mod.unit}
			if u.Name != nil {
				a.name = u.Name.Name
			}
			c.p.assumes = append(c.p.assumes, a)
		}
		if u.Name != nil {
			c.define(s, u, u.Name.Name, &definition{p: c.p, name: u.Name.Name, syn: u, expr: u.Expr, scope: s, unit: s.mod.unit})
		}
	case *syntax.Theorem:
		if u.Name != nil && u.Expr != nil {
			c.define(s, u, u.Name.Name, &definition{p: c.p, name: u.Name.Name, syn: u, expr: u.Expr, scope: s, unit: s.mod.unit})
		}
	}
}

func (c *context) hidden(s *scope, is bool, name string) {
	if is {
		s.hide[name] = true
	}
}

// asDeclared refuses an operator with other parameters than RECURSIVE declares.
func (s *scope) asDeclared(u *syntax.OpDef) {
	d, is := s.names[u.Name.Name].(*undefined)
	if !is {
		return
	}
	operators := slices.ContainsFunc(u.Params, func(prm syntax.Param) bool { return prm.Arity > 0 })
	if operators || len(u.Params) != d.arity {
		s.refuse(u, "%s has other parameters than its RECURSIVE declaration, which has %d, none of them an operator", d.name, d.arity)
	}
}

// recursive reports whether RECURSIVE declares the definition, which has no parameters.
func (s *scope) recursive(u *syntax.OpDef) bool {
	_, declared := s.names[u.Name.Name].(*undefined)
	return declared && len(u.Params) == 0
}

func (c *context) operator(s *scope, u *syntax.OpDef) {
	s.asDeclared(u)
	name := u.Name.Name
	d := &definition{p: c.p, name: name, syn: u, params: u.Params, expr: u.Body, scope: s, unit: s.mod.unit}
	if fcn, ok := unparen(u.Body).(*syntax.Fcn); ok && s.recursive(u) { // as f[x \in S] == e: evaluated where it is applied
		d.fcn = &syntax.FcnDef{Span: fcn.Span, Local: u.Local, Name: u.Name, Bounds: fcn.Bounds, Body: fcn.Body}
	}
	d.circle = s.recursive(u)
	c.define(s, u, name, c.orOverridden(s, d))
	c.hidden(s, u.Local, name)
}

func (c *context) constant(s *scope, prm syntax.Param) {
	name := prm.Name
	if c.instance {
		c.give(s, name, prm.Arity)
		return
	}
	c.p.constants[name] = true
	if by := c.overridden(s, name, prm.Arity); by != nil {
		c.define(s, &prm.Ident, name, by)
		return
	}
	c.define(s, &prm.Ident, name, &undefined{name, prm.Span, prm.Arity})
}

func (c *context) variable(s *scope, id *syntax.Ident) {
	if c.instance {
		c.give(s, id.Name, 0)
		if s.owns == nil {
			s.owns = map[string]bool{}
		}
		s.owns[id.Name] = true
		return
	}
	v := c.p.vars[id.Name]
	if v == nil {
		v = &variable{id.Name, len(c.p.Variables)}
		c.p.vars[id.Name] = v
		c.p.Variables = append(c.p.Variables, id.Name)
	}
	c.define(s, id, id.Name, v)
}

// give gives a constant or variable of an instance's module its meaning.
func (c *context) give(s *scope, name string, arity int) {
	s.given[name] = true
	s.add(name, c.substitute(s, name, arity))
}

// substitute is what a constant or variable of an instance's module represents:
// what WITH says, else what has its name where the INSTANCE is.
func (c *context) substitute(s *scope, name string, arity int) symbol {
	if sym := c.with[name]; sym != nil {
		return sym
	}
	sym := c.implicit.lookup(name)
	if sym == nil {
		c.implicit.refuse(c.at, "the instance of %s needs a substitution for %s", s.mod.syn.Name, name)
	}
	return sym
}
