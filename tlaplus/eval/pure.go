package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Quorum(c) == {q \in SUBSET c : …} depends on its argument alone, and is needed
// the same one again and again: by each element of a loop, and in each state. Its
// last values are remembered.

// pure is what is remembered of a definition with one parameter.
type pure struct {
	known [16]struct{ arg, val value.Value }
	next  int
	first bool // the argument is evaluated first
}

// get is the value for an argument, nil where it is not known.
func (m *pure) get(arg value.Value) value.Value {
	for i := range m.known {
		if k := &m.known[i]; k.val != nil && value.Same(k.arg, arg) {
			return k.val
		}
	}
	return nil
}

func (m *pure) put(arg, val value.Value) {
	m.known[m.next].arg, m.known[m.next].val = arg, val
	m.next = (m.next + 1) % len(m.known)
}

// pureOf is where the values of a definition are remembered; nil where they may
// depend on more than the argument, or where there is no loop that remembering would
// save.
func (p *Program) pureOf(d *definition) *pure {
	if len(d.params) != 1 || d.params[0].Arity > 0 || d.fcn != nil || d.scope.fn != nil || d.body().level != constant {
		return nil
	}
	switch unparen(d.expr).(type) {
	case *syntax.SetFilter, *syntax.SetMap, *syntax.Quant, *syntax.Choose:
	default:
		return nil
	}
	s := d.scope.inner()
	r := reader{p: p, vars: map[int]bool{}, seen: map[*definition]bool{d: true}}
	if r.walk(s, d.expr); r.any || len(r.vars) > 0 {
		return nil
	}
	return &pure{first: p.startsWith(s, d.expr, d.params[0].Name)}
}

// startsWith reports whether the evaluation of an expression begins with the name.
func (p *Program) startsWith(s *scope, n syntax.Expr, name string) bool {
	switch n := unparen(n).(type) {
	case *syntax.SetFilter:
		return p.startsWith(s, n.Bound.Set, name)
	case *syntax.Choose:
		return n.Bound.Set != nil && p.startsWith(s, n.Bound.Set, name)
	case *syntax.SetMap:
		return p.startsWith(s, n.Bounds[0].Set, name)
	case *syntax.Quant:
		return len(n.Bounds) > 0 && p.startsWith(s, n.Bounds[0].Set, name)
	case *syntax.Op:
		if len(n.Prefix) > 0 {
			return false
		}
		if len(n.Args) == 0 {
			return n.Name.Name == name
		}
		nat, _ := p.aliased(s.lookup(n.Name.Name)).(*Native)
		strict := nat != nil && nat.FN == nil
		switch n.Name.Name {
		case "SUBSET", "UNION", "DOMAIN", `\union`, `\cup`, `\intersect`, `\cap`, `\`:
			strict = true
		}
		return strict && p.startsWith(s, n.Args[0], name)
	}
	return false
}

// remembers reports whether values of the definition are remembered.
func (d *definition) remembers() bool {
	if !d.pureKnown {
		d.pureKnown = true
		d.pure = d.p.pureOf(d)
	}
	return d.pure != nil
}

// argument is the value by which that of a call is remembered; ok is false where the
// argument is perhaps not needed, and its evaluation takes time or ends with an error.
func (d *definition) argument(r *Run, arg any) (v value.Value, ok bool) {
	th, lazy := arg.(*thunk)
	if d.pure.first || !lazy || th.known(r) {
		return r.get(arg), true
	}
	ok = th.shallow(r, 0) && r.attempt(func() { v = th.force(r) })
	return v, ok
}

// recall is the value of a call with that argument.
func (d *definition) recall(r *Run, arg value.Value) value.Value {
	v := d.pure.get(arg)
	if v == nil {
		g := newFrame(d.x.fn.slots, nil)
		g.vals[0] = arg
		v = d.x.code(r, g)
		switch v.(type) {
		case *value.Filter, *value.Binary: // they keep what they are made with
		default:
			d.pure.put(arg, v)
		}
	}
	return v
}
