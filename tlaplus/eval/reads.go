package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// What a formula reads and what an action leaves as it is, found in the text.

// reader collects the variables that an expression may read.
type reader struct {
	p    *Program
	vars map[int]bool
	seen map[*definition]bool
	any  bool // it depends on something else, too

	closed bool // names around the expression count as something else
}

// reads is the variables that the predicate may read; ok is false where it may
// depend on more than these.
func (p *Program) readsOf(x *body) (vars map[int]bool, ok bool) {
	r := reader{p: p, vars: map[int]bool{}, seen: map[*definition]bool{}}
	r.walk(x.scope, x.syn)
	return r.vars, !r.any
}

func (r *reader) walk(s *scope, n syntax.Node) {
	if _, ok := n.(*syntax.Instance); ok { // of a LET
		r.any = true
		return
	}
	switch n := n.(type) {
	case *syntax.Op:
		r.name(s, n)
	case *syntax.At:
		r.any = r.any || r.closed && s.lookup("@") != nil
	}
	syntax.Children(n, func(c syntax.Node) { r.walk(s, c) })
}

func (r *reader) name(s *scope, op *syntax.Op) {
	at := s
	for i := range op.Prefix {
		in, ok := at.find(op.Prefix[i].Name, i == 0).(*named)
		if !ok {
			r.any = true
			return
		}
		at = in.scope
	}
	sym := at.find(op.Name.Name, len(op.Prefix) == 0)
	if sym != nil {
		sym = r.p.aliased(sym)
	}
	switch sym := sym.(type) {
	case *variable:
		r.vars[sym.n] = true
	case *local:
		r.any = r.any || r.closed
	case *Native:
		r.any = r.any || sym.Level > constant || sym.Prints
	case *definition:
		if r.seen[sym] {
			return
		}
		r.seen[sym] = true
		if sym.fcn != nil {
			r.walk(sym.scope, sym.fcn)
		} else {
			r.walk(sym.scope, sym.expr)
		}
	}
}

// keeps is the variables that an action leaves as they are, by the UNCHANGED among
// its conjuncts.
func (p *Program) keepsOf(d *definition) []int {
	if d.keptKnown {
		return d.kept
	}
	d.keptKnown = true
	found := map[int]bool{}
	s := d.scope.inner()
	s.fn = d.body().fn
	for i, prm := range d.params {
		s.names[prm.Name] = &local{name: prm.Name, fn: s.fn, slot: i, arity: prm.Arity, lazy: true}
	}
	p.conjuncts(s, d.expr, found)
	for v := range found {
		d.kept = append(d.kept, v)
	}
	return d.kept
}

func (p *Program) conjuncts(s *scope, n syntax.Expr, found map[int]bool) {
	switch n := n.(type) {
	case *syntax.Paren:
		p.conjuncts(s, n.Expr, found)
	case *syntax.Label:
		p.conjuncts(s, n.Expr, found)
	case *syntax.Junction:
		if n.Op == `/\` {
			for _, item := range n.Items {
				p.conjuncts(s, item, found)
			}
		}
	case *syntax.Op:
		if len(n.Prefix) > 0 {
			return
		}
		switch n.Name.Name {
		case `/\`:
			p.conjuncts(s, n.Args[0], found)
			p.conjuncts(s, n.Args[1], found)
			return
		case "UNCHANGED":
			p.variablesOf(s, n.Args[0], found)
			return
		}
		if builtins[n.Name.Name] == nil {
			if d, ok := p.aliased(s.lookup(n.Name.Name)).(*definition); ok && d.fcn == nil && d.scope.fn == nil {
				for _, v := range p.keepsOf(d) {
					found[v] = true
				}
			}
		}
	}
}

// variablesOf takes tuples of variables apart.
func (p *Program) variablesOf(s *scope, n syntax.Expr, found map[int]bool) {
	switch n := n.(type) {
	case *syntax.Paren:
		p.variablesOf(s, n.Expr, found)
	case *syntax.Tuple:
		for _, item := range n.Items {
			p.variablesOf(s, item, found)
		}
	case *syntax.Op:
		if len(n.Args) > 0 || len(n.Prefix) > 0 || builtins[n.Name.Name] != nil {
			return
		}
		switch sym := p.aliased(s.lookup(n.Name.Name)).(type) {
		case *variable:
			found[sym.n] = true
		case *definition:
			if e := sym.meant(); e != nil {
				p.variablesOf(sym.scope, e, found)
			}
		}
	}
}

// Identical reports whether two values are equal. Values that cannot be compared are not.
func (p *Program) Identical(a, b value.Value) bool { return p.differences.Identical(a, b) }

// changesKept reports whether the current step changes what the action leaves as
// it is.
func (r *Run) changesKept(d *definition) bool {
	for _, v := range r.keepsOf(d) {
		if a, b := r.cur.Vals[v], r.next.Vals[v]; !r.differences.Equal(a, b) {
			return true
		}
	}
	return false
}
