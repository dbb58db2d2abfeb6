package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// making is the state that is being made.
func (r *Run) making() *State {
	if r.initial {
		return r.cur
	}
	return r.next
}

// left is the expression that is assigned to by "left = …": the operand of the
// prime where the next state is made. nil where it is not a variable.
// It has its prime already where primed.
func (p *Program) left(s *scope, n syntax.Expr, initial bool) (left *expr, primed bool) {
	n = unparen(n)
	if x, ok := n.(*syntax.Op); ok && !initial && x.Name.Name == "'" {
		n, primed = unparen(x.Args[0]), true
	}
	switch x := n.(type) {
	case *syntax.Let:
	case *syntax.Op:
		if len(x.Args) > 0 || builtins[x.Name.Name] != nil && !primed && !initial {
			return nil, false
		}
		if primed || initial {
			break
		}
		switch sym := p.resolve(s, x).sym.(type) { // what may represent a primed variable
		case *local:
		case *definition:
			if sym.meant() == nil || sym.body().level < action {
				return nil, false
			}
		default:
			return nil, false
		}
	default:
		return nil, false
	}
	left = p.expr(s, n)
	if left.syn == nil {
		return nil, false
	}
	return left, primed || initial
}

// assigning is a formula that gives a variable a value, where it has none; else it
// is tested.
func (p *Program) assigning(x *expr, n *syntax.Op, initial bool, give func(r *Run, f *frame, k *rest, to *State, v int) bool) generator {
	left, primed := p.left(x.scope, n.Args[0], initial)
	test := p.test(x)
	if left == nil {
		return test
	}
	return func(r *Run, f *frame, k *rest) bool {
		to, v := r.making(), -1
		if to != nil {
			v = r.target(left, f, primed)
		}
		if v < 0 || to.Vals[v] != nil {
			return test(r, f, k)
		}
		on := give(r, f, k, to, v)
		to.set(v, nil)
		return on
	}
}

// assignment is x' = e (x = e in Init).
func (p *Program) assignment(x *expr, n *syntax.Op, initial bool) generator {
	right := x.right // what it keeps counts for the test, too
	if right == nil {
		right = p.expr(x.scope, n.Args[1])
	}
	return p.assigning(x, n, initial, func(r *Run, f *frame, k *rest, to *State, v int) bool {
		to.set(v, r.evaluated(right.code(r, f)))
		if r.why != nil {
			return r.why.assigned(r, x, f, k.run)
		}
		return k.run(r)
	})
}

// choice is x' \in S, or x' \subseteq S.
func (p *Program) choice(x *expr, n *syntax.Op, initial bool) generator {
	right := p.expr(x.scope, n.Args[1])
	at := x.scope.place(n)
	return p.assigning(x, n, initial, func(r *Run, f *frame, k *rest, to *State, v int) bool {
		set := right.code(r, f)
		r.at = at
		if n.Name.Name == `\subseteq` {
			set = &value.Subset{Of: set}
		}
		any := false
		on := r.through(set, at, func(e value.Value) bool {
			to.set(v, r.evaluated(e))
			any = true
			return k.run(r)
		})
		if r.why != nil && !any {
			r.why.test(r, x, f, false, nil)
		}
		return on
	})
}

// unchangedGenerator is UNCHANGED e: of each variable that e consists of.
func (p *Program) unchangedGenerator(x *expr, of syntax.Expr) generator {
	var leaves []*expr
	p.leaves(x.scope, of, &leaves, nil, false)
	list := leafList(leaves)
	var own []leaf
	if len(p.own) > 0 {
		var list []*expr
		p.leaves(x.scope, of, &list, nil, true)
		own = leafList(list)
	}
	return func(r *Run, f *frame, k *rest) bool {
		if r.enabling != nil && own != nil && r.enabling == x.scope.of {
			return r.stay(own, f, k)
		}
		if r.why == nil || !r.why.Full || r.next == nil || r.given(leaves, f) {
			return r.stay(list, f, k)
		}
		return r.why.assigned(r, x, f, func(r *Run) bool { return r.stay(list, f, k) })
	}
}

func leafList(of []*expr) []leaf {
	list := make([]leaf, len(of))
	for i, x := range of {
		list[i] = leaf{x, unchangedOf(x), x.scope.place(x.syn)}
	}
	return list
}

// leaf is a part of what UNCHANGED is about.
type leaf struct {
	x    *expr
	test *expr // UNCHANGED x
	at   *place
}

// stay continues with the rest, if the parts do not change. A variable without a value in
// the next state gets the one that it has.
func (r *Run) stay(list []leaf, f *frame, k *rest) bool {
	for i := range list {
		to, v := r.next, -1
		if to != nil {
			v = r.target(list[i].x, f, true)
		}
		if v < 0 || to.Vals[v] != nil {
			holds := r.truth(list[i].test.code(r, f), list[i].at)
			if r.why != nil {
				return r.why.test(r, list[i].test, f, holds, func(r *Run) bool { return r.stay(list[i+1:], f, k) })
			}
			if !holds {
				return true
			}
			continue
		}
		was := value.Value(nil)
		if of := list[i].x.own; of != nil && r.enabling == of.of {
			was = list[i].x.code(r, f)
		} else {
			was = r.cur.Vals[v]
		}
		if was == nil {
			value.Fail("the variable %s has no value here", r.Variables[v])
		}
		if to.goals != nil && to.goals[v].Changes {
			return true
		}
		to.set(v, was)
		on := r.stay(list[i+1:], f, k)
		to.set(v, nil)
		return on
	}
	return k.run(r)
}

// given reports whether some of the variables have a value in the next state.
func (r *Run) given(leaves []*expr, f *frame) bool {
	return slices.ContainsFunc(leaves, func(l *expr) bool {
		v := r.target(l, f, true)
		return v < 0 || r.next.Vals[v] != nil
	})
}

// unchangedOf is UNCHANGED x as an expression, to be tested.
func unchangedOf(x *expr) *expr {
	at := x.scope.place(x.syn)
	return &expr{level: action, syn: x.syn, scope: x.scope, unchanged: true, code: func(r *Run, f *frame) value.Value {
		was := x.code(r, f)
		var is value.Value
		r.primed(func() { is = x.code(r, f) })
		r.at = at
		return value.Truth(r.differences.Equal(was, is))
	}}
}

// leaves takes tuples apart, also those of definitions, as TLC does. Each part that is no
// variable is tested by itself. of is the definition that n is a part of; nil: of none. Where
// own, the variables of instances are taken for themselves.
func (p *Program) leaves(s *scope, n syntax.Expr, out *[]*expr, of *definition, own bool) {
	switch n := n.(type) {
	case *syntax.Paren:
		p.leaves(s, n.Expr, out, of, own)
		return
	case *syntax.Tuple:
		for _, item := range n.Items {
			p.leaves(s, item, out, of, own)
		}
		return
	case *syntax.Op:
		if len(n.Args) > 0 || builtins[n.Name.Name] != nil || own && p.ownVariable(s, n) != nil {
			break
		}
		if d, ok := p.resolve(s, n).sym.(*definition); ok && d.meant() != nil {
			if d.scope.fn == nil || s.fn.within(d.scope.fn) {
				at := d.scope.inner()
				at.fn = s.fn
				p.leaves(at, d.expr, out, d, own)
				return
			}
		}
	}
	if _, ok := p.variableOf(s, n).(*variable); of == nil || ok || own && p.ownVariable(s, n) != nil {
		*out = append(*out, p.expr(s, n))
		return
	}
	part := &definition{p: p, name: of.name, syn: n, expr: n, scope: of.scope, unit: of.unit}
	x := p.call(s, &syntax.Op{Span: n.Place(), Name: syntax.Ident{Span: n.Place(), Name: of.name}}, part, target{sym: part})
	x.syn, x.scope = n, s
	x.plainly, x.inside = true, p.bodyOf(s, part)
	*out = append(*out, x)
}

// compositionGenerator is A \cdot B.
func (p *Program) compositionGenerator(s *scope, n *syntax.Op) generator {
	a, b := p.expr(s, n.Args[0]), p.expr(s, n.Args[1])
	return func(r *Run, f *frame, k *rest) bool {
		cur, next, checking, way := r.cur, r.next, r.checking, len(r.way)
		r.next, r.checking, r.way = r.NewState(), false, append(r.way, made{})
		on := a.generate(r, f, &rest{done: func() bool {
			mid := r.next
			r.Between++
			r.cur, r.next = mid, next
			on := b.generate(r, f, &rest{done: func() bool {
				r.cur, r.checking = cur, checking
				on := k.run(r)
				r.cur, r.checking = mid, false
				return on
			}})
			r.cur, r.next = cur, mid
			return on
		}})
		r.cur, r.next, r.checking, r.way = cur, next, checking, r.way[:way]
		return on
	}
}
