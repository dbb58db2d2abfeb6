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
	Properties        []*Property
	CheckDeadlock     bool

	init, next []*body // conjuncts
	progress   *body   // v of WF_v(Next); nil: the specification does not have it
	Fair       []Fairness
	unfair     []func() // fill Fair, or refuse what is no fairness, once a property depends on it
	view       *body
	perms      []map[value.Value]value.Value // of SYMMETRY

	adds     map[int]*adds // of a variable, once it is looked for; nil: it is not known
	outlined *outline      // of next, once it is known
	guards   []*Action
}

// Predicate is a formula with its name.
type Predicate struct {
	Name string
	x    *body

	act syntax.Expr // A of [A]_v
	in  *scope

	vars   []int // that it reads, once that is known
	always bool  // it may read more
	known  bool

	last *outcome // of HoldsAgain
	at   *place   // the same
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
	s.CheckDeadlock = cfg.CheckDeadlock == nil || cfg.CheckDeadlock.Check
	each(cfg.View, func(id syntax.Ident) { s.view = s.named(id) })
	each(cfg.Symmetry, func(syntax.Ident) {})
	for i := range cfg.Properties {
		each(&cfg.Properties[i], func(id syntax.Ident) { s.Properties = append(s.Properties, s.property(id)) })
	}
}

// frame is a frame for the expression.
func (b *body) frame(up *frame) *frame { return newFrame(b.fn.slots, up) }

func (s *Spec) named(id syntax.Ident) *body {
	return s.compileIn(s.root.scope, &syntax.Op{Span: id.Span, Name: id})
}

// predicates are formulas of at most a level.
func (s *Spec) predicates(what string, most level, ids []syntax.Ident) []Predicate {
	var list []Predicate
	for _, id := range ids {
		s.note(func() {
			s.given(id)
			x := s.named(id)
			if x.level > most {
				s.refuseGiven(&id, "the %s %s is of %s level: %s level is what it may have", what, id.Name, x.level, most)
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
					s.next = append(s.next, s.compileIn(at, a.Act))
					return
				}
				s.other(at, n)
				return
			case "<>", "~>", "-+->", "-+>":
				s.other(at, n)
				return
			}
		}
		if builtins[n.Name.Name] == nil && len(n.Args) == 0 {
			if d, ok := s.resolve(at, n).sym.(*definition); ok && len(d.params) == 0 && d.scope.fn == nil && d.body().level == temporal {
				s.formula(d.scope, d.expr)
				return
			}
		}
	case *syntax.Quant:
		if s.compileIn(at, n).level == temporal {
			s.fairEach(at, n)
			return
		}
	}
	x := s.compileIn(at, n)
	if x.level == temporal {
		s.other(at, n)
		return
	}
	s.init = append(s.init, x)
}

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
	step := &syntax.Action{Span: n.Span, Act: n.Act, Sub: n.Sub}
	enabled := &syntax.Op{Span: n.Span, Name: syntax.Ident{Span: n.Span, Name: "ENABLED"}, Args: []syntax.Expr{step}}
	s.Fair = append(s.Fair, Fairness{n.Strong, Predicate{x: s.compileIn(at, step)}, Predicate{x: s.compileIn(at, enabled)}})
}

// fairEach takes over \A x \in S : F, where F asks for fairness, and S is constant.
func (s *Spec) fairEach(at *scope, n *syntax.Quant) {
	if n.Kind != `\A` || len(n.Names) > 0 || !onlyFair(n.Body) {
		s.other(at, n)
		return
	}
	s.unfair = append(s.unfair, func() {
		todo := []*scope{at}
		for _, b := range n.Bounds {
			set, r := s.compileIn(at, b.Set), s.NewRun()
			if b.Tuple || set.level > constant {
				s.refuseFair(at, n)
			}
			var elems []value.Value
			if err := r.protect(func() { elems = value.Enumerate(set.code(r, set.frame(nil))).Elems() }); err != nil {
				s.refuseFair(at, n)
			}
			for _, name := range b.Names {
				var next []*scope
				for _, in := range todo {
					for _, e := range elems {
						in := in.inner()
						in.names[name.Name] = fixed(name.Name, e)
						next = append(next, in)
					}
				}
				todo = next
			}
		}
		for _, in := range todo {
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

func unparen(n syntax.Expr) syntax.Expr {
	for {
		p, ok := n.(*syntax.Paren)
		if !ok {
			return n
		}
		n = p.Expr
	}
}

// Assumptions evaluates the ASSUMEs: an error names the first that is not TRUE.
func (r *Run) Assumptions() error {
	for _, a := range r.assumes {
		x := r.compileAt(a.s, a.expr, a.unit)
		if x.level == temporal || x.level > constant && r.extension != nil { // an extension gives a constant more than one value
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
		r.cur, r.next, r.initial = s.NewState(), nil, true
		s.conjunction(r, s.init, func() bool { return yield(s.complete(r.cur, "initial")) })
	})
}

// Successors yields each state that a step leads to, as often as the text makes
// it.
func (s *Spec) Successors(r *Run, from *State, yield func(*State) bool) error {
	return r.protect(func() {
		r.cur, r.next, r.initial = from, s.NewState(), false
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

// Place is where the predicate's definition is: file:line:column.
func (p *Predicate) Place() string {
	if op, ok := p.x.syn.(*syntax.Op); ok && len(op.Args) == 0 {
		if d, ok := p.x.scope.lookup(op.Name.Name).(*definition); ok && d.expr != nil {
			return d.scope.place(d.expr).String()
		}
	}
	return p.x.scope.place(p.x.syn).String()
}

// Explains reports whether the action of a property allows the step. A disjunct is
// not tried where the step changes what the disjunct leaves as it is.
func (p *Predicate) Explains(r *Run, cur, next *State, hints Hints) (holds bool, err error) {
	r.hints = hints
	err = r.protect(func() {
		r.cur, r.next, r.initial, r.checking = cur, next, false, true
		p.x.generate(r, p.x.frame(nil), &rest{done: func() bool {
			holds = true
			return false
		}})
	})
	r.hints = nil
	return holds, err
}

// Refuses records in why what stops each way in which the action of a property could
// allow the step.
func (p *Predicate) Refuses(r *Run, cur, next *State, why *Why) error {
	act := *p
	if p.act != nil { // not that the step is no stuttering
		act.x = r.compileIn(p.in, p.act)
	}
	end := why.begin(r, r.outline(p.Name, act.x))
	defer end()
	_, err := act.Explains(r, cur, next, nil)
	return err
}

// Fails records in why which conjunct of a predicate of states does not hold.
func (p *Predicate) Fails(r *Run, st *State, why *Why) error {
	end := why.begin(r, &outline{root: &Action{Name: p.Name}})
	defer end()
	_, err := p.Explains(r, st, nil, nil)
	return err
}

// Constant reports whether the predicate reads neither the state nor what TLCGet answers.
func (p *Predicate) Constant() bool { return p.x.level == constant }

// Depends reports whether the predicate may differ between two states, by the
// variables that it reads.
func (p *Predicate) Depends(r *Run, a, b *State) bool {
	if !p.known {
		p.known = true
		vars, ok := r.readsOf(p.x)
		if p.always = !ok; ok {
			for v := range vars {
				p.vars = append(p.vars, v)
			}
		}
	}
	for _, v := range p.vars {
		if !value.Same(a.Vals[v], b.Vals[v]) {
			return true
		}
	}
	return p.always
}

// Holds evaluates a predicate in a state, or of a step where next is not nil.
func (p *Predicate) Holds(r *Run, cur, next *State) (holds bool, err error) {
	err = r.protect(func() {
		r.cur, r.next, r.initial = cur, next, false
		holds = r.truth(p.x.code(r, p.x.frame(nil)), p.x.scope.place(p.x.syn))
	})
	return holds, err
}

// HoldsAgain is Holds for a predicate of states that is evaluated in many: what
// evaluations before came to counts where they read the same.
func (p *Predicate) HoldsAgain(r *Run, in *State) (holds bool, err error) {
	if p.last == nil {
		p.last, p.at = &outcome{whole: true}, p.x.scope.place(p.x.syn)
	}
	err = r.protect(func() {
		r.cur, r.next, r.initial = in, nil, false
		if o := p.last; !o.still(r) {
			o.begin(r)
			r.memory = o
			o.end(r.truth(p.x.code(r, p.x.frame(nil)), p.at))
		}
		holds = p.last.holds
	})
	return holds, err
}

// Key is what distinguishes states: the VIEW, or the variables, modulo SYMMETRY.
func (s *Spec) Key(r *Run, st *State) (key value.Value, err error) {
	err = r.protect(func() {
		r.cur, r.next, r.initial = st, nil, false
		if s.view != nil && len(s.perms) == 0 {
			key = s.view.code(r, s.view.frame(nil))
			return
		}
		all := value.NewTuple(st.Vals...)
		key = all
		for _, p := range s.perms {
			if k := value.Replace(all, p); value.Compare(k, key) < 0 {
				key = k
			}
		}
		if s.view != nil { // of the least state, as in TLC
			r.cur = &State{Vals: key.(*value.Tuple).Elems}
			key = s.view.code(r, s.view.frame(nil))
		}
	})
	return key, err
}

// group is the permutations that those of a set generate.
func group(set value.Value) []map[value.Value]value.Value {
	gens := value.Enumerate(set).Elems()
	known := map[uint64]bool{}
	var list []map[value.Value]value.Value
	todo := append([]value.Value(nil), gens...)
	for len(todo) > 0 {
		g := todo[0]
		todo = todo[1:]
		if h := value.Hash(g); known[h] {
			continue
		} else {
			known[h] = true
		}
		m := map[value.Value]value.Value{}
		dom := value.Enumerate(value.Domain(g))
		for _, e := range dom.Each() {
			to := value.Apply(g, e)
			for _, v := range []value.Value{e, to} {
				if _, ok := v.(*value.Model); !ok {
					value.Fail("SYMMETRY permutes model values, and %s is none", value.Show(v))
				}
			}
			m[e] = to
		}
		list = append(list, m)
		for _, h := range gens {
			todo = append(todo, composed(m, h))
		}
	}
	return list
}

// composed is the permutation that applies h, then m.
func composed(m map[value.Value]value.Value, h value.Value) value.Value {
	all := []value.Value{}
	for e := range m {
		all = append(all, e)
	}
	dom := value.Combine(value.Union, value.NewSet(all), value.Domain(h)).(*value.Set)
	vals := make([]value.Value, dom.Len())
	for i, e := range dom.Each() {
		to := e
		if value.Contains(value.Domain(h), e) {
			to = value.Apply(h, e)
		}
		if t, ok := m[to]; ok {
			to = t
		}
		vals[i] = to
	}
	return value.NewFcn(dom, vals)
}
