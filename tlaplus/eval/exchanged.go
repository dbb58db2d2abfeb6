package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// v' = (v \ A) \union B, where v' is given, is tested by what v' has and v has not, and the
// other way round: the set on the right is not made.

// exchanged is such an equation.
type exchanged struct {
	v          *variable
	was, is    *expr // v and v'
	gone, come *expr // nil: there is none
	at         *place
}

// exchangedBy makes the plan for x' = e; nil where e is another set.
func (p *Program) exchangedBy(s *scope, n *syntax.Op) *exchanged {
	left, ok := unparen(n.Args[0]).(*syntax.Op)
	if !ok || p.without&Narrows != 0 || left.Name.Name != "'" || len(left.Prefix) > 0 {
		return nil
	}
	v, ok := p.variableOf(s, left.Args[0]).(*variable)
	if !ok {
		return nil
	}
	x := &exchanged{v: v, is: p.expr(s, left), at: s.place(n)}
	right := unparen(n.Args[1])
	if op, ok := right.(*syntax.Op); ok && len(op.Prefix) == 0 && (op.Name.Name == `\union` || op.Name.Name == `\cup`) {
		x.come = p.expr(s, op.Args[1])
		right = unparen(op.Args[0])
	}
	if op, ok := right.(*syntax.Op); ok && len(op.Prefix) == 0 && op.Name.Name == `\` {
		x.gone = p.expr(s, op.Args[1])
		right = unparen(op.Args[0])
	}
	if of, ok := p.variableOf(s, right).(*variable); !ok || of != v || x.gone == nil && x.come == nil {
		return nil
	}
	x.was = p.expr(s, right)
	return x
}

// holds is the value of the equation; known is false where it has to be evaluated as usual.
func (x *exchanged) holds(r *Run, f *frame) (holds, known bool) {
	if r.cur == nil || r.next == nil {
		return false, false
	}
	was, ok := r.cur.Vals[x.v.n].(*value.Set)
	is, also := r.next.Vals[x.v.n].(*value.Set)
	if !ok || !also || was.Len() < leastNarrowed {
		return false, false
	}
	gone, come, ok := r.differences.Of(was, is)
	if !ok {
		return false, false
	}
	if r.track != nil || r.memory != nil { // what is read is noted
		x.is.code(r, f)
		x.was.code(r, f)
	}
	var removed []value.Value
	if x.gone != nil {
		out, ok := x.gone.code(r, f).(*value.Set)
		if ok {
			removed, ok = value.Removed(was, out)
		}
		if !ok { // before the other side is evaluated: the first error counts
			return false, false
		}
	}
	in := value.NoElements
	if x.come != nil {
		if in, ok = x.come.code(r, f).(*value.Set); !ok {
			return false, false
		}
	}
	r.at = x.at
	return value.IsExchanged(was, is, gone, come, removed, in)
}

// exchangeTested is the equation, tested by what has changed where that is possible.
func (p *Program) exchangeTested(s *scope, n *syntax.Op, x *expr) *expr {
	by := p.exchangedBy(s, n)
	if by == nil {
		return x
	}
	code := x.code
	x.code = func(r *Run, f *frame) value.Value {
		if holds, known := by.holds(r, f); known {
			return value.Truth(holds)
		}
		return code(r, f)
	}
	return x
}
