package eval

import (
	"strings"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// op compiles the application of an operator.
func (p *Program) op(s *scope, n *syntax.Op) *expr {
	if len(n.Prefix) == 0 {
		if b := builtins[n.Name.Name]; b != nil {
			p.arity(s, n, builtinArity(n.Name.Name), len(n.Args))
			return b(p, s, n)
		}
	}
	if own := p.ownVariable(s, n); own != nil {
		return orOwn(p.applySymbol(s, n), own, func(r *Run) *State {
			if !r.inPrime {
				return nil
			}
			return r.cur
		})
	}
	return p.applySymbol(s, n)
}

// applySymbol is the application of an operator that a text defines or declares.
func (p *Program) applySymbol(s *scope, n *syntax.Op) *expr {
	t := p.resolve(s, n)
	switch sym := t.sym.(type) {
	case *local:
		return p.localOp(s, n, sym)
	case *variable:
		p.arity(s, n, 0, len(t.args))
		return p.readVariable(s, n, sym)
	case *definition:
		return p.call(s, n, sym, t)
	case *Native:
		return p.native(s, n, sym, t.args)
	case *undefined:
		p.arity(s, n, sym.arity, len(t.args))
		at := s.place(n)
		return &expr{code: func(r *Run, f *frame) value.Value {
			r.at = at
			value.Fail("the constant %s has no value", sym.name)
			return nil
		}}
	}
	s.refuse(n, "%s is not an operator", n.Name.Name)
	return nil
}

func (p *Program) arity(s *scope, n *syntax.Op, want, got int) {
	if want != got {
		s.refuse(n, "%s takes %d arguments, not %d", n.Name.Name, want, got)
	}
}

func (p *Program) readVariable(s *scope, n *syntax.Op, v *variable) *expr {
	at := s.place(n)
	trace := traceVariable(v, at)
	return &expr{level: state, reads: &reading{of: v, at: at}, trace: trace, from: source{cur: v}, code: func(r *Run, f *frame) value.Value {
		x := r.read(r.cur, v, "", at)
		if r.track != nil {
			if _, t, ok := trace(r, f); ok {
				r.track.t.note(r.track, t)
			}
		}
		if r.memory != nil {
			r.memory.note(r, v.n, nil)
		}
		return x
	}}
}

// read is a variable's value in a state; prime is what comes after its name.
func (r *Run) read(in *State, v *variable, prime string, at *place) value.Value {
	if in != nil && in.Vals[v.n] != nil {
		return in.Vals[v.n]
	}
	r.at = at
	if in == nil {
		value.Fail("there is no state for the variable %s%s", v.name, prime)
	}
	value.Fail("the variable %s%s has no value here", v.name, prime)
	return nil
}

// target is what an Op refers to: a symbol with its arguments, and the frame
// that it is defined in.
type target struct {
	sym   symbol
	args  []syntax.Expr
	under func(r *Run, f *frame) *frame // of instances with parameters; nil: by the scope
}

// resolve finds what the operator means. Arguments of instances come before its
// own.
func (p *Program) resolve(s *scope, n *syntax.Op) target {
	t := target{args: n.Args}
	at := s
	for i := range n.Prefix {
		sel := &n.Prefix[i]
		sym := at.find(sel.Name, i == 0)
		in, ok := sym.(*named)
		if !ok {
			if sub, ok := p.piece(s, at, n, i); ok {
				sub.under = t.under
				return sub
			}
			s.refuse(sel, "%s is not an instance%s", sel.Name, at.like(sel.Name))
		}
		if i == 0 && s.later(sel.Name) {
			s.refuse(sel, "the instance %s is not defined before it is used here", sel.Name)
		}
		if len(sel.Args) != in.arity {
			s.refuse(sel, "the instance %s takes %d arguments, not %d", sel.Name, in.arity, len(sel.Args))
		}
		if in.fn != nil {
			t.under = p.enterInstance(s, in, sel.Args, t.under)
		}
		at = in.scope
	}
	t.sym = at.find(n.Name.Name, len(n.Prefix) == 0)
	if t.sym == nil {
		s.refuse(n, "%s is not defined%s", n.Name.Name, at.like(n.Name.Name))
	}
	if len(n.Prefix) == 0 && s.later(n.Name.Name) {
		s.refuse(n, "%s is not defined before it is used here: RECURSIVE %s can say that it is defined later", n.Name.Name, n.Name.Name)
	}
	t.sym = p.aliased(t.sym)
	return t
}

// enterInstance makes the frame of an instance's parameters.
func (p *Program) enterInstance(s *scope, in *named, args []syntax.Expr, under func(*Run, *frame) *frame) func(*Run, *frame) *frame {
	pass := make([]func(*Run, *frame) any, len(args))
	for i, a := range args {
		pass[i] = p.passed(s, a, in.syn.Params[i].Arity)
	}
	up := p.under(s, in.at, under)
	return func(r *Run, f *frame) *frame {
		g := newFrame(in.fn.slots, up(r, f))
		for i := range pass {
			g.vals[i] = pass[i](r, f)
		}
		return g
	}
}

// under is how a caller in the scope finds the frame of the function "at".
func (p *Program) under(s *scope, at *function, by func(*Run, *frame) *frame) func(*Run, *frame) *frame {
	switch {
	case by != nil:
		return by
	case at == nil:
		return func(*Run, *frame) *frame { return nil }
	}
	h := s.fn.hops(at)
	return func(_ *Run, f *frame) *frame { return f.hop(h) }
}

// find looks a name up; through an instance only in its module.
func (s *scope) find(name string, around bool) symbol {
	if around {
		return s.lookup(name)
	}
	if s.hide[name] || s.given[name] {
		return nil
	}
	return s.names[name]
}

// like suggests the nearest name that there is, of the texts rather than a native one.
func (s *scope) like(name string) string {
	best, least := "", 7
	for at := s; at != nil; at = at.up {
		for known, sym := range at.names {
			d := 2 * distance(strings.ToLower(name), strings.ToLower(known))
			if _, native := sym.(*Native); native {
				d++
			}
			if d < least || d == least && known < best {
				best, least = known, d
			}
		}
	}
	if best == "" || least/2 > min(2, len(name)/2) {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is the number of changes of one character between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := last
			if a[i] != b[j] {
				d = 1 + min(last, row[j], row[j+1])
			}
			last, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}

// localOp applies a parameter.
func (p *Program) localOp(s *scope, n *syntax.Op, l *local) *expr {
	if len(n.Args) == 0 {
		return p.ref(s, n, l)
	}
	p.arity(s, n, l.arity, len(n.Args))
	h, slot := s.fn.hops(l.fn), l.slot
	pass := make([]func(*Run, *frame) any, len(n.Args))
	lv := l.level
	for i, a := range n.Args {
		pass[i] = p.passed(s, a, 0)
		lv = max(lv, p.levelOf(s, a))
	}
	at := s.place(n)
	return &expr{level: lv, code: func(r *Run, f *frame) value.Value {
		op, ok := f.hop(h).vals[slot].(*operator)
		if !ok {
			r.at = at
			value.Fail("%s is not an operator", l.name)
		}
		args := make([]any, len(pass))
		for i := range pass {
			args[i] = pass[i](r, f)
		}
		return op.call(r, args...)
	}}
}

// levelOf is the level of an argument, an operator's included.
func (p *Program) levelOf(s *scope, n syntax.Expr) level {
	switch n := n.(type) {
	case *syntax.Lambda:
		in := s.inner()
		in.fn = &function{up: s.fn}
		for _, prm := range n.Params {
			in.names[prm.Name] = &local{name: prm.Name, fn: in.fn, arity: prm.Arity, lazy: true}
		}
		return p.expr(in, n.Body).level
	case *syntax.Op:
		if l := p.applying(s, n); l != nil && len(n.Prefix) > 0 {
			return p.levelOf(s, l)
		}
		if len(n.Args) == 0 && builtins[n.Name.Name] == nil {
			switch sym := p.resolve(s, n).sym.(type) {
			case *definition:
				if len(sym.params) > 0 {
					return sym.body().level
				}
			case *Native:
				return sym.Level
			case *local:
				return sym.level
			}
		}
		if len(n.Args) == 0 && builtinArity(n.Name.Name) > 0 {
			return constant
		}
	}
	return p.expr(s, n).level
}

// passed makes an argument: of a parameter with that arity.
func (p *Program) passed(s *scope, n syntax.Expr, arity int) func(*Run, *frame) any {
	if arity > 0 {
		return p.passedOperator(s, n, arity)
	}
	if o, ok := n.(*syntax.Op); ok && len(o.Args) == 0 && len(o.Prefix) == 0 {
		if l, ok := s.lookup(o.Name.Name).(*local); ok && l.arity == 0 && builtins[o.Name.Name] == nil {
			h, slot := s.fn.hops(l.fn), l.slot
			return func(r *Run, f *frame) any {
				f = f.hop(h)
				if r.track != nil && r.track.outer(f, slot) > 0 {
					return r.trackedSlot(f, slot)
				}
				return f.vals[slot]
			}
		}
	}
	x := p.expr(s, n)
	switch n.(type) {
	case *syntax.Number, *syntax.String:
		return func(r *Run, f *frame) any { return x.code(r, f) }
	}
	return func(_ *Run, f *frame) any { return &thunk{x: x, f: f} }
}

func (p *Program) passedOperator(s *scope, n syntax.Expr, arity int) func(*Run, *frame) any {
	check := func(name string, got int) {
		if got != arity {
			s.refuse(n, "an operator with %d arguments is expected, and %s takes %d", arity, name, got)
		}
	}
	switch n := n.(type) {
	case *syntax.Paren:
		return p.passedOperator(s, n.Expr, arity)
	case *syntax.Lambda:
		check("the LAMBDA", len(n.Params))
		d := &definition{p: p, name: "LAMBDA", syn: n, params: n.Params, expr: n.Body, scope: s}
		d.body()
		return func(_ *Run, f *frame) any { return &operator{def: d, up: f} }
	case *syntax.Op:
		if len(n.Args) > 0 {
			break
		}
		if l := p.applying(s, n); l != nil {
			check(n.Name.Name, len(l.Params))
			return p.passedOperator(s, l, arity)
		}
		t := p.resolve(s, n)
		switch sym := t.sym.(type) {
		case *local:
			check(sym.name, sym.arity)
			h, slot := s.fn.hops(sym.fn), sym.slot
			return func(_ *Run, f *frame) any { return f.hop(h).vals[slot] }
		case *definition:
			check(sym.name, len(sym.params))
			up := p.under(s, sym.scope.fn, t.under)
			sym.body()
			return func(r *Run, f *frame) any { return &operator{def: sym, up: up(r, f)} }
		case *Native:
			check(sym.Name, sym.Arity)
			return func(*Run, *frame) any { return &operator{nat: sym} }
		}
	}
	s.refuse(n, "an operator with %d arguments is expected here", arity)
	return nil
}

// call applies a definition.
func (p *Program) call(s *scope, n *syntax.Op, d *definition, t target) *expr {
	p.arity(s, n, len(d.params), len(t.args))
	b := d.body()
	lv := b.level
	pass := make([]func(*Run, *frame) any, len(t.args))
	for i, a := range t.args {
		pass[i] = p.passed(s, a, d.params[i].Arity)
		of, usage := p.levelOf(s, a), d.usageOf(i)
		if of >= action && usage.primed {
			s.refuse(a, "%s primes its argument, which is of %s level: it may be of state level", n.Name.Name, of)
		}
		if !usage.bare {
			of = min(of, state)
		}
		lv = max(lv, of)
	}
	up := p.under(s, d.scope.fn, t.under)
	if len(pass) == 0 && d.now != nil && b.level == state && t.under == nil {
		trace := func(r *Run, f *frame) (v value.Value, t track, ok bool) {
			r.untracked(func() { v = d.lately(r) })
			r.ahead++
			return v, track{from: source{def: d}}, true
		}
		return &expr{level: lv, trace: trace, from: source{def: d}, code: noting(func(r *Run, f *frame) value.Value {
			r.unrepeatable()
			return d.lately(r)
		}, trace)}
	}
	if len(pass) == 0 && d.scope.fn == nil && t.under == nil {
		return &expr{level: lv, code: func(r *Run, f *frame) value.Value {
			if d.val != nil {
				return d.val
			}
			r.enter(d)
			v := b.code(r, newFrame(b.fn.slots, nil))
			r.leave(d)
			if b.level == constant {
				d.val = v
			}
			return v
		}}
	}
	code := func(r *Run, f *frame) (v value.Value) {
		r.enter(d)
		g := (*frame)(nil)
		if d.remembers() {
			arg := pass[0](r, f)
			if known, ok := d.argument(r, arg); ok {
				v = d.recall(r, known)
				r.leave(d)
				return v
			}
			g = newFrame(b.fn.slots, up(r, f))
			g.vals[0] = arg
		} else {
			g = p.enterCall(r, f, b, up, pass)
		}
		v = b.code(r, g)
		r.leave(d)
		return v
	}
	last := p.recentOf(s, d, t, pass)
	x := &expr{level: lv, code: func(r *Run, f *frame) value.Value { return last.of(r, f, code) }}
	x.trace = func(r *Run, f *frame) (v value.Value, t track, ok bool) {
		if b.trace == nil || d.remembers() {
			return nil, t, false
		}
		r.enter(d)
		v, t, ok = b.trace(r, p.enterCall(r, f, b, up, pass))
		r.leave(d)
		return v, t, ok
	}
	return x
}

func (p *Program) enterCall(r *Run, f *frame, b *body, up func(*Run, *frame) *frame, pass []func(*Run, *frame) any) *frame {
	g := newFrame(b.fn.slots, up(r, f))
	for i := range pass {
		g.vals[i] = pass[i](r, f)
	}
	return g
}

// lately is the value of what a text beside the modules gives a name: where it reads no
// variable, as it has been since what the text's operators stand for last changed.
func (d *definition) lately(r *Run) value.Value {
	if !d.nowKnown {
		d.nowKnown = true
		vars, _ := r.readsOf(d.x)
		d.varies = len(vars) > 0
	}
	if d.val != nil && !d.varies && d.since == d.now() {
		return d.val
	}
	r.enter(d)
	v := d.x.code(r, &frame{vals: make([]any, d.x.fn.slots)})
	r.leave(d)
	if d.val != nil && value.Remade(d.val, v) {
		v = d.val
	}
	d.val, d.since = v, d.now()
	return v
}
