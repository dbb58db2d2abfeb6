package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// An invariant is a conjunction, mostly, and a step changes what few conjuncts read.
// What a conjunct came to is remembered for itself.

// Shortcuts are ways of evaluation that change nothing but its cost.
type Shortcuts uint

// The short cuts that Options can leave aside.
const (
	Conjuncts Shortcuts = 1 << iota // what each conjunct of an invariant came to is remembered
	Settled                         // the value of an expression of constants is kept
	Members                         // of a value in such a set, only what is new is looked at
	Paths                           // paths are used again, and taken together where they lead to all of a function
	Wide                            // of a conjunct that is one quantifier, the variables are noted
	Exchanges                       // of {IF t \in D THEN e ELSE t : t \in S}, only D is gone through
	Additions                       // of a set that a quantifier has gone through, only what is new is

	lastShortcut = Additions
)

// part is a conjunct of a predicate.
type part struct {
	x     *body
	at    *place
	depth int // of the calls that it is in
	last  outcome
}

// HoldsAgain is Holds for a predicate of states that is evaluated in many: what
// evaluations before came to counts where they read the same.
func (p *Predicate) HoldsAgain(r *Run, in *State) (holds bool, err error) {
	err = r.protect(func() {
		r.cur, r.next, r.initial = in, nil, false
		if p.parts == nil {
			p.parts = r.partsOf(p.x)
		}
		for i := range p.parts {
			if !p.parts[i].holds(r) {
				return
			}
		}
		holds = true
	})
	return holds, err
}

func (c *part) holds(r *Run) bool {
	if o := &c.last; !o.still(r) {
		o.whole = true
		o.begin(r)
		r.memory = o
		r.depth += c.depth
		o.end(r.truth(c.x.code(r, c.x.frame(nil)), c.at))
		r.depth -= c.depth
		r.memory = nil
	}
	return c.last.holds
}

// partsOf takes a predicate apart, also behind names.
func (p *Program) partsOf(x *body) []part {
	whole := []part{{x: x, at: x.scope.place(x.syn)}}
	if p.without&Conjuncts != 0 {
		return whole
	}
	t := taker{p: p, busy: map[*definition]bool{}}
	if !t.take(x.scope, x.syn, 0, 0) {
		return whole
	}
	return t.parts
}

// taker collects the conjuncts of a predicate.
type taker struct {
	p     *Program
	busy  map[*definition]bool
	parts []part
}

// take is false where the expression is no conjunction.
func (t *taker) take(s *scope, n syntax.Expr, unit, depth int) bool {
	var items []syntax.Expr
	switch n := n.(type) {
	case *syntax.Paren:
		return t.take(s, n.Expr, unit, depth)
	case *syntax.Junction:
		if n.Op == `/\` {
			items = n.Items
		}
	case *syntax.Op:
		if len(n.Prefix) > 0 {
			return false
		}
		if n.Name.Name == `/\` {
			items = n.Args
			break
		}
		if builtins[n.Name.Name] != nil || len(n.Args) > 0 {
			return false
		}
		d, ok := t.p.aliased(s.lookup(n.Name.Name)).(*definition)
		if !ok || d.fcn != nil || d.expr == nil || len(d.params) > 0 || d.scope.fn != nil || t.busy[d] {
			return false
		}
		t.busy[d] = true
		defer delete(t.busy, d)
		d.body()
		return t.take(d.scope, d.expr, d.unit, depth+d.weight)
	}
	for _, item := range items {
		if !t.take(s, item, unit, depth) {
			t.parts = append(t.parts, part{x: t.p.compileAt(s, item, unit), at: s.place(item), depth: depth})
		}
	}
	return len(items) > 0
}

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
			c.looked, c.is = true, p.isClosed(s, n)
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
		if len(n.Args) == 0 && len(n.Prefix) == 0 && builtins[n.Name.Name] == nil {
			_, ok := p.aliased(s.lookup(n.Name.Name)).(*definition)
			return ok
		}
	}
	return false
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
	if p.without&Members != 0 {
		of = nil
	}
	var was value.Value
	return &expr{level: top(a, b), code: func(r *Run, f *frame) value.Value {
		v := a.code(r, f)
		set := b.code(r, f)
		r.at = at
		if of == nil || of.val == nil {
			return value.Truth(is(set, v) == want)
		}
		var holds bool
		if was != nil {
			holds = still(set, v, was)
		} else {
			holds = is(set, v)
		}
		if holds {
			was = v
		}
		return value.Truth(holds == want)
	}}
}
