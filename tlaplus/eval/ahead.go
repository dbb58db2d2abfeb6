package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// A short body is gone through for all elements, and mostly reads the same parts of the
// state: of each path, what comes before the quantifier's names. These are noted before,
// and nothing while the body is evaluated.

// prefix is a path that a body reads, as far as it is known before.
type prefix struct {
	variable int
	steps    []*expr
}

// prefixes finds what a short body reads.
func (p *Program) prefixes(s *scope, n syntax.Node, q *quantifier) {
	if x, ok := n.(syntax.Expr); ok {
		if of, args := p.chain(s, x); of != nil {
			at := prefix{variable: of.n}
			for _, arg := range args {
				if !p.before(s, arg, q) {
					break
				}
				at.steps = append(at.steps, p.expr(s, arg))
			}
			q.reads = append(q.reads, at)
			for _, arg := range args {
				p.prefixes(s, arg, q)
			}
			return
		}
	}
	syntax.Children(n, func(c syntax.Node) { p.prefixes(s, c, q) })
}

// chain is the variable that an expression leads from, by these steps; nil: none.
func (p *Program) chain(s *scope, n syntax.Expr) (of *variable, steps []syntax.Expr) {
	switch n := n.(type) {
	case *syntax.Paren:
		return p.chain(s, n.Expr)
	case *syntax.Dot:
		of, steps = p.chain(s, n.Rec)
		return of, append(steps, &syntax.String{Span: n.Field.Span, Value: n.Field.Name})
	case *syntax.FcnApply:
		of, steps = p.chain(s, n.Fcn)
		if len(n.Args) > 1 {
			return of, append(steps, &syntax.Tuple{Span: n.Span, Items: n.Args})
		}
		return of, append(steps, n.Args[0])
	case *syntax.Op:
		if len(n.Args) == 0 && len(n.Prefix) == 0 {
			of, _ = p.aliased(s.lookup(n.Name.Name)).(*variable)
		}
	}
	return of, nil
}

// before reports whether a step is known before the quantifier's names are: a literal, or
// a name around it.
func (p *Program) before(s *scope, n syntax.Expr, q *quantifier) bool {
	switch n := n.(type) {
	case *syntax.Number, *syntax.String:
		return true
	case *syntax.Op:
		if len(n.Args) > 0 || len(n.Prefix) > 0 || builtins[n.Name.Name] != nil {
			return false
		}
		l, ok := s.lookup(n.Name.Name).(*local)
		return ok && (l.fn != s.fn || !slices.Contains(q.slots, l.slot))
	}
	return false
}

// noteAhead notes the paths, as far as they lead to something.
func (o *outcome) noteAhead(r *Run, f *frame, reads []prefix) {
	var space [4]value.Value
	for i := range reads {
		of := &reads[i]
		v, steps := r.cur.Vals[of.variable], space[:0]
		if v == nil {
			continue // to read it is an error
		}
		for _, x := range of.steps {
			step := x.code(r, f)
			part, ok := value.Part(v, step)
			if !ok {
				break
			}
			v, steps = part, append(steps, step)
		}
		o.noteRange(r, of.variable, steps)
	}
}
