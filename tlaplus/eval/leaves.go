package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Leaves reports whether each step leaves the variable as it is, for certain: by an
// UNCHANGED on each way through the next-state relation.
func (s *Spec) Leaves(r *Run, variable int) bool {
	w := leaver{r, variable, map[*definition]bool{}}
	return slices.ContainsFunc(s.next, func(x *body) bool { return w.leaves(x.scope, x.syn) })
}

type leaver struct {
	*Run
	variable int
	busy     map[*definition]bool
}

func (w *leaver) leaves(s *scope, n syntax.Expr) bool {
	each := func(op string, items []syntax.Expr) bool {
		is := func(n syntax.Expr) bool { return w.leaves(s, n) }
		if op == `/\` {
			return slices.ContainsFunc(items, is)
		}
		return !slices.ContainsFunc(items, func(n syntax.Expr) bool { return !is(n) })
	}
	switch n := n.(type) {
	case *syntax.Paren:
		return w.leaves(s, n.Expr)
	case *syntax.Label:
		return w.leaves(s, n.Expr)
	case *syntax.Junction:
		return each(n.Op, n.Items)
	case *syntax.Quant:
		return n.Kind == `\E` && w.leaves(s, n.Body)
	case *syntax.If:
		switch w.constant(s, n.Cond) {
		case value.True:
			return w.leaves(s, n.Then)
		case value.False:
			return w.leaves(s, n.Else)
		}
		return w.leaves(s, n.Then) && w.leaves(s, n.Else)
	case *syntax.Op:
		if len(n.Prefix) > 0 {
			return false
		}
		switch n.Name.Name {
		case `/\`, `\/`:
			return each(n.Name.Name, n.Args)
		case "UNCHANGED":
			found := map[int]bool{}
			w.variablesOf(s, n.Args[0], found)
			return found[w.variable]
		}
		d, ok := w.aliased(s.lookup(n.Name.Name)).(*definition)
		if !ok || builtins[n.Name.Name] != nil || d.fcn != nil || d.expr == nil || w.busy[d] {
			return false
		}
		w.busy[d] = true
		is := w.leaves(d.scope, d.expr)
		delete(w.busy, d)
		return is
	}
	return false
}

// constant is the value of an expression that reads nothing but constants; nil of others.
func (w *leaver) constant(s *scope, n syntax.Expr) (v value.Value) {
	if w.isClosed(s, n) {
		_ = w.apart(func() {
			x := w.compileIn(s, n)
			_ = w.protect(func() { v = x.code(w.Run, x.frame(nil)) })
		})
	}
	return v
}
