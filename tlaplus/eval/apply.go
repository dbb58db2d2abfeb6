package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// call applies a definition. Of the step that is checked, it is TRUE at once if it has made it.
func (p *Program) call(s *scope, n *syntax.Op, d *definition, t target) *expr {
	x, pass := p.application(s, n, d, t)
	if code := x.code; d.body().level == action && p.without&Narrows == 0 {
		x.code = func(r *Run, f *frame) value.Value {
			if r.checking && r.track == nil && r.memory == nil && r.hints.proves(r, d, f, pass) {
				return value.True
			}
			return code(r, f)
		}
	}
	return x
}

// application is the definition applied to its arguments, which pass makes.
func (p *Program) application(s *scope, n *syntax.Op, d *definition, t target) (x *expr, pass []func(*Run, *frame) any) {
	p.arity(s, n, len(d.params), len(t.args))
	b := d.body()
	lv := b.level
	pass = make([]func(*Run, *frame) any, len(t.args))
	for i, a := range t.args {
		pass[i] = p.passed(s, a, d.params[i].Arity)
		of := p.levelOf(s, a)
		if of >= action && d.primes(i) {
			s.refuse(a, "%s primes its argument, which is of %s level: it may be of state level", n.Name.Name, of)
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
		}, trace)}, pass
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
		}}, pass
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
	x = &expr{level: lv, code: func(r *Run, f *frame) value.Value { return last.of(r, f, code) }}
	x.trace = func(r *Run, f *frame) (v value.Value, t track, ok bool) {
		if b.trace == nil || d.remembers() {
			return nil, t, false
		}
		r.enter(d)
		v, t, ok = b.trace(r, p.enterCall(r, f, b, up, pass))
		r.leave(d)
		return v, t, ok
	}
	return x, pass
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
