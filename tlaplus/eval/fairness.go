package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Fairness is WF_v(A) or SF_v(A), of another action than Next.
type Fairness struct {
	Strong  bool
	Step    Predicate // <<A>>_v
	Enabled Predicate // ENABLED <<A>>_v
}

// fairness takes over WF_v(A) and SF_v(A). WF_v(Next), behind [][Next]_v, needs no ENABLED.
func (s *Spec) fairness(at *scope, n *syntax.Fair) {
	if len(s.next) == 1 && s.progress == nil && !n.Strong {
		from, act := s.definitionOf(at, n.Act)
		_, next := s.definitionOf(s.next[0].scope, s.next[0].syn)
		if act == next && from != nil {
			s.progress = s.compileIn(at, n.Sub)
			return
		}
	}
	s.unfair = append(s.unfair, func() { s.fair(at, n) })
}

func (s *Spec) fair(at *scope, n *syntax.Fair) {
	step, enabled := taken(n)
	s.Fair = append(s.Fair, Fairness{n.Strong, Predicate{x: s.compileIn(at, step)}, Predicate{x: s.compileIn(at, enabled)}})
}

// taken is <<A>>_v, and ENABLED <<A>>_v, of WF_v(A) or SF_v(A).
func taken(n *syntax.Fair) (step, enabled syntax.Expr) {
	step = &syntax.Action{Span: n.Span, Act: n.Act, Sub: n.Sub}
	return step, &syntax.Op{Span: n.Span, Name: syntax.Ident{Span: n.Span, Name: "ENABLED"}, Args: []syntax.Expr{step}}
}

// fairEach takes over \A x \in S : F, where F asks for fairness, and S is constant.
func (s *Spec) fairEach(at *scope, n *syntax.Quant) {
	if n.Kind != `\A` || !onlyFair(n.Body) {
		s.other(at, n)
		return
	}
	s.unfair = append(s.unfair, func() {
		elems, ok := s.elements(at, n)
		if !ok {
			s.refuseFair(at, n)
		}
		for _, in := range elems {
			s.formula(in, n.Body)
		}
	})
}

// definitionOf is the expression that the names denote.
func (s *Spec) definitionOf(at *scope, n syntax.Expr) (*scope, syntax.Expr) {
	for {
		n = unparen(n)
		op, ok := n.(*syntax.Op)
		if !ok || len(op.Args) > 0 || builtins[op.Name.Name] != nil {
			return at, n
		}
		d, ok := s.resolve(at, op).sym.(*definition)
		if !ok || d.fcn != nil {
			return at, n
		}
		at, n = d.scope, d.expr
	}
}

// other notes a conjunct of the specification that is about what never ends. It
// matters only where a property is about that, too.
func (s *Spec) other(at *scope, n syntax.Node) {
	s.unfair = append(s.unfair, func() { s.refuseFair(at, n) })
}

func (s *Spec) refuseFair(at *scope, n syntax.Node) {
	at.refuse(n, "this part of the specification is not judged, and a property may depend on it: WF_v(A) and SF_v(A) are supported, for each element of a constant set, too")
}

// MayStop reports whether WF_v(Next) does not keep a behaviour from stopping: the
// specification does not have it.
func (s *Spec) MayStop() bool { return s.progress == nil }

// Progresses reports whether a step changes v of WF_v(Next).
func (s *Spec) Progresses(r *Run, from, to *State) (does bool, err error) {
	err = r.protect(func() {
		r.initial, r.next = false, nil
		r.cur = from
		was := s.progress.code(r, s.progress.frame(nil))
		r.cur = to
		does = !value.Equal(was, s.progress.code(r, s.progress.frame(nil)))
	})
	return does, err
}
