package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Temporal is a temporal formula in positive form: a negation is in its leaves only.
type Temporal struct {
	Op  TemporalOp
	Of  []*Temporal // operands
	P   *Predicate  // of a leaf
	Not bool        // a leaf is the predicate's negation
}

// TemporalOp is what a Temporal is.
type TemporalOp int8

// The leaves and the operators.
const (
	StateLeaf TemporalOp = iota
	StepLeaf
	Conjunction
	Disjunction
	Always     // []
	Eventually // <>
)

// Liveness is what each fair behaviour has to come to.
type Liveness struct {
	Broken *Temporal // by a behaviour with this
	Fair   bool      // it only asks for fairness
	at     *place
}

// Place is where the formula is: file:line:column.
func (l *Liveness) Place() string { return l.at.String() }

// live adds what each fair behaviour has to come to. What is fair has to be known.
func (s *Spec) live(p *Property, at *scope, n syntax.Expr) {
	for len(s.unfair) > 0 {
		list := s.unfair
		s.unfair = nil
		for _, fill := range list {
			fill()
		}
	}
	broken := s.negated(p.Name, at, n)
	if !broken.classified() {
		at.refuse(n, "a temporal formula may have an action only in []<><<A>>_v and <>[][A]_v, and in WF_v(A) and SF_v(A)")
	}
	p.Live = append(p.Live, Liveness{Broken: broken, Fair: onlyFair(n), at: at.place(n)})
}

// classified reports whether TLC can judge the formula: actions are in <>[]A or []<>A only.
func (t *Temporal) classified() bool {
	switch t.Op {
	case Conjunction, Disjunction:
		return !slices.ContainsFunc(t.Of, func(of *Temporal) bool { return !of.classified() })
	case Always, Eventually:
		in := t.inner()
		return in.Op+t.Op == Always+Eventually && !in.inner().has(Always, Eventually) || !t.has(StepLeaf)
	}
	return t.Op != StepLeaf
}

// inner is what is below an operator, repeated as it may be.
func (t *Temporal) inner() *Temporal {
	in := t.Of[0]
	for in.Op == t.Op {
		in = in.Of[0]
	}
	return in
}

func (t *Temporal) has(ops ...TemporalOp) bool {
	return slices.Contains(ops, t.Op) || slices.ContainsFunc(t.Of, func(of *Temporal) bool { return of.has(ops...) })
}

// formulas makes the formulas of a property.
type formulas struct {
	*Spec
	name string
}

func (s *Spec) negated(name string, at *scope, n syntax.Expr) *Temporal {
	return formulas{s, name}.of(at, n, true)
}

// of is the formula, or its negation.
func (s formulas) of(at *scope, n syntax.Expr, not bool) *Temporal {
	switch n := n.(type) {
	case *syntax.Paren:
		return s.of(at, n.Expr, not)
	case *syntax.Label:
		return s.of(at, n.Expr, not)
	case *syntax.Action:
		return s.leaf(StepLeaf, at, n, not)
	case *syntax.Fair:
		return s.fairness(at, n, not)
	}
	x := s.compileIn(at, n)
	if x.level <= state {
		return s.leaf(StateLeaf, at, n, not)
	}
	var list []*Temporal
	add := func(at *scope, n syntax.Expr, not bool) { list = append(list, s.of(at, n, not)) }
	switch n := n.(type) {
	case *syntax.Junction:
		for _, item := range n.Items {
			add(at, item, not)
		}
		return connected(n.Op == `/\`, not, list)
	case *syntax.If:
		for i, branch := range []syntax.Expr{n.Then, n.Else} {
			list = append(list, connected(false, not, []*Temporal{s.of(at, n.Cond, not == (i == 1)), s.of(at, branch, not)}))
		}
		return connected(true, not, list)
	case *syntax.Quant:
		elems, ok := s.elements(at, n)
		if !ok {
			break
		}
		for _, in := range elems {
			add(in, n.Body, not)
		}
		return connected(n.Kind == `\A`, not, list)
	case *syntax.Let:
		if in := s.substituting(at, n); in != nil {
			return s.of(in, n.Body, not)
		}
	case *syntax.Op:
		if f := s.operator(at, n, not); f != nil {
			return f
		}
	}
	at.refuse(n, "this form of temporal formula is not supported: conjunctions, disjunctions, ~, =>, IF, LET, [], <>, ~>, WF, SF, and quantifiers over constant sets are")
	return nil
}

func (s formulas) operator(at *scope, n *syntax.Op, not bool) *Temporal {
	if len(n.Prefix) == 0 {
		arg := func(i int, not bool) *Temporal { return s.of(at, n.Args[i], not) }
		switch n.Name.Name {
		case `/\`, `\/`:
			return connected(n.Name.Name == `/\`, not, []*Temporal{arg(0, not), arg(1, not)})
		case "=>":
			return connected(false, not, []*Temporal{arg(0, !not), arg(1, not)})
		case "~":
			return arg(0, !not)
		case "[]":
			return timed(Always, not, arg(0, not))
		case "<>":
			return timed(Eventually, not, arg(0, not))
		case "~>":
			then := timed(Eventually, not, arg(1, not))
			return timed(Always, not, connected(false, not, []*Temporal{arg(0, !not), then}))
		case "-+->", "-+>":
			at.refuse(n, "the temporal operator %s is not supported", n.Name.Name)
		}
		if builtins[n.Name.Name] != nil {
			return nil
		}
	}
	if in, body := s.expansion(at, n); body != nil {
		return s.of(in, body, not)
	}
	return nil
}

// expansion is the body of the definition that is applied, in a scope where the parameters
// mean the arguments; nil: that is not known.
func (s *Spec) expansion(at *scope, n *syntax.Op) (*scope, syntax.Expr) {
	d, ok := s.resolve(at, n).sym.(*definition)
	if ok && d.scope.fn != nil {
		d = s.instanceOf(at, n)
	}
	if !ok || d == nil || d.scope.fn != nil || d.fcn != nil || len(d.params) != len(n.Args) || d.body().level < action && len(n.Args) == 0 {
		return nil, nil
	}
	if s.expanded++; s.expanded > mostExpanded {
		at.refuse(n, "the temporal formulas of the cfg apply more than %d definitions: one of them may be RECURSIVE, which is not supported", mostExpanded)
	}
	in := d.scope.inner()
	for i, prm := range d.params {
		in.names[prm.Name] = s.substitution(at, &syntax.Subst{Name: prm.Ident, Expr: n.Args[i]})
	}
	return in, d.expr
}

// mostExpanded is how many definitions are expanded.
const mostExpanded = 10_000

// substituting is a scope with the definitions of a LET; nil: it has others than operators.
func (s *Spec) substituting(at *scope, n *syntax.Let) *scope {
	for _, u := range n.Defs {
		d, ok := u.(*syntax.OpDef)
		if !ok {
			return nil
		}
		in := at.inner()
		in.names[d.Name.Name] = &definition{p: s.Program, name: d.Name.Name, syn: d, params: d.Params, expr: d.Body, scope: at}
		at = in
	}
	return at
}

// fairness is WF_v(A), which is []<>(~ENABLED <<A>>_v \/ <<A>>_v), or SF_v(A), which is
// <>[]~ENABLED <<A>>_v \/ []<><<A>>_v.
func (s formulas) fairness(at *scope, n *syntax.Fair, not bool) *Temporal {
	step, enabled := taken(n)
	takes, disabled := s.leaf(StepLeaf, at, step, not), s.leaf(StateLeaf, at, enabled, !not)
	if n.Strong {
		return connected(false, not, []*Temporal{timed(Eventually, not, timed(Always, not, disabled)), timed(Always, not, timed(Eventually, not, takes))})
	}
	return timed(Always, not, timed(Eventually, not, connected(false, not, []*Temporal{disabled, takes})))
}

func (s formulas) leaf(op TemporalOp, at *scope, n syntax.Expr, not bool) *Temporal {
	return &Temporal{Op: op, Not: not, P: &Predicate{Name: s.name, x: s.compileIn(at, n)}}
}

// connected is the conjunction of what may be negated, or the disjunction.
func connected(conjunction, not bool, list []*Temporal) *Temporal {
	if conjunction != not {
		return &Temporal{Op: Conjunction, Of: list}
	}
	return &Temporal{Op: Disjunction, Of: list}
}

func timed(op TemporalOp, not bool, of *Temporal) *Temporal {
	if not {
		op = Always + Eventually - op
	}
	return &Temporal{Op: op, Of: []*Temporal{of}}
}

// elements is a scope for each choice of the bound names of a quantifier over constant sets.
func (s *Spec) elements(at *scope, n *syntax.Quant) (todo []*scope, ok bool) {
	if len(n.Names) > 0 {
		return nil, false
	}
	todo = []*scope{at}
	for _, b := range n.Bounds {
		set, r := s.compileIn(at, b.Set), s.NewRun()
		if set.level > constant {
			return nil, false
		}
		var elems []value.Value
		if r.protect(func() { elems = value.Enumerate(set.code(r, set.frame(nil))).Elems() }) != nil {
			return nil, false
		}
		each := func(bind func(names map[string]symbol, e value.Value)) {
			var next []*scope
			for _, in := range todo {
				for _, e := range elems {
					in := in.inner()
					bind(in.names, e)
					next = append(next, in)
				}
			}
			todo = next
		}
		if b.Tuple {
			each(func(names map[string]symbol, e value.Value) {
				t, is := e.(*value.Tuple)
				if !is || len(t.Elems) != len(b.Names) {
					s.refuseBound(at, n, e)
				}
				for i, name := range b.Names {
					names[name.Name] = fixed(name.Name, t.Elems[i])
				}
			})
			continue
		}
		for _, name := range b.Names {
			each(func(names map[string]symbol, e value.Value) { names[name.Name] = fixed(name.Name, e) })
		}
	}
	return todo, true
}

func (s *Spec) refuseBound(at *scope, n *syntax.Quant, e value.Value) {
	at.refuse(n, "%s is not a tuple of as many elements as the bound names are", value.Show(e))
}
