package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Shortcuts are ways of evaluation that change nothing but its cost.
type Shortcuts uint

// The short cuts that Options can leave out.
const (
	Settled     Shortcuts = 1 << iota // the value of an expression of constants is kept
	Members                           // of a value in such a set, only what is new is looked at
	Paths                             // paths are used again, and taken together where they lead to all of a function
	Wide                              // of an invariant's outer quantifiers, the variables are noted
	Exchanges                         // of {IF t \in D THEN e ELSE t : t \in S}, only D is gone through
	Additions                         // of a set that a quantifier has gone through, only what is new is
	Small                             // a short body is evaluated for all of a few elements
	Sets                              // a set that is made of the same two as the last time is the same
	Indexes                           // of {x \in S : f(x) = e}, only elements with that f(x) are looked at
	Keeps                             // of a large set, only elements are evaluated that a step concerns
	Narrows                           // of \E with v' = (v \ {t}) \union ..., only what a given step has changed is tried
	Comparisons                       // large sets are compared by how they differ, which is kept
	Nearest                           // a batched step is searched for from the states nearest to its end, until it is found
	Relevant                          // of too many silent steps, those are taken first that write what a failed clause of the line reads

	LastShortcut = Relevant
)

// Most sets that a type invariant names are of constants: [TxId -> SUBSET Key]. Such a
// set is made once, and of what is in it only what is new is looked at.

// lasting is what an expression always has as its value, once that is known.
type lasting struct {
	val    value.Value // nil: it is not known
	looked bool
	is     bool // the expression reads nothing but constants
}

// settled keeps the value of an expression of constants.
func (p *Program) settled(s *scope, n syntax.Expr, x *expr) *expr {
	if x.level != constant || x.lasting != nil || p.without&Settled != 0 || !p.worthKeeping(s, n) {
		return x
	}
	c := &lasting{}
	code := x.code
	x.lasting = c
	x.code = func(r *Run, f *frame) value.Value {
		if c.val != nil {
			return c.val
		}
		v := code(r, f)
		if !c.looked {
			c.looked, c.is = true, p.isConstant(s, n) || p.isClosed(s, n)
		}
		if _, lazy := v.(*value.Lambda); c.is && !lazy {
			c.val = v
		}
		return v
	}
	return x
}

func (p *Program) worthKeeping(s *scope, n syntax.Expr) bool {
	switch n := n.(type) {
	case *syntax.FcnSet, *syntax.RecordSet, *syntax.Times, *syntax.SetFilter, *syntax.SetMap, *syntax.SetEnum, *syntax.Fcn, *syntax.Record, *syntax.Tuple:
		return true
	case *syntax.Op:
		switch n.Name.Name {
		case "SUBSET", "UNION", "DOMAIN", `\union`, `\cup`, `\intersect`, `\cap`, `\`:
			return len(n.Prefix) == 0
		}
		return p.isConstant(s, n)
	}
	return false
}

// isConstant reports whether an expression of constant level is the name of a definition
// of a module, which has one value.
func (p *Program) isConstant(s *scope, n syntax.Expr) bool {
	op, ok := n.(*syntax.Op)
	if !ok || len(op.Args) > 0 || len(op.Prefix) > 0 || builtins[op.Name.Name] != nil {
		return false
	}
	d, ok := p.aliased(s.lookup(op.Name.Name)).(*definition)
	return ok && d.scope.fn == nil
}

// isClosed reports whether an expression, of constant level, reads no name around it
// and does nothing but have a value.
func (p *Program) isClosed(s *scope, n syntax.Expr) bool {
	r := reader{p: p, vars: map[int]bool{}, seen: map[*definition]bool{}, closed: true}
	r.walk(s, n)
	return !r.any && len(r.vars) == 0
}

// again is a comparison of a value with a set, in TLC's order of evaluation. Where the
// set is of constants, the last value for which it was TRUE is kept.
func (p *Program) again(s *scope, n *syntax.Op, want bool, is func(set, v value.Value) bool, still func(set, v, was value.Value) bool) *expr {
	a, b := p.expr(s, n.Args[0]), p.expr(s, n.Args[1])
	at := s.place(n)
	of := b.lasting
	off := p.without&Members != 0
	var was, in value.Value
	return &expr{level: top(a, b), code: func(r *Run, f *frame) value.Value {
		v := a.code(r, f)
		if holds, ok := r.trackedMember(n, b, v, f); ok {
			return value.Truth(holds == want)
		}
		if b.member != nil && n.Name.Name != `\subseteq` {
			return value.Truth(b.member(r, f, v) == want)
		}
		set := b.code(r, f)
		r.at = at
		lasts := of != nil && of.val != nil
		if _, large := v.(*value.Set); off || !lasts && !large {
			return value.Truth(is(set, v) == want)
		}
		if was != nil && !lasts && !value.Remade(in, set) {
			was = nil
		}
		var holds bool
		switch {
		case was == nil:
			holds = is(set, v)
		case r.fewNew(set, was, v):
			holds = true
		default:
			holds = still(set, v, was)
		}
		if holds {
			was, in = v, set
		}
		return value.Truth(holds == want)
	}}
}

// fewNew reports whether a set is in SUBSET S, as another one is known to be: for certain,
// by what is new.
func (r *Run) fewNew(in, was, is value.Value) bool {
	all, isSubset := in.(*value.Subset)
	x, ok := was.(*value.Set)
	y, also := is.(*value.Set)
	if !isSubset || !ok || !also || y.Len() < leastIndexed {
		return false
	}
	_, come, ok := r.differences.Of(x, y)
	if !ok {
		return false
	}
	for _, e := range come {
		if !value.Contains(all.Of, e) {
			return false
		}
	}
	return true
}

// kept keeps the last set that do has made, as long as it would be made of the same two.
// What goes through it then sees that it has not changed.
func (p *Program) kept(do func(a, b value.Value) value.Value) func(a, b value.Value) value.Value {
	if p.without&Sets != 0 {
		return do
	}
	var left, right, last value.Value
	return func(a, b value.Value) value.Value {
		if last != nil && value.Same(a, left) && value.Same(b, right) {
			return last
		}
		last = nil
		v := do(a, b)
		if _, plain := v.(*value.Set); plain {
			left, right, last = a, b, v
		}
		return v
	}
}
