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
	Always  []Predicate    // the same, where P asks TLC about the search
	Once    [][2]Predicate // A and B of [](A => []B)
	Live    []Liveness
	Fair    string // where it asks for fairness, which is not judged; "": nowhere
}

// Liveness is what each fair behaviour has to come to.
type Liveness struct {
	Form Form
	P    Predicate
	From *Predicate // P of P ~> Q, whose Q is the other one
}

// Form is the form of a Liveness.
type Form int8

// The forms.
const (
	Once   Form = iota // <>P, or From ~> P
	Again              // []<>P
	Always             // <>[]P
)

func (s *Spec) property(id syntax.Ident) *Property {
	p := &Property{Name: id.Name}
	s.judgeable(p, s.root.scope, &syntax.Op{Span: id.Span, Name: id})
	return p
}

func (s *Spec) predicate(name string, at *scope, n syntax.Expr) Predicate {
	x := s.compileIn(at, n)
	if x.level > state {
		at.refuse(n, "this form of temporal property is not supported: [][A]_v, []P, [](P => []Q), <>[]P, []<>P, <>P and P ~> Q are")
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
	case *syntax.Fair:
		p.Fair = at.place(n).String()
		return
	case *syntax.Op:
		if s.judgeableOp(p, at, n) {
			return
		}
	case *syntax.Quant:
		if x := s.compileIn(at, n); x.level == temporal && onlyFair(n.Body) {
			p.Fair = at.place(n).String()
			return
		}
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
			s.always(p, at, unparen(n.Args[0]))
			return true
		case "<>":
			form, in := Once, unparen(n.Args[0])
			if op, ok := in.(*syntax.Op); ok && op.Name.Name == "[]" {
				form, in = Always, unparen(op.Args[0])
			}
			s.live(p, n, Liveness{Form: form, P: s.predicate(p.Name, at, in)})
			return true
		case "~":
			if in, ok := unparen(n.Args[0]).(*syntax.Op); ok && len(in.Args) == 1 && (in.Name.Name == "<>" || in.Name.Name == "[]") {
				other := map[string]string{"<>": "[]", "[]": "<>"}[in.Name.Name]
				not := &syntax.Op{Span: n.Span, Name: n.Name, Args: in.Args}
				return s.judgeableOp(p, at, &syntax.Op{Span: n.Span, Name: syntax.Ident{Span: n.Span, Name: other}, Args: []syntax.Expr{not}})
			}
		case "~>":
			s.leads(p, at, n, n.Args[0], n.Args[1])
			return true
		case "-+->", "-+>":
			at.refuse(n, "the temporal operator %s is not supported", n.Name.Name)
		}
		if builtins[n.Name.Name] != nil {
			return false
		}
	}
	if len(n.Args) > 0 {
		return false
	}
	d, ok := s.resolve(at, n).sym.(*definition)
	if ok && d.scope.fn != nil {
		d = s.instanceOf(at, n)
	}
	if !ok || d == nil || len(d.params) > 0 || d.scope.fn != nil || d.fcn != nil {
		return false
	}
	if d.body().level == temporal {
		s.judgeable(p, d.scope, d.expr)
		return true
	}
	return false
}

func (s *Spec) always(p *Property, at *scope, n syntax.Expr) {
	if a, ok := n.(*syntax.Action); ok && a.Square {
		p.Steps = append(p.Steps, Predicate{Name: p.Name, x: s.compileIn(at, a), act: a.Act, in: at})
		return
	}
	if op, ok := n.(*syntax.Op); ok && len(op.Prefix) == 0 {
		switch op.Name.Name {
		case "<>":
			s.live(p, op, Liveness{Form: Again, P: s.predicate(p.Name, at, unparen(op.Args[0]))})
			return
		case "=>":
			then, ok := unparen(op.Args[1]).(*syntax.Op)
			if ok && then.Name.Name == "[]" {
				p.Once = append(p.Once, [2]Predicate{s.predicate(p.Name, at, op.Args[0]), s.predicate(p.Name, at, unparen(then.Args[0]))})
				return
			}
			if ok && then.Name.Name == "<>" {
				s.leads(p, at, op, op.Args[0], unparen(then.Args[0]))
				return
			}
		}
	}
	holds := s.predicate(p.Name, at, n)
	if _, ofVariables := s.readsOf(holds.x); ofVariables {
		p.States = append(p.States, holds)
	} else {
		p.Always = append(p.Always, holds)
	}
}

// leads is from ~> to.
func (s *Spec) leads(p *Property, at *scope, n *syntax.Op, from, to syntax.Expr) {
	first := s.predicate(p.Name, at, from)
	s.live(p, n, Liveness{Form: Once, P: s.predicate(p.Name, at, to), From: &first})
}

// live adds what each fair behaviour has to come to. What is fair has to be known.
func (s *Spec) live(p *Property, n syntax.Node, l Liveness) {
	for len(s.unfair) > 0 {
		list := s.unfair
		s.unfair = nil
		for _, fill := range list {
			fill()
		}
	}
	p.Live = append(p.Live, l)
}
