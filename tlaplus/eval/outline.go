package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
)

// What a next-state relation consists of, found in the text: its actions are the
// disjuncts that name one, with the conjuncts around them.

// Action is a disjunct of a next-state relation.
type Action struct {
	Name      string
	Place     string // of its definition, or of the disjunct: file:line:column
	Doc       string // the comment above the definition
	Clauses   []Clause
	Disjuncts []Clause // the alternatives within it, in the order of the text

	names []string      // that it may have: of the actions that it calls
	nodes []syntax.Node // of the disjuncts
}

// outline is the actions of a formula.
type outline struct {
	actions []*Action
	root    *Action // of what is outside all of them
	of      map[syntax.Node]*Action
	choices map[syntax.Node]*Action // disjuncts that are a definition of several
	around  []*Action               // what is around a choice of actions, for its disjuncts
}

// action is the one that a path is of, by the disjuncts that it takes; before it has
// chosen one, the definition of those that it may choose.
func (o *outline) action(taken []syntax.Node) *Action {
	of := o.root
	for _, n := range taken {
		if a := o.of[n]; a != nil {
			return a
		}
		if a := o.choices[n]; a != nil {
			of = a
		}
	}
	return of
}

// Actions are those of the next-state relation.
func (s *Spec) Actions() []*Action { return s.nextOutline().actions }

// Around is what all actions have in common: what is around them, and the action
// constraints. Many specs follow the log there.
func (s *Spec) Around() []*Action {
	if s.guards == nil {
		s.guards = slices.Clone(s.nextOutline().around)
		for i := range s.ActionConstraints {
			c := &s.ActionConstraints[i]
			a := s.whole(c.x)
			a.Name = c.Name
			_, a.Place, a.Doc = s.Definition(c.Name)
			s.guards = append(s.guards, a)
		}
	}
	return s.guards
}

// Way is how a step is made: the action, and the disjuncts that it takes.
type Way struct {
	Action *Action
	taken  []syntax.Node
}

// Takes are the disjuncts of the action that are taken, by their places in it.
func (w Way) Takes(a *Action) []int {
	var list []int
	for i, n := range a.nodes {
		if slices.Contains(w.taken, n) {
			list = append(list, i)
		}
	}
	return list
}

// Ways is Successors, of the steps that the action constraints allow, and reports how
// each is made.
func (s *Spec) Ways(r *Run, from *State, yield func(*State, Way) bool) error {
	t := &trail{}
	r.trail = t
	defer func() { r.trail = nil }()
	of := s.nextOutline()
	return s.steps(r, from, func(st *State) bool { return yield(st, Way{of.action(t.taken), t.taken}) })
}

func (s *Spec) nextOutline() *outline {
	if s.outlined == nil {
		s.outlined = s.outline("Next", s.next...)
		if len(s.outlined.actions) == 1 && len(s.next) == 1 {
			s.outlined.root = s.outlined.actions[0]
		}
	}
	return s.outlined
}

// Clauses are the conjuncts of the predicate.
func (s *Spec) Clauses(p *Predicate) []Clause {
	return s.whole(p.x).Clauses
}

// whole is a formula as one action.
func (p *Program) whole(x *body) *Action {
	w := outliner{p: p, busy: map[*definition]bool{}}
	return w.leaf(spot{s: x.scope}, []syntax.Expr{x.syn}, nil)
}

// outline takes a formula apart: a conjunction of the bodies.
func (p *Program) outline(name string, list ...*body) *outline {
	o := &outline{of: map[syntax.Node]*Action{}, choices: map[syntax.Node]*Action{}, root: &Action{Name: name}}
	if len(list) == 0 {
		return o
	}
	w := outliner{p: p, o: o, busy: map[*definition]bool{}}
	at := spot{s: list[0].scope}
	items := make([]syntax.Expr, len(list))
	for i, x := range list {
		items[i] = x.syn
	}
	leaves := w.conjunction(at, items)
	if d := w.callee(at, list[0].syn); d != nil {
		o.root.Name, o.root.Place = d.name, d.scope.place(d.syn).String()
	} else {
		o.root.Place = at.s.place(list[0].syn).String()
	}
	if len(leaves) < 2 {
		one := w.leaf(at, items, nil)
		one.Name, one.Place = o.root.Name, o.root.Place
		if len(leaves) == 1 && len(leaves[0].names) == 1 {
			one.Name, one.Place, one.Doc = leaves[0].names[0], leaves[0].Place, leaves[0].Doc
		}
		if only := w.only(at, list[0].syn); only != nil { // as if it were one of several disjuncts
			one.Name, one.Place, one.Doc = only.names[0], only.Place, only.Doc
		}
		o.actions = []*Action{one}
		return o
	}
	w.named(leaves)
	return o
}
