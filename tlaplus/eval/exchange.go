package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// {IF t \in D THEN e ELSE t : t \in S} is S, but for the elements of D: only these are
// gone through, where D is a subset of S.

// exchange is such an expression.
type exchange struct {
	of   *expr // D
	at   *place
	then *expr
}

// exchange returns what a set's expression exchanges; nil where it is not of that kind.
func (p *Program) exchange(s, in *scope, n *syntax.SetMap) *exchange {
	if p.without&Exchanges != 0 || len(n.Bounds) != 1 || n.Bounds[0].Tuple || len(n.Bounds[0].Names) != 1 {
		return nil
	}
	name := n.Bounds[0].Names[0].Name
	choice, ok := unparen(n.Expr).(*syntax.If)
	if !ok || !isName(choice.Else, name) {
		return nil
	}
	cond, ok := unparen(choice.Cond).(*syntax.Op)
	if !ok || len(cond.Prefix) > 0 || cond.Name.Name != `\in` || !isName(cond.Args[0], name) || mentionsName(cond.Args[1], name) {
		return nil
	}
	r := reader{p: p, vars: map[int]bool{}, seen: map[*definition]bool{}}
	if r.walk(s, cond.Args[1]); r.any {
		return nil
	}
	return &exchange{of: p.expr(in, cond.Args[1]), at: s.place(cond), then: p.expr(in, choice.Then)}
}

func isName(n syntax.Expr, name string) bool {
	op, ok := unparen(n).(*syntax.Op)
	return ok && len(op.Args) == 0 && len(op.Prefix) == 0 && op.Name.Name == name
}

func mentionsName(n syntax.Node, name string) bool {
	if op, ok := n.(*syntax.Op); ok && op.Name.Name == name {
		return true
	}
	found := false
	syntax.Children(n, func(c syntax.Node) { found = found || mentionsName(c, name) })
	return found
}

// mostExchanged is how many elements are exchanged one by one.
const mostExchanged = 16

// value is the set with its elements exchanged; nil where all of them have to be gone
// through.
func (x *exchange) value(r *Run, f *frame, b *binding, set value.Value, at *place) value.Value {
	s, ok := set.(*value.Set)
	if !ok || s.Len() == 0 {
		return nil
	}
	b.assign(r, f, s.At(0))
	of, ok := x.of.code(r, f).(*value.Set)
	if !ok || of.Len() > mostExchanged {
		return nil
	}
	places := s.Places(of)
	if places == nil {
		return nil
	}
	to := make([]value.Value, len(places))
	for i, place := range places {
		b.assign(r, f, s.At(place))
		r.spend()
		to[i] = x.then.code(r, f)
	}
	r.at = at
	return s.Exchange(places, to)
}
