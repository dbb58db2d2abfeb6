package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// The operators of the language itself. Those of the standard modules are
// natives, which a module has only where it extends them.

type builtin func(p *Program, s *scope, n *syntax.Op) *expr

var builtins map[string]builtin

func init() {
	builtins = map[string]builtin{
		"=": equality(true), "#": equality(false),
		`/\`: logical(`/\`), `\/`: logical(`\/`), "=>": implies, "<=>": equivalent, `\equiv`: equivalent, "~": not,
		`\in`: membership(true), `\notin`: membership(false),
		`\union`: combination(value.Union), `\cup`: combination(value.Union),
		`\intersect`: combination(value.Intersection), `\cap`: combination(value.Intersection),
		`\`: combination(value.Difference), `\subseteq`: subset,
		"SUBSET":  unary(func(r *Run, v value.Value) value.Value { return &value.Subset{Of: v} }),
		"UNION":   unary(func(r *Run, v value.Value) value.Value { return value.Flatten(v) }),
		"DOMAIN":  domainOp,
		"'":       prime,
		"ENABLED": enabled, "UNCHANGED": unchanged, `\cdot`: composition,
		"[]": always, "<>": always, "~>": always, "-+->": always, "-+>": always,
		"TRUE": literal(value.True), "FALSE": literal(value.False),
		"BOOLEAN": literal(value.NewSet([]value.Value{value.False, value.True})), "STRING": literal(value.Strings),
	}
}

// builtinArity is the number of arguments of an operator of the language; 0 for
// other names.
func builtinArity(name string) int {
	switch name {
	case "TRUE", "FALSE", "BOOLEAN", "STRING":
		return 0
	case "~", "SUBSET", "UNION", "DOMAIN", "'", "ENABLED", "UNCHANGED", "[]", "<>":
		return 1
	}
	if builtins[name] == nil {
		return 0
	}
	return 2
}

func literal(v value.Value) builtin {
	return func(p *Program, s *scope, n *syntax.Op) *expr {
		return &expr{code: func(*Run, *frame) value.Value { return v }}
	}
}

func unary(do func(*Run, value.Value) value.Value) builtin {
	return func(p *Program, s *scope, n *syntax.Op) *expr {
		a := p.expr(s, n.Args[0])
		at := s.place(n)
		return &expr{level: a.level, code: func(r *Run, f *frame) value.Value {
			v := a.code(r, f)
			r.at = at
			return do(r, v)
		}}
	}
}

func domainOp(p *Program, s *scope, n *syntax.Op) *expr {
	a := p.expr(s, n.Args[0])
	at := s.place(n)
	x := &expr{level: a.level, code: func(r *Run, f *frame) value.Value {
		v := a.code(r, f)
		r.at = at
		return value.Domain(v)
	}}
	return partOf(x, a, toDomain, nil, at, func(v, _ value.Value) value.Value { return value.Domain(v) })
}

// binary evaluates both sides, from left to right.
func (p *Program) binary(s *scope, n *syntax.Op, do func(a, b value.Value) value.Value) *expr {
	a, b := p.expr(s, n.Args[0]), p.expr(s, n.Args[1])
	at := s.place(n)
	return &expr{level: top(a, b), right: b, code: func(r *Run, f *frame) value.Value {
		x := a.code(r, f)
		y := b.code(r, f)
		r.at = at
		return do(x, y)
	}}
}

func equality(want bool) builtin {
	return func(p *Program, s *scope, n *syntax.Op) *expr {
		x := p.binary(s, n, func(a, b value.Value) value.Value { return value.Truth(p.differences.Equal(a, b) == want) })
		if want {
			return p.exchangeTested(s, n, x)
		}
		return x
	}
}

func membership(want bool) builtin {
	return func(p *Program, s *scope, n *syntax.Op) *expr {
		return p.again(s, n, want, value.Contains, value.ContainsAgain)
	}
}

func combination(op value.SetOp) builtin {
	return func(p *Program, s *scope, n *syntax.Op) *expr {
		return p.binary(s, n, p.kept(func(a, b value.Value) value.Value { return value.Combine(op, a, b) }))
	}
}

func subset(p *Program, s *scope, n *syntax.Op) *expr {
	return p.again(s, n, true, func(b, a value.Value) bool { return value.IsSubset(a, b) },
		func(b, a, was value.Value) bool { return value.IsSubsetAgain(a, b, was) })
}

// logical is an infix junction.
func logical(op string) builtin {
	return func(p *Program, s *scope, n *syntax.Op) *expr {
		return p.junction(s, &syntax.Junction{Span: n.Span, Op: op, Items: n.Args})
	}
}

func implies(p *Program, s *scope, n *syntax.Op) *expr {
	a, b := p.expr(s, n.Args[0]), p.expr(s, n.Args[1])
	notMixed(s, n, n.Name.Name, a, b)
	ata, atb := s.place(n.Args[0]), s.place(n.Args[1])
	return &expr{level: top(a, b), code: func(r *Run, f *frame) value.Value {
		return value.Truth(!r.truth(a.code(r, f), ata) || r.truth(b.code(r, f), atb))
	}}
}

func equivalent(p *Program, s *scope, n *syntax.Op) *expr {
	a, b := p.expr(s, n.Args[0]), p.expr(s, n.Args[1])
	notMixed(s, n, n.Name.Name, a, b)
	ata, atb := s.place(n.Args[0]), s.place(n.Args[1])
	return &expr{level: top(a, b), code: func(r *Run, f *frame) value.Value {
		return value.Truth(r.truth(a.code(r, f), ata) == r.truth(b.code(r, f), atb))
	}}
}

func not(p *Program, s *scope, n *syntax.Op) *expr {
	a := p.expr(s, n.Args[0])
	at := s.place(n.Args[0])
	return &expr{level: a.level, code: func(r *Run, f *frame) value.Value { return value.Truth(!r.truth(a.code(r, f), at)) }}
}

// prime is e': e in the next state.
func prime(p *Program, s *scope, n *syntax.Op) *expr {
	a := p.expr(s, n.Args[0])
	if a.level > state {
		s.refuse(n, "the prime of an expression of %s level", a.level)
	}
	at, own := s.place(n), p.ownVariable(s, n.Args[0])
	if v, ok := p.variableOf(s, n.Args[0]).(*variable); ok {
		trace := tracePrimed(v, at)
		return orOwn(&expr{level: action, trace: trace, from: source{next: v}, code: noting(func(r *Run, f *frame) value.Value {
			r.unrepeatable()
			return r.read(r.next, v, "'", at)
		}, trace)}, own, func(r *Run) *State { return r.next })
	}
	return orOwn(&expr{level: action, code: func(r *Run, f *frame) value.Value {
		v := value.Value(nil)
		r.primed(func() { v = a.code(r, f) })
		return v
	}}, own, func(r *Run) *State { return r.next })
}

// primed evaluates in the next state. Where there is none, only what reads a variable
// is an error.
func (r *Run) primed(do func()) {
	lost := r.track != nil && r.track.lost
	r.unrepeatable()
	if r.track != nil {
		r.track.lost = lost // what is read is noted
	}
	cur, next := r.cur, r.next
	in := r.inPrime
	r.cur, r.next, r.inPrime = next, nil, true
	r.Level++
	do()
	r.Level--
	r.cur, r.next, r.inPrime = cur, next, in
}

// within evaluates what was to be evaluated in earlier states.
func (r *Run) within(cur, next *State, prime bool, do func()) {
	if cur == r.cur && next == r.next && prime == r.inPrime {
		do()
		return
	}
	r.unrepeatable()
	now, then, in := r.cur, r.next, r.inPrime
	r.cur, r.next, r.inPrime = cur, next, prime
	do()
	r.cur, r.next, r.inPrime = now, then, in
}

// variableOf returns the *variable that an expression plainly is, also by other
// names; else what it is, or nil.
func (p *Program) variableOf(s *scope, n syntax.Expr) symbol {
	switch n := n.(type) {
	case *syntax.Paren:
		return p.variableOf(s, n.Expr)
	case *syntax.Op:
		if len(n.Args) > 0 {
			return nil
		}
		sym := s.lookup(n.Name.Name)
		if len(n.Prefix) > 0 {
			t := p.resolve(s, n)
			if t.under != nil {
				return nil
			}
			sym = t.sym
		}
		switch sym := sym.(type) {
		case *variable:
			return sym
		case *definition:
			if e := sym.meant(); e != nil {
				return p.variableOf(sym.scope, e)
			}
		case *local:
			return sym
		}
	}
	return nil
}

// inside is the expression that another one means.
type inside struct {
	x     *expr
	enter func(*Run, *frame) *frame
	prime bool // it is x'
}

// insideOf is the expression that x means by a prime, a LET, or a definition; nil: it is none
// of them.
func (p *Program) insideOf(x *expr) *inside {
	switch n := unparen(x.syn).(type) {
	case *syntax.Let:
		in, enter := p.letScope(x.scope, n)
		return &inside{x: p.expr(in, n.Body), enter: func(_ *Run, f *frame) *frame {
			enter(f)
			return f
		}}
	case *syntax.Op:
		if n.Name.Name == "'" {
			return &inside{p.expr(x.scope, n.Args[0]), func(_ *Run, f *frame) *frame { return f }, true}
		}
		if len(n.Args) > 0 || builtins[n.Name.Name] != nil {
			return nil
		}
		t := p.resolve(x.scope, n)
		if d, ok := t.sym.(*definition); ok && d.meant() != nil && t.under == nil {
			return p.bodyOf(x.scope, d)
		}
	}
	return nil
}

// bodyOf is what a definition without parameters means in a scope.
func (p *Program) bodyOf(s *scope, d *definition) *inside {
	b, up := d.body(), p.under(s, d.scope.fn, nil)
	return &inside{x: b.expr, enter: func(r *Run, f *frame) *frame { return newFrame(b.fn.slots, up(r, f)) }}
}

// target is the place of the variable that an expression is in a frame, also
// through parameters; -1 where it is none. A prime may be in what the expression means.
func (r *Run) target(x *expr, f *frame, primed bool) int {
	for {
		if !x.plainly {
			x.plain, x.plainly, x.own = r.variableOf(x.scope, x.syn), true, r.ownVariable(x.scope, x.syn)
			if x.plain == nil {
				x.inside = r.insideOf(x)
			}
		}
		plain := x.plain
		if x.own != nil && r.enabling == x.own.of {
			plain = x.own.variable
		}
		switch sym := plain.(type) {
		case *variable:
			if !primed {
				return -1
			}
			return sym.n
		case *local:
			t, ok := f.hop(x.scope.fn.hops(sym.fn)).vals[sym.slot].(*thunk)
			if !ok {
				return -1
			}
			x, f = t.x, t.f
		default:
			in := x.inside
			if in == nil || in.prime && primed || in.x.syn == nil {
				return -1
			}
			x, f, primed = in.x, in.enter(r, f), primed || in.prime
		}
	}
}

func enabled(p *Program, s *scope, n *syntax.Op) *expr {
	a := p.expr(s, n.Args[0])
	return &expr{level: state, code: func(r *Run, f *frame) value.Value {
		r.unrepeatable()
		next, initial, checking, enabling, in := r.next, r.initial, r.checking, r.enabling, r.inPrime
		r.next, r.initial, r.checking, r.enabling, r.inPrime = newState(len(r.Variables)+len(r.own)), false, false, s.of, false
		found := a.satisfied(r, f)
		r.next, r.initial, r.checking, r.enabling, r.inPrime = next, initial, checking, enabling, in
		return value.Truth(found)
	}}
}

// satisfied reports whether there is a way to make the expression TRUE. Its clauses are
// not clauses of the action around it.
func (x *expr) satisfied(r *Run, f *frame) (found bool) {
	why, settles := r.why, r.settles
	r.why, r.settles = nil, false
	x.generate(r, f, &rest{done: func() bool {
		found = true
		return false
	}})
	r.why, r.settles = why, settles
	return found
}

func unchanged(p *Program, s *scope, n *syntax.Op) *expr {
	a := p.expr(s, n.Args[0])
	if a.level > state {
		s.refuse(n, "UNCHANGED of an expression of %s level", a.level)
	}
	at := s.place(n)
	return &expr{level: action, code: func(r *Run, f *frame) value.Value {
		was := a.code(r, f)
		var is value.Value
		r.primed(func() { is = a.code(r, f) })
		r.at = at
		return value.Truth(r.differences.Equal(was, is))
	}}
}

// composition is A \cdot B: A leads to a state from which B leads to the next.
func composition(p *Program, s *scope, n *syntax.Op) *expr {
	x := &expr{level: action}
	p.exprs(s, n.Args)
	x.code = func(r *Run, f *frame) value.Value {
		r.unrepeatable()
		return value.Truth(x.satisfied(r, f))
	}
	return x
}

// always represents the temporal operators, which are not evaluated.
func always(p *Program, s *scope, n *syntax.Op) *expr {
	op := n.Name.Name
	for i, x := range p.exprs(s, n.Args) {
		form := map[string]string{"[]": "[A]_v", "<>": "<<A>>_v"}[op]
		a, is := unparen(n.Args[i]).(*syntax.Action)
		_, let := unparen(n.Args[i]).(*syntax.Let) // which SANY does not look into
		switch {
		case x.level != action || form != "" && let || is && form != "" && a.Square == (op == "[]"):
		case form != "":
			s.refuse(n, "%s of an action that is not of the form %s", op, form)
		default:
			s.refuse(n, "%s of an expression of action level", op)
		}
	}
	return p.temporal(s, n)
}

// notMixed refuses a formula with operands of action and of temporal level.
func notMixed(s *scope, n syntax.Node, op string, list ...*expr) {
	of := func(l level) bool { return slices.ContainsFunc(list, func(x *expr) bool { return x.level == l }) }
	if of(action) && of(temporal) {
		s.refuse(n, "%s has both actions and temporal formulas", op)
	}
}

// notAbove refuses an operand of too high a level.
func notAbove(most level, s *scope, n syntax.Expr, of string, x *expr) {
	if x.level > most {
		s.refuse(n, "%s of an expression of %s level", of, x.level)
	}
}

func (p *Program) temporal(s *scope, n syntax.Node) *expr {
	at := s.place(n)
	return &expr{level: temporal, code: func(r *Run, f *frame) value.Value {
		r.at = at
		value.Fail("a temporal formula has no value in a state")
		return nil
	}}
}

// actionOf is [A]_v or <<A>>_v.
func (p *Program) actionOf(s *scope, n *syntax.Action) *expr {
	notAbove(action, s, n.Act, "[A]_v or <<A>>_v", p.expr(s, n.Act))
	return p.expr(s, expand(n))
}

// expand writes [A]_v as A \/ UNCHANGED v, and <<A>>_v as A /\ ~UNCHANGED v.
func expand(n *syntax.Action) syntax.Expr {
	same := &syntax.Op{Span: n.Span, Name: syntax.Ident{Span: n.Span, Name: "UNCHANGED"}, Args: []syntax.Expr{n.Sub}}
	if n.Square {
		return &syntax.Junction{Span: n.Span, Op: `\/`, Items: []syntax.Expr{n.Act, same}}
	}
	differ := &syntax.Op{Span: n.Span, Name: syntax.Ident{Span: n.Span, Name: "~"}, Args: []syntax.Expr{same}}
	return &syntax.Junction{Span: n.Span, Op: `/\`, Items: []syntax.Expr{n.Act, differ}}
}
