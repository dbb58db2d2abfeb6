package eval

import (
	"slices"
	"strconv"

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

// Ways is Successors, of the steps that the action constraints allow, and says how
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
		o.actions = []*Action{one}
		return o
	}
	w.named(leaves)
	return o
}

// outliner goes through a text.
type outliner struct {
	p    *Program
	o    *outline
	busy map[*definition]bool

	entered int      // definitions, each time
	shared  []string // the actions that are called around a choice of others
}

// spot is where an expression is: the names that it sees.
type spot struct {
	s    *scope
	in   *definition // nil: none
	lets *letNames
}

// letNames are the operators of a LET.
type letNames struct {
	up   *letNames
	defs map[string]*definition
}

func (at spot) let(p *Program, n *syntax.Let) spot {
	l := &letNames{up: at.lets, defs: map[string]*definition{}}
	at.lets = l
	for _, u := range n.Defs {
		if u, ok := u.(*syntax.OpDef); ok {
			l.defs[u.Name.Name] = &definition{p: p, name: u.Name.Name, syn: u, params: u.Params, expr: u.Body, scope: at.s}
		}
	}
	return at
}

// callee is the definition that an expression is a call of, nil where it is none.
func (w *outliner) callee(at spot, n syntax.Expr) *definition {
	op, ok := n.(*syntax.Op)
	if !ok || len(op.Prefix) == 0 && builtins[op.Name.Name] != nil {
		return nil
	}
	if len(op.Prefix) == 0 {
		for l := at.lets; l != nil; l = l.up {
			if d := l.defs[op.Name.Name]; d != nil {
				return d
			}
		}
	}
	s := at.s
	for i := range op.Prefix {
		in, ok := s.find(op.Prefix[i].Name, i == 0).(*named)
		if !ok {
			return nil
		}
		s = in.scope
	}
	d, ok := w.p.aliased(s.find(op.Name.Name, len(op.Prefix) == 0)).(*definition)
	if !ok || d.fcn != nil || d.expr == nil || d.body().level == constant && len(d.params) == 0 {
		return nil
	}
	return d
}

// mostEntered bounds how often definitions are gone into: some call others many times,
// which do so again.
const mostEntered = 50_000

// within goes into a definition, unless it is in it already.
func (w *outliner) within(at spot, d *definition, do func(spot)) bool {
	if w.entered++; w.busy[d] || w.entered > mostEntered {
		return false
	}
	w.busy[d] = true
	to := spot{s: d.scope, in: d}
	if d.x == nil { // of a LET
		to = at
	}
	do(to)
	delete(w.busy, d)
	return true
}

// leaves are the actions that an expression is a choice of; one where it calls
// some, none where it calls none.
func (w *outliner) leaves(at spot, n syntax.Expr) (list []*Action) {
	switch n := n.(type) {
	case *syntax.Paren:
		return w.leaves(at, n.Expr)
	case *syntax.Label:
		return w.leaves(at, n.Expr)
	case *syntax.Let:
		return w.leaves(at.let(w.p, n), n.Body)
	case *syntax.Quant:
		if n.Kind == `\E` && len(n.Bounds) > 0 {
			return w.leaves(at, n.Body)
		}
	case *syntax.Junction:
		if n.Op == `\/` {
			return w.disjunction(at, n.Items)
		}
		return w.conjunction(at, n.Items)
	case *syntax.Action:
		if !n.Square {
			return w.leaves(at, n.Act)
		}
	case *syntax.Op:
		if len(n.Prefix) == 0 {
			switch n.Name.Name {
			case `\/`:
				return w.disjunction(at, n.Args)
			case `/\`:
				return w.conjunction(at, n.Args)
			}
		}
		d := w.callee(at, n)
		if d == nil || d.x == nil || d.x.level < action {
			return nil
		}
		if !w.within(at, d, func(in spot) { list = w.leaves(in, d.expr) }) {
			return nil
		}
		if len(list) < 2 {
			a := w.leaf(at, []syntax.Expr{n}, []string{d.name})
			a.Place, a.Doc = d.scope.place(d.syn).String(), w.p.above(d.scope.mod.syn.File, d.syn.Place().From.Line)
			list = []*Action{a}
		}
	}
	return list
}

// leaf is an action that consists of the items.
func (w *outliner) leaf(at spot, items []syntax.Expr, names []string) *Action {
	a := &Action{names: names, Place: at.s.place(items[0]).String()}
	w.all(at, items, a)
	return a
}

func (w *outliner) all(at spot, items []syntax.Expr, a *Action) {
	for _, item := range items {
		w.clauses(at, item, a)
	}
}

// disjunction is a choice of actions where some disjunct calls one.
func (w *outliner) disjunction(at spot, items []syntax.Expr) []*Action {
	var all []*Action
	calls := false
	for k, item := range items {
		list := w.leaves(at, item)
		calls = calls || len(list) > 0
		if len(list) == 0 {
			list = []*Action{w.leaf(at, []syntax.Expr{item}, nil)}
		}
		if len(list) == 1 {
			a := list[0]
			if a.Name == "" && at.in != nil {
				a.Name = at.in.name + "!" + strconv.Itoa(k+1) // as TLA+ names a disjunct
			} else if a.Name == "" {
				a.Name = w.p.Text(at.s.mod.syn.File, item.Place())
			}
			w.o.of[item] = a
		} else if d := w.callee(at, inner(item)); d != nil {
			w.o.choices[item] = &Action{Name: d.name}
		}
		all = append(all, list...)
	}
	if !calls {
		for _, item := range items {
			delete(w.o.of, item)
		}
		return nil
	}
	return all
}

// inner is what a quantifier is about.
func inner(n syntax.Expr) syntax.Expr {
	for {
		n = unparen(n)
		q, ok := n.(*syntax.Quant)
		if !ok || q.Kind != `\E` {
			return n
		}
		n = q.Body
	}
}

// conjunction has the choices of its first conjunct that is one, each with the
// other conjuncts.
func (w *outliner) conjunction(at spot, items []syntax.Expr) []*Action {
	var names []string
	var one *Action
	for k, item := range items {
		list := w.leaves(at, item)
		if len(list) > 1 {
			for i, other := range items {
				if i != k {
					for _, a := range w.leaves(at, other) {
						w.shared = append(w.shared, a.names...)
					}
				}
			}
			around := w.around(at)
			w.all(at, items[:k], around)
			before := around.Clauses
			around.Clauses = nil
			w.all(at, items[k+1:], around)
			for _, a := range list {
				a.Clauses = slices.Concat(before, a.Clauses, around.Clauses)
			}
			around.Clauses = nil
			return list
		}
		if len(list) == 1 {
			one = list[0]
			names = append(names, one.names...)
		}
	}
	switch {
	case one == nil:
		return nil
	case len(items) == 1:
		return []*Action{one}
	}
	return []*Action{w.leaf(at, items, names)}
}

// around is what has the disjuncts of a definition that are around a choice.
func (w *outliner) around(at spot) *Action {
	name := w.o.root.Name
	if at.in != nil {
		name = at.in.name
	}
	for _, a := range w.o.around {
		if a.Name == name {
			return a
		}
	}
	a := &Action{Name: name}
	w.o.around = append(w.o.around, a)
	return a
}

// named gives each action the first name that no other may have. Actions with one
// definition are one.
func (w *outliner) named(leaves []*Action) {
	count := map[string]int{}
	for _, a := range leaves {
		for i, name := range a.names {
			if !slices.Contains(a.names[:i], name) {
				count[name]++
			}
		}
	}
	same := map[[2]string]*Action{}
	for _, a := range leaves {
		for _, name := range a.names {
			if !slices.Contains(w.shared, name) && (len(a.names) == 1 || count[name] == 1) {
				a.Name = name
				break
			}
		}
		key := [2]string{a.Name, a.Place}
		if first := same[key]; first != nil {
			for n, of := range w.o.of {
				if of == a {
					w.o.of[n] = first
				}
			}
			continue
		}
		same[key] = a
		w.o.actions = append(w.o.actions, a)
	}
}

// clauses adds the conjuncts of an expression, as the evaluation meets them.
func (w *outliner) clauses(at spot, n syntax.Expr, a *Action) {
	switch x := n.(type) {
	case *syntax.Paren:
		w.clauses(at, x.Expr, a)
		return
	case *syntax.Label:
		w.clauses(at, x.Expr, a)
		return
	case *syntax.Let:
		w.clauses(at.let(w.p, x), x.Body, a)
		return
	case *syntax.Action:
		if !x.Square {
			w.clauses(at, x.Act, a)
			return
		}
	case *syntax.Quant:
		if x.Kind == `\E` && len(x.Bounds) > 0 {
			w.clauses(at, x.Body, a)
			return
		}
	case *syntax.Junction:
		if x.Op == `/\` {
			w.all(at, x.Items, a)
			return
		}
	case *syntax.Op:
		if len(x.Prefix) == 0 && x.Name.Name == `/\` {
			w.all(at, x.Args, a)
			return
		}
		if x.Name.Name == "TRUE" {
			return
		}
		if d := w.callee(at, x); d != nil && w.within(at, d, func(in spot) { w.clauses(in, d.expr, a) }) {
			return
		}
	}
	file := at.s.mod.syn.File
	a.Clauses = append(a.Clauses, Clause{Text: w.p.Text(file, n.Place()), Place: at.s.place(n).String()})
	w.alternatives(at, n, a)
}

// alternatives adds the disjuncts in an expression.
func (w *outliner) alternatives(at spot, n syntax.Expr, a *Action) {
	switch n := n.(type) {
	case *syntax.Paren:
		w.alternatives(at, n.Expr, a)
	case *syntax.Label:
		w.alternatives(at, n.Expr, a)
	case *syntax.Let:
		w.alternatives(at.let(w.p, n), n.Body, a)
	case *syntax.Action:
		w.alternatives(at, n.Act, a)
	case *syntax.Quant:
		w.alternatives(at, n.Body, a)
	case *syntax.If:
		w.alternatives(at, n.Then, a)
		w.alternatives(at, n.Else, a)
	case *syntax.Case:
		for i := range n.Arms {
			w.alternatives(at, n.Arms[i].Expr, a)
		}
		if n.Other != nil {
			w.alternatives(at, n.Other, a)
		}
	case *syntax.Junction:
		w.junction(at, n.Op, n.Items, a)
	case *syntax.Op:
		if len(n.Prefix) == 0 {
			switch n.Name.Name {
			case `/\`, `\/`, `\cdot`:
				w.junction(at, n.Name.Name, n.Args, a)
				return
			case "=>":
				w.alternatives(at, n.Args[1], a)
				return
			}
		}
		if d := w.callee(at, n); d != nil {
			w.within(at, d, func(in spot) { w.alternatives(in, d.expr, a) })
		}
	}
}

func (w *outliner) junction(at spot, op string, items []syntax.Expr, a *Action) {
	for _, item := range items {
		if op == `\/` {
			if slices.Contains(a.nodes, syntax.Node(item)) {
				continue
			}
			a.nodes = append(a.nodes, item)
			a.Disjuncts = append(a.Disjuncts, Clause{Text: w.p.Text(at.s.mod.syn.File, item.Place()), Place: at.s.place(item).String()})
		}
		w.alternatives(at, item, a)
	}
}
