package eval

import "tracecheck/tlaplus/syntax"

// Through is what of the next-state relation leads to the definition of that name:
// its disjuncts that do. All of it, where it leads there in another way.
func (s *Spec) Through(name string) []Condition {
	var out []Condition
	for _, x := range s.next {
		p := pruner{p: s.Program, name: name, busy: map[*definition]bool{}}
		f := &Formula{x: x}
		_ = s.apart(func() {
			if at, n := p.prune(x.scope, x.syn); n != nil && len(s.next) == 1 {
				f = &Formula{x: s.compileIn(at, n)}
			}
		})
		out = append(out, Condition{Formula: f})
	}
	return out
}

// pruner leaves out the disjuncts that do not lead to a definition.
type pruner struct {
	p    *Program
	name string
	busy map[*definition]bool
}

// prune is the expression without them, in the scope in which it is to be compiled;
// nil where none does.
func (p *pruner) prune(s *scope, n syntax.Expr) (*scope, syntax.Expr) {
	switch n := n.(type) {
	case *syntax.Paren:
		return p.prune(s, n.Expr)
	case *syntax.Label:
		return p.prune(s, n.Expr)
	case *syntax.Junction:
		if n.Op == `\/` {
			return p.any(s, n.Span, n.Items)
		}
	case *syntax.Quant:
		if n.Kind == `\E` && len(n.Bounds) > 0 {
			at, body := p.prune(s, n.Body)
			if body == nil {
				return s, nil
			}
			return at, &syntax.Quant{Span: n.Span, Kind: n.Kind, Bounds: n.Bounds, Body: body}
		}
	case *syntax.Op:
		if len(n.Prefix) > 0 {
			break
		}
		if n.Name.Name == `\/` {
			return p.any(s, n.Span, n.Args)
		}
		if n.Name.Name == p.name {
			return s, n
		}
		d, ok := p.p.aliased(s.lookup(n.Name.Name)).(*definition)
		if !ok || builtins[n.Name.Name] != nil || d.fcn != nil || d.expr == nil || p.busy[d] {
			break
		}
		p.busy[d] = true
		at, body := p.prune(d.scope, d.expr)
		delete(p.busy, d)
		if body == nil {
			return s, nil
		}
		only := *d
		only.expr, only.scope, only.x, only.syn = body, at, nil, body
		only.pureKnown, only.keptKnown, only.usages = false, false, nil
		in := s.inner()
		in.names[n.Name.Name] = &only
		return in, n
	}
	if p.mentions(s, n, map[*definition]bool{}) {
		return s, n
	}
	return s, nil
}

// mentions reports whether the definition is used in the expression, or behind it.
func (p *pruner) mentions(s *scope, n syntax.Node, seen map[*definition]bool) bool {
	if op, ok := n.(*syntax.Op); ok {
		if op.Name.Name == p.name {
			return true
		}
		at := s
		for i := range op.Prefix {
			in, ok := at.find(op.Prefix[i].Name, i == 0).(*named)
			if !ok {
				return true // a piece of a definition
			}
			at = in.scope
		}
		if d, ok := p.p.aliased(at.find(op.Name.Name, len(op.Prefix) == 0)).(*definition); ok && d.expr != nil && !seen[d] {
			seen[d] = true
			if p.mentions(d.scope, d.expr, seen) {
				return true
			}
		}
	}
	found := false
	syntax.Children(n, func(c syntax.Node) { found = found || p.mentions(s, c, seen) })
	return found
}

func (p *pruner) any(s *scope, at syntax.Span, items []syntax.Expr) (*scope, syntax.Expr) {
	var kept []syntax.Expr
	for _, item := range items {
		in, n := p.prune(s, item)
		if n == nil {
			continue
		}
		kept = append(kept, n)
		s = in
	}
	switch len(kept) {
	case 0:
		return s, nil
	case 1:
		return s, kept[0]
	}
	return s, &syntax.Junction{Span: at, Op: `\/`, Items: kept}
}
