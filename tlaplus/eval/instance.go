package eval

import (
	"maps"
	"slices"

	"tracecheck/tlaplus/syntax"
)

// instance is INSTANCE, with a name or without; ofRoot: the module's definitions are those
// of the root module.
func (p *Program) instance(s *scope, u *syntax.Instance, ofRoot bool) {
	in := s
	var fn *function
	if len(u.Params) > 0 {
		fn = &function{up: s.fn}
		in = s.inner()
		in.fn = fn
		first := fn.bind(u, len(u.Params))
		for i, prm := range u.Params {
			in.names[prm.Name] = &local{name: prm.Name, fn: fn, slot: first + i, arity: prm.Arity, lazy: true}
		}
	}
	to := p.instantiated(s, in, u, ofRoot)
	if u.Name == nil {
		p.takeOver(s, u, to, ofRoot)
		return
	}
	if len(to.own) > 0 {
		seen := *to
		seen.names = maps.Clone(to.names)
		maps.Copy(seen.names, to.own)
		to = &seen
	}
	if ofRoot && fn == nil && p.replacesIn(u.Name.Name+"!") {
		to = p.replaced(u.Name.Name+"!", to)
	}
	sym := &named{fn: fn, arity: len(u.Params), scope: to, at: s.fn, syn: u, in: s}
	if s.since != nil {
		s.add(u.Name.Name, sym)
	} else {
		s.names[u.Name.Name] = sym
	}
	if u.Local && s.hide != nil {
		s.hide[u.Name.Name] = true
	}
}

// instantiated is the scope of the module, in which the parameters of the INSTANCE mean what
// they mean in another scope.
func (p *Program) instantiated(s, in *scope, u *syntax.Instance, ofRoot bool) *scope {
	m := p.find(s, u.Module.Name, &u.Module)
	to := newScope(in.fn, m)
	if m == nil {
		to.mod.syn = &syntax.Module{Name: u.Module.Name, File: s.mod.syn.File}
		(&context{p: p, instance: true}).natively(to, u.Module.Name)
	} else {
		p.refuseCircle(s, &u.Module, m)
		c := &context{p: p, instance: true, shared: ofRoot && u.Name == nil && !u.Local && !p.declares(m), with: map[string]symbol{}, implicit: in, at: u, done: map[*syntax.Module]*scope{}}
		for i := range u.With {
			w := &u.With[i]
			if c.with[w.Name.Name] != nil {
				s.refuse(&w.Name, "%s is substituted twice", w.Name.Name)
			}
			c.with[w.Name.Name] = p.substitution(in, w)
		}
		for at := s; at != nil; at = at.up {
			if _, ok := at.names["MODULE "+m.Name]; ok && p.files[m.Name] != m {
				to.up = at // a nested module sees what is around it
				break
			}
		}
		c.build(to, m)
		if bad := unknown(u, c, to); bad != nil {
			s.refuse(&bad.Name, "%s is not a constant or variable of %s", bad.Name.Name, m.Name)
		}
	}
	return to
}

// takeOver gives the names of an INSTANCE that has none to the module around it.
func (p *Program) takeOver(s *scope, u *syntax.Instance, to *scope, ofRoot bool) {
	for name, sym := range to.names {
		if to.hide[name] || to.given[name] {
			continue
		}
		if by := p.override[key(s.mod.syn.Name, name)]; by != nil {
			sym = by
		} else if by := p.override[name]; by != nil && ofRoot {
			sym = by
		}
		old := s.names[name]
		p.merge(s, u, name, sym, to)
		if u.Local && old == nil { // else the module has it for others, too
			s.hide[name] = true
		}
	}
}

// instanceOf is a definition of an instance with parameters, such as I(x)!P, by itself: the
// parameters mean the arguments. nil: it is no such definition.
func (p *Program) instanceOf(at *scope, n *syntax.Op) *definition {
	if len(n.Prefix) != 1 || len(n.Args) > 0 {
		return nil
	}
	in, ok := at.lookup(n.Prefix[0].Name).(*named)
	if !ok || in.fn == nil || in.at != nil || len(n.Prefix[0].Args) != in.arity {
		return nil
	}
	around := in.in.inner()
	for i, prm := range in.syn.Params {
		around.names[prm.Name] = p.substitution(at, &syntax.Subst{Name: prm.Ident, Expr: n.Prefix[0].Args[i]})
	}
	to := p.instantiated(in.in, around, in.syn, false)
	d, _ := p.aliased(to.names[n.Name.Name]).(*definition)
	return d
}

// unknown is a substitution for something that the module does not declare.
func unknown(u *syntax.Instance, c *context, to *scope) *syntax.Subst {
	for i := range u.With {
		name := u.With[i].Name.Name
		if to.names[name] != c.with[name] {
			return &u.With[i]
		}
	}
	return nil
}

// ofRoot reports whether the module's definitions are those of the root module.
func (p *Program) ofRoot(s *scope) bool { return s.mod == p.root || p.extended[s.mod.syn] }

// declares reports whether the module, or one that it extends, has constants or variables.
func (p *Program) declares(m *syntax.Module) bool {
	for _, u := range m.Units {
		switch u.(type) {
		case *syntax.Constants, *syntax.Variables:
			return true
		}
	}
	return slices.ContainsFunc(m.Extends, func(id syntax.Ident) bool { return p.files[id.Name] != nil && p.declares(p.files[id.Name]) })
}

// declaredIn reports whether the name is a constant or variable of the module.
func declaredIn(m *syntax.Module, name string) bool {
	if m == nil {
		return false
	}
	for _, u := range m.Units {
		switch u := u.(type) {
		case *syntax.Constants:
			if slices.ContainsFunc(u.Params, func(p syntax.Param) bool { return p.Name == name }) {
				return true
			}
		case *syntax.Variables:
			if slices.ContainsFunc(u.Names, func(id syntax.Ident) bool { return id.Name == name }) {
				return true
			}
		}
	}
	return false
}

// substitution is what WITH gives a name: another name as it is, else a
// definition.
func (p *Program) substitution(s *scope, w *syntax.Subst) symbol {
	switch x := w.Expr.(type) {
	case *syntax.Op:
		if len(x.Args) == 0 && len(x.Prefix) == 0 && builtins[x.Name.Name] == nil {
			if sym := s.lookup(x.Name.Name); sym != nil && p.awaited(s, x.Name.Name) == nil {
				return sym
			}
		}
		if l := p.applying(s, x); l != nil {
			return &definition{p: p, name: w.Name.Name, syn: l, params: l.Params, expr: l.Body, scope: s.repeating()}
		}
	case *syntax.Lambda:
		return &definition{p: p, name: w.Name.Name, syn: x, params: x.Params, expr: x.Body, scope: s}
	}
	return &definition{p: p, name: w.Name.Name, syn: w.Expr, expr: w.Expr, scope: s}
}
