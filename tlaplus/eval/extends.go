package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
)

// extend takes over what a module defines, but what is LOCAL.
func (c *context) extend(s *scope, ext syntax.Ident) {
	m := c.p.find(s, ext.Name, &ext)
	if m == nil {
		if ext.Name == "RealTime" {
			s.refuse(&ext, "the module RealTime is not supported: there are no real numbers, and its variable now has no value")
		}
		c.natively(s, ext.Name)
		return
	}
	c.p.refuseCircle(s, &ext, m)
	from := c.done[m]
	if from == nil {
		from = newScope(s.fn, m)
		c.build(from, m)
	}
	c.take(s, &ext, from)
}

func (c *context) take(s *scope, n syntax.Node, from *scope) {
	for name, sym := range from.names {
		if from.hide[name] {
			continue
		}
		if from.given[name] {
			s.given[name] = true
		}
		if own := from.own[name]; own != nil {
			s.own[name] = own
		}
		c.p.merge(s, n, name, sym, from)
	}
}

// merge takes over a symbol of another module. Of two definitions the first stays,
// as in SANY.
func (p *Program) merge(s *scope, n syntax.Node, name string, sym symbol, from *scope) {
	old, ok := s.names[name]
	switch {
	case !ok || s.passed[name]:
		s.add(name, sym)
		if from.passed[name] {
			s.passed[name] = true
		}
	case sameSymbol(old, sym):
	case parameters(old) < 0 || parameters(sym) < 0:
		s.refuse(n, "%s is defined twice: also in %s", name, from.mod.syn.Name)
	}
}

// parameters is how many parameters an operator has; -1 where it is none.
func parameters(sym symbol) int {
	switch sym := sym.(type) {
	case *definition:
		return len(sym.params)
	case *Native:
		return sym.Arity
	}
	return -1
}

// sameSymbol reports whether two symbols are of one definition.
func sameSymbol(a, b symbol) bool {
	if a == b {
		return true
	}
	x, ok := a.(*definition)
	y, also := b.(*definition)
	if ok && also {
		return x.syn == y.syn
	}
	if v, ok := a.(*variable); ok {
		w, ok := b.(*variable)
		return ok && v.n == w.n
	}
	n, ok := a.(*Native)
	m, also := b.(*Native)
	return ok && also && n.Name == m.Name
}

// instantiating are the community modules that had LOCAL INSTANCE where they have EXTENDS in
// newer releases: modules written for the older ones may define what they pass on.
var instantiating = map[string]bool{"SequencesExt": true, "FiniteSetsExt": true, "Functions": true, "Graphs": true, "Relation": true}

// owner is the module that defines a native: this one, or one that it extends.
func owner(nat *Native, module string) string {
	m := natives()[module]
	if slices.Contains(m.ops, nat) {
		return module
	}
	for _, ext := range m.extends {
		if of := owner(nat, ext); of != "" {
			return of
		}
	}
	return ""
}

// natively takes over what a native module defines.
func (c *context) natively(s *scope, module string) {
	for _, nat := range exported(module) {
		passed := instantiating[module] && (c.instance || !slices.Contains(natives()[module].ops, nat))
		old, ok := s.names[nat.Name]
		if !passed {
			delete(s.passed, nat.Name)
		}
		if ok && parameters(old) >= 0 {
			continue
		}
		if passed {
			s.passed[nat.Name] = true
		}
		s.names[nat.Name] = nat
		for _, name := range []string{nat.Name, key(s.mod.syn.Name, nat.Name), key(owner(nat, module), nat.Name)} {
			if by := c.p.override[name]; by != nil {
				s.names[nat.Name] = by
				forParameters(by, nat.Arity)
			}
		}
	}
}
