package eval

import (
	"strconv"

	"tracecheck/tlaplus/syntax"
)

// Pieces of definitions, named by their places: Op!1, Op(x)!lab, Op!(y)!<<.

type pieceKey struct {
	n *syntax.Op
	s *scope
}

// piece resolves an Op whose selector i is an operator, and the later ones places
// in its definition. ok is false where it is none.
func (p *Program) piece(s, at *scope, n *syntax.Op, i int) (target, bool) {
	if t, ok := p.pieces[pieceKey{n, s}]; ok {
		return t, true
	}
	d, ok := p.aliased(at.find(n.Prefix[i].Name, i == 0)).(*definition)
	if !ok || d.fcn != nil {
		return target{}, false
	}
	w := walker{p: p, s: s, node: d.expr, params: d.params, args: n.Prefix[i].Args}
	for k := i + 1; k < len(n.Prefix); k++ {
		w.step(n, n.Prefix[k].Name, n.Prefix[k].Args)
	}
	w.step(n, n.Name.Name, n.Args)
	for k := len(w.lets) - 1; k >= 0; k-- {
		w.node = &syntax.Let{Span: w.lets[k].Span, Defs: w.lets[k].Defs, Body: w.node}
	}
	t := target{args: w.args}
	t.sym = &definition{p: p, name: d.name, syn: n, params: w.params, expr: w.node, scope: d.scope}
	p.pieces[pieceKey{n, s}] = t
	return t, true
}

// walker goes down a definition.
type walker struct {
	p      *Program
	s      *scope
	node   syntax.Expr
	params []syntax.Param
	args   []syntax.Expr
	lets   []*syntax.Let
}

func (w *walker) step(n *syntax.Op, name string, args []syntax.Expr) {
	if name == ":" {
		return // the definition itself
	}
	for {
		switch x := w.node.(type) {
		case *syntax.Paren:
			w.node = x.Expr
			continue
		case *syntax.Label:
			if x.Name.Name != name {
				w.node = x.Expr
				continue
			}
			for _, id := range x.Params {
				w.params = append(w.params, syntax.Param{Ident: id})
			}
			w.args, w.node = append(w.args, args...), x.Expr
			return
		case *syntax.Let:
			w.lets = append(w.lets, x)
			w.node = x.Body
			continue
		}
		break
	}
	if name == "" || name == "@" {
		if names, body := bound(w.node); body != nil && (name == "@" || len(names) == len(args)) {
			for _, id := range names {
				w.params = append(w.params, syntax.Param{Ident: id})
			}
			w.args, w.node = append(w.args, args...), body
			return
		}
		w.s.refuse(n, "no names are bound here: there is nothing to give arguments to")
	}
	parts := operands(w.node)
	k, err := strconv.Atoi(name)
	switch {
	case name == "<<":
		k = 1
	case name == ">>":
		k = 2
	case err != nil:
		if found := w.label([]syntax.Expr{w.node}, name); found != nil {
			w.node = found
			w.step(n, name, args)
			return
		}
		w.s.refuse(n, "the definition has no label %s", name)
	}
	if k < 1 || k > len(parts) {
		w.s.refuse(n, "the expression has %d parts, and no part %s", len(parts), name)
	}
	w.node, w.args = parts[k-1], append(w.args, args...)
}

// label finds the part that has a label, wherever in the parts it is.
func (w *walker) label(parts []syntax.Expr, name string) (found syntax.Expr) {
	var look func(n syntax.Node)
	look = func(n syntax.Node) {
		if x, ok := n.(*syntax.Label); ok && x.Name.Name == name && found == nil {
			found = x
		}
		if found == nil {
			syntax.Children(n, look)
		}
	}
	for _, part := range parts {
		look(part)
	}
	return found
}

// bound is the names that an expression binds, with its body.
func bound(n syntax.Expr) ([]syntax.Ident, syntax.Expr) {
	var bounds []syntax.Bound
	var body syntax.Expr
	switch n := n.(type) {
	case *syntax.Quant:
		if len(n.Names) > 0 {
			return n.Names, n.Body
		}
		bounds, body = n.Bounds, n.Body
	case *syntax.Choose:
		bounds, body = []syntax.Bound{n.Bound}, n.Body
	case *syntax.SetFilter:
		bounds, body = []syntax.Bound{n.Bound}, n.Pred
	case *syntax.SetMap:
		bounds, body = n.Bounds, n.Expr
	case *syntax.Fcn:
		bounds, body = n.Bounds, n.Body
	}
	var names []syntax.Ident
	for _, b := range bounds {
		names = append(names, b.Names...)
	}
	return names, body
}

// operands are the parts of an expression that have numbers.
func operands(n syntax.Expr) []syntax.Expr {
	switch n := n.(type) {
	case *syntax.Op:
		return n.Args
	case *syntax.Junction:
		return n.Items
	case *syntax.If:
		return []syntax.Expr{n.Cond, n.Then, n.Else}
	case *syntax.SetEnum:
		return n.Items
	case *syntax.Tuple:
		return n.Items
	case *syntax.Times:
		return n.Sets
	case *syntax.FcnApply:
		return append([]syntax.Expr{n.Fcn}, n.Args...)
	case *syntax.FcnSet:
		return []syntax.Expr{n.From, n.To}
	case *syntax.Action:
		return []syntax.Expr{n.Act, n.Sub}
	case *syntax.Fair:
		return []syntax.Expr{n.Sub, n.Act}
	case *syntax.Record:
		return values(n.Fields)
	case *syntax.RecordSet:
		return values(n.Fields)
	case *syntax.Quant:
		return sets(n.Bounds)
	case *syntax.SetMap:
		return sets(n.Bounds)
	case *syntax.Fcn:
		return sets(n.Bounds)
	case *syntax.Choose:
		return sets([]syntax.Bound{n.Bound})
	case *syntax.SetFilter:
		return sets([]syntax.Bound{n.Bound})
	case *syntax.Case:
		var list []syntax.Expr
		for _, arm := range n.Arms {
			list = append(list, arm.Expr)
		}
		if n.Other != nil {
			list = append(list, n.Other)
		}
		return list
	}
	return nil
}

func values(fields []syntax.Field) (list []syntax.Expr) {
	for i := range fields {
		list = append(list, fields[i].Expr)
	}
	return list
}

func sets(bounds []syntax.Bound) (list []syntax.Expr) {
	for i := range bounds {
		list = append(list, bounds[i].Set)
	}
	return list
}
