package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// generator finds the states in which an expression is TRUE: it assigns the
// variables of the state that is being made, and continues with the rest for each
// way to do so. It returns false as soon as the rest does.
type generator func(r *Run, f *frame, k *rest) bool

// rest is what is still to be done once an expression is TRUE.
type rest struct {
	g    generator
	f    *frame
	up   *rest
	done func() bool // at the end
}

func (k *rest) run(r *Run) bool {
	if k.done != nil {
		return k.done()
	}
	return k.g(r, k.f, k.up)
}

// generate runs the expression as a generator: of the initial state where that
// is being made, else of the next one.
func (x *expr) generate(r *Run, f *frame, k *rest) bool {
	g := &x.next
	if r.initial {
		g = &x.init
	}
	if *g == nil {
		*g = r.generator(x, r.initial)
	}
	return (*g)(r, f, k)
}

// lazy is the generator of a piece of an expression, made when it is needed.
func (p *Program) lazy(s *scope, n syntax.Expr) generator {
	x := p.expr(s, n)
	return x.generate
}

func (p *Program) generator(x *expr, initial bool) generator {
	s := x.scope
	switch n := x.syn.(type) {
	case *syntax.Paren:
		return p.lazy(s, n.Expr)
	case *syntax.Label:
		return p.lazy(s, n.Expr)
	case *syntax.Junction:
		return p.junctions(s, n.Op, n.Items)
	case *syntax.If:
		cond, then, other := p.expr(s, n.Cond), p.expr(s, n.Then), p.expr(s, n.Else)
		at := s.place(n.Cond)
		return func(r *Run, f *frame, k *rest) bool {
			if r.truth(cond.code(r, f), at) {
				return then.generate(r, f, k)
			}
			return other.generate(r, f, k)
		}
	case *syntax.Case:
		return p.caseGenerator(x, n)
	case *syntax.Let:
		in, enter := p.letScope(s, n)
		body := p.expr(in, n.Body)
		return func(r *Run, f *frame, k *rest) bool {
			enter(f)
			return body.generate(r, f, k)
		}
	case *syntax.Quant:
		if len(n.Names) > 0 {
			return p.test(x)
		}
		return p.quantGenerator(x, n)
	case *syntax.Action:
		return p.lazy(s, expand(n))
	case *syntax.FcnApply:
		return p.applyGenerator(x, n)
	case *syntax.Op:
		return p.opGenerator(x, n, initial)
	}
	return p.test(x)
}

// test evaluates the expression.
func (p *Program) test(x *expr) generator {
	at := x.scope.place(x.syn)
	return func(r *Run, f *frame, k *rest) bool {
		holds := r.truth(x.code(r, f), at)
		if r.why != nil {
			return r.why.test(r, x, f, holds, k.run)
		}
		return !holds || k.run(r)
	}
}

func (p *Program) junctions(s *scope, op string, items []syntax.Expr) generator {
	xs := p.exprs(s, items)
	if op == `\/` {
		return func(r *Run, f *frame, k *rest) bool {
			if r.checking && len(r.hints) > 0 {
				for _, x := range xs {
					if r.hinted(x) && !x.generate(r, f, k) {
						return false
					}
				}
			}
			for i, x := range xs {
				if r.trail != nil {
					r.trail.taken = append(r.trail.taken, items[i])
				}
				on := x.generate(r, f, k)
				if r.trail != nil {
					r.trail.taken = r.trail.taken[:len(r.trail.taken)-1]
				}
				if !on {
					return false
				}
			}
			return true
		}
	}
	return p.sequence(xs[0].generate, xs)
}

// later is the generator of an expression that comes after others. Once all variables have
// values, TLC evaluates what is left, and does not look for further ways to make it TRUE.
func (p *Program) later(x *expr) generator {
	test := p.test(x)
	return func(r *Run, f *frame, k *rest) bool {
		if r.settled() {
			return test(r, f, k)
		}
		return x.generate(r, f, k)
	}
}

// settled reports whether all variables of the state that is being made have values.
func (r *Run) settled() bool {
	return r.settles && r.trail == nil && !slices.Contains(r.making().Vals, nil)
}

// sequence is a conjunction, from left to right.
func (p *Program) sequence(begin generator, xs []*expr) generator {
	if len(xs) == 1 {
		return begin
	}
	first, others := xs[0], p.sequence(p.later(xs[1]), xs[1:])
	if first.assignsNothing() {
		at := first.scope.place(first.syn)
		return func(r *Run, f *frame, k *rest) bool {
			if r.initial {
				return begin(r, f, &rest{g: others, f: f, up: k})
			}
			holds := r.truth(first.code(r, f), at)
			if r.why != nil {
				return r.why.test(r, first, f, holds, func(r *Run) bool { return others(r, f, k) })
			}
			return !holds || others(r, f, k)
		}
	}
	return func(r *Run, f *frame, k *rest) bool {
		return begin(r, f, &rest{g: others, f: f, up: k})
	}
}

// assignsNothing reports whether the expression, of a next-state action, is a
// comparison in the state before.
func (x *expr) assignsNothing() bool {
	n, ok := x.syn.(*syntax.Op)
	if !ok || x.level >= action || len(n.Prefix) > 0 {
		return false
	}
	switch n.Name.Name {
	case "#", `\notin`, "<", ">", "=<", ">=", "~":
		return true
	case "=", `\in`, `\subseteq`:
		n := unparen(n.Args[0])
		left, ok := n.(*syntax.Op)
		if !ok || len(left.Args) > 0 || len(left.Prefix) > 0 {
			_, let := n.(*syntax.Let)
			return !let
		}
		_, parameter := x.scope.lookup(left.Name.Name).(*local)
		return !parameter
	}
	return false
}

func (p *Program) caseGenerator(x *expr, n *syntax.Case) generator {
	s := x.scope
	var conds, then []*expr
	var places []*place
	for _, arm := range n.Arms {
		conds, then, places = append(conds, p.expr(s, arm.Cond)), append(then, p.expr(s, arm.Expr)), append(places, s.place(arm.Cond))
	}
	var other *expr
	if n.Other != nil {
		other = p.expr(s, n.Other)
	}
	at := s.place(n)
	return func(r *Run, f *frame, k *rest) bool {
		for i, c := range conds {
			if r.truth(c.code(r, f), places[i]) {
				return then[i].generate(r, f, k)
			}
		}
		if other == nil {
			r.at = at
			value.Fail("no condition of the CASE is TRUE, and it has no OTHER")
		}
		return other.generate(r, f, k)
	}
}

// applyGenerator goes into the body of a function that is not tabulated, as TLC
// does: each way to make it TRUE counts.
func (p *Program) applyGenerator(x *expr, n *syntax.FcnApply) generator {
	fcn, args := p.expr(x.scope, n.Fcn), p.exprs(x.scope, n.Args)
	at, test := x.scope.place(n), p.test(x)
	return func(r *Run, f *frame, k *rest) bool {
		l, ok := fcn.code(r, f).(*value.Lambda)
		if !ok {
			return test(r, f, k)
		}
		text, ok := l.Text.(*fcnText)
		if !ok {
			return test(r, f, k)
		}
		vals := all(r, f, args)
		arg := value.Value(nil)
		if arg = vals[0]; len(vals) > 1 {
			arg = value.NewTuple(vals...)
		}
		r.at = at
		if !value.Contains(l.Dom, arg) {
			return test(r, f, k)
		}
		return text.body.generate(r, text.enter(arg), k)
	}
}

func (p *Program) quantGenerator(whole *expr, n *syntax.Quant) generator {
	s := whole.scope
	in, list := p.bind(s, n.Bounds, p.looped)
	body := p.expr(in, n.Body)
	if n.Kind == `\E` {
		plan := p.probe(p.applied(in, body, list))
		var first *early
		if plan == nil {
			first = p.early(p.applied(in, body, list), list)
		}
		var narrow *narrowing
		looked := false
		return func(r *Run, f *frame, k *rest) bool {
			if !looked && r.why == nil {
				narrow, looked = p.narrowing(in, n, list), true
			}
			switch {
			case r.why != nil || r.initial:
			case r.checking && len(r.hints) > 0 && r.hint(body, f, list):
				if !body.generate(r, f, k) {
					return false
				}
			case plan != nil:
				return eachBut(r, f, list, plan, func() bool { return body.generate(r, f, k) })
			case narrow != nil && r.next != nil:
				left := narrow.narrowed(r, f, list, allSets(r, f, list))
				if left.none {
					return true
				}
				if narrow.toward(r, f, list, &left); left.none {
					return true
				}
				var check func(int) bool
				if first != nil {
					check = first.check(r, f, left.sets)
				}
				return eachOf(f, list, left.sets, left.solved, check, r, left.tested(r, f, func() bool { return body.generate(r, f, k) }))
			case first != nil:
				sets := allSets(r, f, list)
				return eachOf(f, list, sets, nil, first.check(r, f, sets), r, func() bool { return body.generate(r, f, k) })
			}
			if r.why != nil {
				return r.why.exists(r, whole, f, func(any func()) bool {
					return each(r, f, list, func() bool {
						any()
						return body.generate(r, f, k)
					})
				})
			}
			return each(r, f, list, func() bool { return body.generate(r, f, k) })
		}
	}
	test, next := p.test(whole), p.later(body)
	// Each element has a frame of its own: an earlier one may be gone back to.
	return func(r *Run, f *frame, k *rest) bool {
		if r.why == nil && r.without&Keeps == 0 && (r.checking || !r.settles && !r.initial && whole.level < action) { // nothing is assigned
			return test(r, f, k)
		}
		var frames []*frame
		g := f.copyOf()
		each(r, g, list, func() bool {
			frames = append(frames, g.copyOf())
			return true
		})
		for i := len(frames) - 1; i >= 0; i-- {
			k = &rest{g: next, f: frames[i], up: k}
		}
		return k.run(r)
	}
}

func (p *Program) opGenerator(x *expr, n *syntax.Op, initial bool) generator {
	s := x.scope
	if len(n.Prefix) == 0 && builtins[n.Name.Name] != nil {
		switch n.Name.Name {
		case `/\`, `\/`:
			return p.junctions(s, n.Name.Name, n.Args)
		case "=":
			return p.assignment(x, n, initial)
		case `\in`:
			return p.choice(x, n, initial)
		case "UNCHANGED":
			return p.unchangedGenerator(x, n.Args[0])
		case `\subseteq`:
			return p.choice(x, n, initial)
		case "=>":
			cond, then := p.expr(s, n.Args[0]), p.expr(s, n.Args[1])
			at := s.place(n.Args[0])
			return func(r *Run, f *frame, k *rest) bool {
				if r.truth(cond.code(r, f), at) {
					return then.generate(r, f, k)
				}
				return k.run(r)
			}
		case `\cdot`:
			return p.compositionGenerator(s, n)
		}
		return p.test(x)
	}
	t := p.resolve(s, n)
	switch sym := t.sym.(type) {
	case *definition:
		if sym.fcn != nil {
			return p.test(x)
		}
		b := sym.body()
		if b.level == constant && len(sym.params) == 0 {
			return p.test(x)
		}
		pass := make([]func(*Run, *frame) any, len(t.args))
		for i, a := range t.args {
			pass[i] = p.passed(s, a, sym.params[i].Arity)
		}
		up := p.under(s, sym.scope.fn, t.under)
		generate := func(r *Run, f *frame, k *rest) bool {
			if r.checking {
				if r.hints.proves(r, sym, f, pass) {
					return k.run(r)
				}
				if r.changesKept(sym) {
					return true
				}
			}
			r.enter(sym)
			depth, way := r.depth, len(r.way)
			g := p.enterCall(r, f, b, up, pass)
			r.way = append(r.way, made{sym, g})
			on := b.generate(r, g, k)
			r.depth, r.way = depth-sym.weight, r.way[:way]
			return on
		}
		last := p.recentOf(s, sym, t, pass)
		return func(r *Run, f *frame, k *rest) bool { return last.generate(r, f, k, generate) }
	case *local:
		return p.localGenerator(x, n, sym)
	}
	return p.test(x)
}

// localGenerator is a parameter that represents an action, or an operator that
// makes one.
func (p *Program) localGenerator(x *expr, n *syntax.Op, l *local) generator {
	s := x.scope
	h, slot := s.fn.hops(l.fn), l.slot
	pass := make([]func(*Run, *frame) any, len(n.Args))
	for i, a := range n.Args {
		pass[i] = p.passed(s, a, 0)
	}
	test := p.test(x)
	return func(r *Run, f *frame, k *rest) bool {
		switch v := f.hop(h).vals[slot].(type) {
		case *thunk:
			return v.x.generate(r, v.f, k)
		case *operator:
			if v.nat != nil {
				return test(r, f, k)
			}
			args := make([]any, len(pass))
			for i := range pass {
				args[i] = pass[i](r, f)
			}
			b := v.def.body()
			r.enter(v.def)
			on := b.generate(r, v.frame(args), k)
			r.leave(v.def)
			return on
		}
		return test(r, f, k)
	}
}
