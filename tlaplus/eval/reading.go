package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// reading is an expression that reads a variable, or what a path from it leads to:
// log[i][n].term.
type reading struct {
	of    *variable
	at    *place
	steps []readStep
}

// readStep goes from a value to a part of it.
type readStep struct {
	to func(r *Run, f *frame, v value.Value) (part, step value.Value)
}

// on is a reading that goes one step further, by an argument: the expression, which
// does the same, is for where nothing is remembered.
func (x *reading) on(of *expr, arg code, at *place, plain *expr) *expr {
	return partOf(x.by(plain, func(r *Run, f *frame, v value.Value) (value.Value, value.Value) {
		a := arg(r, f)
		r.at = at
		return value.Apply(v, a), a
	}), of, toValue, arg, at, value.Apply)
}

func (x *reading) by(plain *expr, to func(r *Run, f *frame, v value.Value) (part, step value.Value)) *expr {
	if x == nil {
		return plain
	}
	far := &reading{of: x.of, at: x.at, steps: append(x.steps[:len(x.steps):len(x.steps)], readStep{to})}
	code := plain.code
	plain.reads = far
	plain.code = func(r *Run, f *frame) value.Value {
		if r.memory == nil {
			return code(r, f)
		}
		return far.value(r, f)
	}
	return plain
}

// value goes the path, and notes it.
func (x *reading) value(r *Run, f *frame) value.Value {
	var space [4]value.Value
	steps := space[:0]
	v := r.read(r.cur, x.of, "", x.at)
	for i := range x.steps {
		var step value.Value
		v, step = x.steps[i].to(r, f, v)
		steps = append(steps, step)
	}
	r.memory.note(r, x.of.n, steps)
	return v
}

// part is SubSeq(s, from, to). What is read of a variable's sequence is that part.
func (p *Program) part(s *scope, n *syntax.Op, args []syntax.Expr) *expr {
	xs := p.exprs(s, args)
	at := s.place(n)
	of, from, to := xs[0], xs[1].code, xs[2].code
	cut := func(r *Run, f *frame, v value.Value) (part, step value.Value) {
		a, b := from(r, f), to(r, f)
		r.at = at
		i, k := integer(a), integer(b)
		return subSeq(r, v, i, k), value.Span{From: int(i), To: int(k)}
	}
	plain := &expr{level: top(xs...), code: func(r *Run, f *frame) value.Value {
		part, _ := cut(r, f, of.code(r, f))
		return part
	}}
	return of.reads.by(plain, cut)
}

// unrepeatable marks the current evaluation as one whose outcome is not that of
// another in the same state.
func (r *Run) unrepeatable() {
	r.ahead++
	if r.memory != nil {
		r.memory.again = true
	}
	if r.track != nil {
		r.track.lost = true
	}
}
