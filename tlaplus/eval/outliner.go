package eval

import (
	"slices"
	"strconv"

	"tracecheck/tlaplus/syntax"
)

// The actions in a text: the disjuncts that call one, behind names and quantifiers.

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

// only is the action that a definition consists of: all of its body is a call of it. nil: there
// is none.
func (w *outliner) only(at spot, n syntax.Expr) (a *Action) {
	if d := w.callee(at, n); d != nil {
		w.within(at, d, func(in spot) {
			if list := w.leaves(in, d.expr); len(list) == 1 && w.callee(in, inner(d.expr)) != nil {
				a = list[0]
			}
		})
	}
	return a
}

// leaf is an action that consists of the items.
func (w *outliner) leaf(at spot, items []syntax.Expr, names []string) *Action {
	a := &Action{names: names, Place: at.s.place(items[0]).String()}
	w.all(at, items, a)
	return a
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
