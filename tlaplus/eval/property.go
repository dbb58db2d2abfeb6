package eval

import (
	"tracecheck/tlaplus/syntax"
)

// Property is a PROPERTY of the cfg, as far as it can be judged on a graph of
// states: a conjunction of what holds at the beginning, of each step, and of the
// forms below.
type Property struct {
	Name    string
	Initial []Predicate
	Steps   []Predicate    // A \/ UNCHANGED v of each [][A]_v
	States  []Predicate    // P of []P
	Once    [][2]Predicate // A and B of [](A => []B)
	Live    []Liveness
}

func (s *Spec) property(id syntax.Ident) *Property {
	p := &Property{Name: id.Name}
	s.judgeable(p, s.scopeOf(id.Name), &syntax.Op{Span: id.Span, Name: id})
	return p
}

func (s *Spec) predicate(name string, at *scope, n syntax.Expr) Predicate {
	x := s.compileIn(at, n)
	if x.level > state {
		at.refuse(n, "this is of %s level: expected at most state level", x.level)
	}
	return Predicate{Name: name, x: x}
}

// judgeable takes a property apart.
func (s *Spec) judgeable(p *Property, at *scope, n syntax.Expr) {
	switch n := n.(type) {
	case *syntax.Paren:
		s.judgeable(p, at, n.Expr)
		return
	case *syntax.Label:
		s.judgeable(p, at, n.Expr)
		return
	case *syntax.Junction:
		if n.Op == `/\` {
			for _, item := range n.Items {
				s.judgeable(p, at, item)
			}
			return
		}
	case *syntax.Op:
		if s.judgeableOp(p, at, n) {
			return
		}
	case *syntax.Quant:
		if n.Kind == `\A` && s.compileIn(at, n).level == temporal {
			if elems, ok := s.elements(at, n); ok {
				for _, in := range elems {
					s.judgeable(p, in, n.Body)
				}
				return
			}
		}
	case *syntax.Let:
		if s.compileIn(at, n).level == temporal {
			if in := s.substituting(at, n); in != nil {
				s.judgeable(p, in, n.Body)
				return
			}
		}
	}
	if s.compileIn(at, n).level == temporal {
		s.live(p, at, n)
		return
	}
	p.Initial = append(p.Initial, s.predicate(p.Name, at, n))
}

// onlyFair reports whether a formula only asks for fairness.
func onlyFair(n syntax.Expr) bool {
	switch n := unparen(n).(type) {
	case *syntax.Fair:
		return true
	case *syntax.Junction:
		for _, item := range n.Items {
			if !onlyFair(item) {
				return false
			}
		}
		return n.Op == `/\`
	case *syntax.Quant:
		return n.Kind == `\A` && onlyFair(n.Body)
	case *syntax.Op:
		return n.Name.Name == `/\` && onlyFair(n.Args[0]) && onlyFair(n.Args[1])
	}
	return false
}

func (s *Spec) judgeableOp(p *Property, at *scope, n *syntax.Op) bool {
	if len(n.Prefix) == 0 {
		switch n.Name.Name {
		case `/\`:
			s.judgeable(p, at, n.Args[0])
			s.judgeable(p, at, n.Args[1])
			return true
		case "[]":
			return s.always(p, at, unparen(n.Args[0]))
		case "~":
			if in, ok := unparen(n.Args[0]).(*syntax.Op); ok && len(in.Args) == 1 && (in.Name.Name == "<>" || in.Name.Name == "[]") {
				other := map[string]string{"<>": "[]", "[]": "<>"}[in.Name.Name]
				not := &syntax.Op{Span: n.Span, Name: n.Name, Args: in.Args}
				return s.judgeableOp(p, at, &syntax.Op{Span: n.Span, Name: syntax.Ident{Span: n.Span, Name: other}, Args: []syntax.Expr{not}})
			}
		}
		if builtins[n.Name.Name] != nil {
			return false
		}
	}
	if s.compileIn(at, n).level < temporal {
		return false
	}
	in, body := s.expansion(at, n)
	if body != nil {
		s.judgeable(p, in, body)
	}
	return body != nil
}

// always takes []F apart, and reports whether it can be judged as the states are found.
func (s *Spec) always(p *Property, at *scope, n syntax.Expr) bool {
	if a, ok := n.(*syntax.Action); ok && a.Square {
		p.Steps = append(p.Steps, Predicate{Name: p.Name, x: s.compileIn(at, a), act: a.Act, in: at})
		return true
	}
	if op, ok := n.(*syntax.Op); ok && op.Name.Name == "=>" {
		if then, ok := unparen(op.Args[1]).(*syntax.Op); ok && then.Name.Name == "[]" {
			once := [2]Predicate{{Name: p.Name, x: s.compileIn(at, op.Args[0])}, {Name: p.Name, x: s.compileIn(at, unparen(then.Args[0]))}}
			if max(once[0].x.level, once[1].x.level) <= state {
				p.Once = append(p.Once, once)
				return true
			}
		}
	}
	if s.compileIn(at, n).level == temporal {
		return false
	}
	p.States = append(p.States, s.predicate(p.Name, at, n))
	return true
}
