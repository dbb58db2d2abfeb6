package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
)

// The parts of an action: its conjuncts, and the alternatives in them.

func (w *outliner) all(at spot, items []syntax.Expr, a *Action) {
	for _, item := range items {
		w.clauses(at, item, a)
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
