package eval

import "tracecheck/tlaplus/syntax"

// An argument is evaluated when it is needed, if at all. One that is shallow may as well
// be evaluated before: that takes next to no time, and does nothing else.

// shallow is whether an expression only goes from names to fields.
type shallow struct {
	known, is bool
	names     []outerName // that it reads
}

// mostShallow bounds arguments that are made of other ones.
const mostShallow = 4

// shallow reports whether the argument is such an expression.
func (t *thunk) shallow(r *Run, deep int) bool {
	s := &t.x.shallow
	if !s.known {
		s.known = true
		s.is = r.isShallow(t.x.scope, t.x.syn, map[*definition]bool{})
		if s.is && t.x.scope.fn != nil {
			w := outerNames{q: &quantifier{}, fn: t.x.scope.fn, first: len(t.f.vals)}
			w.walk(t.x.scope, t.x.syn)
			s.names = w.q.outer
		}
	}
	if !s.is || deep > mostShallow {
		return false
	}
	for _, n := range s.names {
		if at, lazy := t.f.hop(n.hops).vals[n.slot].(*thunk); lazy && !at.known(r) && !at.shallow(r, deep+1) {
			return false
		}
	}
	return true
}

// isShallow is so for names, fields and calls of definitions of the kind. Those in use are
// the definitions around.
func (p *Program) isShallow(s *scope, n syntax.Node, inUse map[*definition]bool) bool {
	switch n := n.(type) {
	case *syntax.Paren, *syntax.Dot, *syntax.Number, *syntax.String, *syntax.Ident:
	case *syntax.Op:
		if len(n.Prefix) > 0 || builtins[n.Name.Name] != nil {
			return false
		}
		switch sym := p.aliased(s.lookup(n.Name.Name)).(type) {
		case *local:
			if len(n.Args) > 0 {
				return false
			}
		case *variable:
		case *definition:
			if sym.scope.fn != nil || sym.fcn != nil || sym.now != nil || inUse[sym] {
				return false
			}
			inner := sym.scope.inner()
			inner.fn = sym.body().fn
			for i, prm := range sym.params {
				if prm.Arity > 0 {
					return false
				}
				inner.names[prm.Name] = &local{name: prm.Name, fn: inner.fn, slot: i, lazy: true}
			}
			inUse[sym] = true
			is := p.isShallow(inner, sym.expr, inUse)
			delete(inUse, sym)
			if !is {
				return false
			}
		default:
			return false
		}
	default:
		return false
	}
	is := true
	syntax.Children(n, func(c syntax.Node) { is = is && p.isShallow(s, c, inUse) })
	return is
}
