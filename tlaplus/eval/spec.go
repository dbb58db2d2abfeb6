package eval

import (
	"fmt"
	"maps"
	"slices"

	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Spec is a module with the cfg that selects its specification.
type Spec struct {
	*Program
	Invariants        []Predicate
	Constraints       []Predicate
	ActionConstraints []Predicate
	Postconditions    []Predicate
	Possible          []Predicate // of _POSSIBLE: whether it was TRUE at least once
	Properties        []*Property
	CheckDeadlock     bool

	init, next []*body // conjuncts
	progress   *body   // v of WF_v(Next); nil: the specification does not have it
	Fair       []Fairness
	unfair     []func() // fill Fair, or refuse what is no fairness, once a property depends on it
	view       *body
	perms      []map[value.Value]value.Value // of SYMMETRY
	expanded   int                           // definitions, in temporal formulas

	adds     map[int]*adds // of a variable, once it is looked for; nil: it is not known
	outlined *outline      // of next, once it is known
	guards   []*Action
}

// LoadSpec reads a module and its cfg, and evaluates the assumptions.
func LoadSpec(file string, cfg *config.Config, o Options) (s *Spec, err error) {
	p, err := Load(file, cfg, o)
	if err != nil {
		return nil, err
	}
	s = &Spec{Program: p}
	if cfg == nil {
		return s, p.NewRun().Assumptions()
	}
	if err := p.collect(func() { s.configured(cfg) }); err != nil {
		return nil, err
	}
	if o.Unassumed {
		return s, nil
	}
	r := p.NewRun()
	if err := r.Assumptions(); err != nil {
		return nil, err
	}
	p.assumed = r.regs
	if cfg.Symmetry != nil {
		x := s.named(*cfg.Symmetry)
		if err := r.protect(func() {
			set := value.Enumerate(x.code(r, x.frame(nil)))
			if set.Len() == 0 {
				value.Fail("the SYMMETRY %s is the empty set", cfg.Symmetry.Name)
			}
			s.perms = group(set)
		}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// configured takes over what the cfg has about the specification.
func (s *Spec) configured(cfg *config.Config) {
	for _, name := range slices.Sorted(maps.Keys(s.constants)) {
		if c, ok := s.root.scope.names[name].(*undefined); ok {
			s.problems = append(s.problems, &syntax.Error{File: s.root.syn.File, Span: c.at, Msg: fmt.Sprintf("the constant %s has no value: the cfg %s gives none", name, cfg.File)})
		}
	}
	for i := range cfg.Substitutions {
		s.note(func() { s.given(cfg.Substitutions[i].By) })
		s.note(func() { s.replaces(&cfg.Substitutions[i]) })
	}
	each := func(id *syntax.Ident, do func(id syntax.Ident)) {
		if id != nil {
			s.note(func() {
				s.given(*id)
				do(*id)
			})
		}
	}
	if cfg.Specification != nil {
		if cfg.Init != nil || cfg.Next != nil {
			s.note(func() {
				s.refuseGiven(cfg.Specification, "the cfg has INIT or NEXT beside SPECIFICATION: one of the two is possible")
			})
		}
		each(cfg.Specification, func(id syntax.Ident) { s.formula(s.root.scope, &syntax.Op{Span: id.Span, Name: id}) })
	} else {
		each(cfg.Init, func(id syntax.Ident) { s.init = append(s.init, s.named(id)) })
		each(cfg.Next, func(id syntax.Ident) { s.next = append(s.next, s.named(id)) })
	}
	s.Invariants = s.predicates("invariant", state, cfg.Invariants)
	s.Constraints = s.predicates("constraint", action, cfg.Constraints)
	s.ActionConstraints = s.predicates("action constraint", action, cfg.ActionConstraints)
	s.Postconditions = s.predicates("postcondition", action, cfg.Postconditions)
	s.possibles(cfg.Possible)
	s.CheckDeadlock = s.deadlock
	each(cfg.View, func(id syntax.Ident) { s.view = s.named(id) })
	each(cfg.Symmetry, func(syntax.Ident) {})
	for i := range cfg.Properties {
		each(&cfg.Properties[i], func(id syntax.Ident) { s.Properties = append(s.Properties, s.property(id)) })
	}
}

// frame is a frame for the expression.
func (b *body) frame(up *frame) *frame { return newFrame(b.fn.slots, up) }

func (s *Spec) named(id syntax.Ident) *body {
	return s.compileIn(s.scopeOf(id.Name), &syntax.Op{Span: id.Span, Name: id})
}

// predicates are formulas of at most a level.
func (s *Spec) predicates(what string, most level, ids []syntax.Ident) []Predicate {
	var list []Predicate
	for _, id := range ids {
		s.note(func() {
			s.given(id)
			x := s.named(id)
			if x.level > most {
				s.refuseGiven(&id, "the %s %s is of %s level: expected at most %s level", what, id.Name, x.level, most)
			}
			list = append(list, Predicate{Name: id.Name, x: x})
		})
	}
	return list
}

// formula takes a specification apart: its conjuncts of state level are Init, of
// [][N]_v N is Next; what asks for fairness is left out.
func (s *Spec) formula(at *scope, n syntax.Expr) {
	switch n := n.(type) {
	case *syntax.Paren:
		s.formula(at, n.Expr)
		return
	case *syntax.Label:
		s.formula(at, n.Expr)
		return
	case *syntax.Junction:
		if n.Op == `/\` {
			for _, item := range n.Items {
				s.formula(at, item)
			}
			return
		}
	case *syntax.Fair:
		s.fairness(at, n)
		return
	case *syntax.Op:
		if len(n.Prefix) == 0 {
			switch n.Name.Name {
			case `/\`:
				s.formula(at, n.Args[0])
				s.formula(at, n.Args[1])
				return
			case "[]":
				if a, ok := unparen(n.Args[0]).(*syntax.Action); ok && a.Square {
					if len(s.next) > 0 {
						at.refuse(n, "this is the specification's second conjunct of the form [][N]_v: write one with the conjunction of both N")
					}
					s.next = append(s.next, s.compileIn(at, a.Act))
					return
				}
				if _, let := unparen(n.Args[0]).(*syntax.Let); !let && s.compileIn(at, n.Args[0]).level <= state { // TLC does not look into a LET
					at.refuse(n, "a specification has no [] of a state predicate: name it as an INVARIANT in the cfg")
				}
				s.other(at, n)
				return
			case "<>", "~>", "-+->", "-+>":
				s.other(at, n)
				return
			}
		}
	}
	x := s.compileIn(at, n)
	if x.level < temporal {
		s.init = append(s.init, x)
		return
	}
	switch n := n.(type) {
	case *syntax.Op:
		if builtins[n.Name.Name] == nil || len(n.Prefix) > 0 {
			if in, body := s.expansion(at, n); body != nil {
				s.formula(in, body)
				return
			}
		}
	case *syntax.Let:
		if in := s.substituting(at, n); in != nil {
			s.formula(in, n.Body)
			return
		}
	case *syntax.Quant:
		s.fairEach(at, n)
		return
	}
	s.other(at, n)
}

// unparen is the expression without the parentheses and labels around it.
func unparen(n syntax.Expr) syntax.Expr {
	for {
		switch x := n.(type) {
		case *syntax.Paren:
			n = x.Expr
		case *syntax.Label:
			n = x.Expr
		default:
			return n
		}
	}
}

// Assumptions evaluates the ASSUMEs: an error names the first that is not TRUE.
func (r *Run) Assumptions() error {
	for _, a := range r.assumes {
		x := r.compileAt(a.s, a.expr, a.unit)
		if x.level > constant && r.extension != nil && r.extension.Version != nil { // a constant may change with the objects
			continue
		}
		at := a.s.place(a.expr)
		var v value.Value
		if err := r.protect(func() { v = x.code(r, x.frame(nil)) }); err != nil {
			return err
		}
		if v != value.True {
			text := r.text(x.expr)
			if a.name != "" {
				text = a.name + " == " + text
			}
			return &Error{at.String(), fmt.Sprintf("the assumption %s is not TRUE", text)}
		}
	}
	return nil
}

// Initial yields each initial state, as often as the text makes it.
func (s *Spec) Initial(r *Run, yield func(*State) bool) error {
	return r.protect(func() {
		r.cur, r.next, r.initial, r.settles = s.NewState(), nil, true, true
		s.conjunction(r, s.init, func() bool { return yield(s.complete(r.cur, "initial")) })
	})
}

// Successors yields each state that a step leads to, as often as the text makes
// it.
func (s *Spec) Successors(r *Run, from *State, yield func(*State) bool) error {
	return r.protect(func() {
		r.cur, r.next, r.initial, r.settles = from, s.NewState(), false, true
		s.conjunction(r, s.next, func() bool { return yield(s.complete(r.next, "next")) })
	})
}

func (s *Spec) conjunction(r *Run, list []*body, done func() bool) {
	k := &rest{done: done}
	for i := len(list) - 1; i >= 0; i-- {
		k = &rest{g: list[i].generate, f: list[i].frame(nil), up: k}
	}
	k.run(r)
}

// complete is a copy of a state that has been made.
func (s *Spec) complete(made *State, what string) *State {
	for i, v := range made.Vals {
		if v == nil {
			value.Fail("the %s state has no value for the variable %s", what, s.Variables[i])
		}
	}
	to := newState(len(made.Vals))
	copy(to.Vals, made.Vals)
	return to
}
