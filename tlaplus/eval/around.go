package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
)

// remembering is a quantifier with that body as one whose outcomes can be remembered,
// nil where they cannot. first is the number of slots when its compilation began: later
// ones are of names in it.
func (p *Program) remembering(in *scope, body syntax.Expr, list []binding, first int) *quantifier {
	q := &quantifier{list: list, short: p.isShort(in, body)}
	for i := range list {
		q.slots = append(q.slots, list[i].slots...)
	}
	w := outerNames{q: q, fn: in.fn, first: first, seen: map[*definition]bool{}}
	w.walk(in, body)
	if w.unknown {
		return nil
	}
	return q
}

// shortOps are operators whose application takes little time.
var shortOps = map[string]bool{
	"=": true, "#": true, "/=": true, `\in`: true, `\notin`: true, "<": true, ">": true, "=<": true, "<=": true, ">=": true, "+": true, "-": true, "%": true,
	`/\`: true, `\/`: true, "=>": true, "<=>": true, "~": true, "TRUE": true, "FALSE": true,
}

// isShort reports whether an expression only compares the values of names, or parts
// of that.
func (p *Program) isShort(s *scope, n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Paren, *syntax.Junction, *syntax.FcnApply, *syntax.Dot, *syntax.Number, *syntax.String, *syntax.Ident:
	case *syntax.Op:
		if len(n.Prefix) > 0 {
			return false
		}
		if shortOps[n.Name.Name] {
			break
		}
		switch sym := p.aliased(s.lookup(n.Name.Name)).(type) {
		case *local, *variable:
		case *definition:
			if len(sym.params) > 0 || sym.fcn != nil || sym.body().level != constant {
				return false
			}
		default:
			return false
		}
		if len(n.Args) > 0 {
			return false
		}
	default:
		return false
	}
	short := true
	syntax.Children(n, func(c syntax.Node) { short = short && p.isShort(s, c) })
	return short
}

// outerNames finds the names around a quantifier that its body may read.
type outerNames struct {
	q       *quantifier
	fn      *function
	first   int
	seen    map[*definition]bool
	unknown bool
}

func (w *outerNames) walk(s *scope, n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Instance:
		w.unknown = true
	case *syntax.At:
		w.name(s, s.lookup("@"))
	case *syntax.Op:
		at := s
		for i := range n.Prefix {
			in, ok := at.find(n.Prefix[i].Name, i == 0).(*named)
			if !ok || in.at != nil {
				w.unknown = true
				return
			}
			at = in.scope
		}
		if len(n.Prefix) == 0 {
			w.name(s, s.lookup(n.Name.Name))
		}
	}
	syntax.Children(n, func(c syntax.Node) { w.walk(s, c) })
}

func (w *outerNames) name(s *scope, sym symbol) {
	switch sym := sym.(type) {
	case *local:
		hops := 0
		for fn := w.fn; fn != sym.fn; fn = fn.up {
			if hops++; fn.up == nil {
				return // of a definition that is called
			}
		}
		if at := (outerName{hops, sym.slot}); (hops > 0 || sym.slot < w.first) && !slices.Contains(w.q.outer, at) {
			w.q.outer = append(w.q.outer, at)
		}
	case *definition:
		if sym.scope.fn == nil || w.seen[sym] {
			return // at a module's level: it reads its arguments
		}
		w.seen[sym] = true
		if sym.scope.mod != s.mod {
			w.unknown = true
			return
		}
		if sym.fcn != nil {
			w.walk(sym.scope, sym.fcn)
		} else {
			w.walk(sym.scope, sym.expr)
		}
	}
}
