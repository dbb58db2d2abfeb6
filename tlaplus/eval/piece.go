package eval

import (
	"strconv"

	"tracecheck/tlaplus/syntax"
)

// Subexpressions of definitions, named by their places: Op!1, Op(x)!lab, Op!(y)!<<.
// The rules are those of TLA+ Version 2 (Lamport, "TLA+2: A Preliminary Guide", 6).

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
	w := walker{s: s, at: n, node: d.expr, params: d.params, args: n.Prefix[i].Args, named: true}
	w.steps = append(w.steps, n.Prefix[i+1:]...)
	w.steps = append(w.steps, syntax.Selector{Span: n.Span, Name: n.Name.Name, Args: n.Args})
	for len(w.steps) > 0 {
		step := w.steps[0]
		w.steps = w.steps[1:]
		w.step(step)
	}
	for k := len(w.lets) - 1; k >= 0; k-- {
		w.node = &syntax.Let{Span: w.lets[k].Span, Defs: w.lets[k].Defs, Body: w.node}
	}
	t := target{args: w.args}
	t.sym = &definition{p: p, name: d.name, syn: n, params: w.params, expr: w.node, scope: d.scope.repeating()}
	p.pieces[pieceKey{n, s}] = t
	return t, true
}

// walker goes down a definition.
type walker struct {
	s      *scope
	at     *syntax.Op
	steps  []syntax.Selector // still to take
	node   syntax.Expr
	named  bool // node is a definition or has a label: a name is that of a label in it
	params []syntax.Param
	args   []syntax.Expr
	lets   []*syntax.Let // around node
}

func (w *walker) refuse(format string, args ...any) { w.s.refuse(w.at, format, args...) }

func (w *walker) step(step syntax.Selector) {
	switch step.Name {
	case ":":
		if !w.named || len(w.steps) > 0 && !selectsByName(w.steps[0].Name) {
			w.refuse("!: comes after a name, and before the name of a LET or at the end")
		}
		w.named = false
		return
	case "", "@":
		w.bare()
		w.named = false
		w.instantiate(step)
		return
	}
	switch {
	case !selectsByName(step.Name):
		w.named = false
		w.bare()
		w.operand(step.Name)
	case w.named:
		w.label(step)
	default:
		w.bare()
		w.define(step)
	}
}

func selectsByName(selector string) bool {
	switch selector {
	case "", "@", ":", "<<", ">>":
		return false
	}
	_, err := strconv.Atoi(selector)
	return err != nil
}

// bare leaves out parentheses and labels.
func (w *walker) bare() {
	for {
		switch x := w.node.(type) {
		case *syntax.Paren:
			w.node = x.Expr
		case *syntax.Label:
			w.node = x.Expr
		default:
			return
		}
	}
}

// with adds parameters and the arguments for them.
func (w *walker) with(args []syntax.Expr, names ...syntax.Ident) {
	for _, id := range names {
		w.params = append(w.params, syntax.Param{Ident: id})
	}
	w.args = append(w.args, args...)
}

// label goes to the expression with a label. A label inside of another one belongs to that
// one, and one in a definition of LET to that definition.
func (w *walker) label(step syntax.Selector) {
	var found *syntax.Label
	var lets, around []*syntax.Let
	var look func(n syntax.Node)
	look = func(n syntax.Node) {
		if found != nil {
			return
		}
		switch x := n.(type) {
		case *syntax.Label:
			if x.Name.Name == step.Name {
				found, lets = x, append(lets, around...)
			}
		case *syntax.Let:
			around = append(around, x)
			look(x.Body)
			around = around[:len(around)-1]
		default:
			syntax.Children(n, look)
		}
	}
	look(w.node)
	if found == nil {
		w.refuse("the definition has no label %s", step.Name)
	}
	w.node, w.lets = found.Expr, append(w.lets, lets...)
	w.with(step.Args, found.Params...)
}

// define goes to a definition of a LET.
func (w *walker) define(step syntax.Selector) {
	let, ok := w.node.(*syntax.Let)
	if !ok {
		w.refuse("%s is not a label here, and there is no LET that could define it", step.Name)
	}
	w.lets, w.named = append(w.lets, let), true
	for _, unit := range let.Defs {
		switch d := unit.(type) {
		case *syntax.OpDef:
			if d.Name.Name != step.Name {
				continue
			}
			apply := &syntax.Op{Span: step.Span, Name: d.Name}
			for _, param := range d.Params {
				apply.Args = append(apply.Args, &syntax.Op{Span: step.Span, Name: param.Ident})
			}
			w.params, w.args = append(w.params, d.Params...), append(w.args, step.Args...)
			if w.node = apply; len(w.steps) > 0 {
				w.node = d.Body
			}
			return
		case *syntax.FcnDef:
			if d.Name.Name != step.Name {
				continue
			}
			w.args = append(w.args, step.Args...)
			w.node = &syntax.Op{Span: step.Span, Name: d.Name}
			if len(w.steps) > 0 {
				w.node = &syntax.Fcn{Span: d.Span, Bounds: d.Bounds, Body: d.Body}
			}
			return
		}
	}
	w.refuse("LET does not define %s", step.Name)
}

// instantiate goes to what is in the scope of bound names.
func (w *walker) instantiate(step syntax.Selector) {
	names, body := bound(w.node)
	if body == nil {
		w.refuse("no names are bound here: there is nothing to give arguments to")
	}
	if step.Name == "" && len(step.Args) != len(names) {
		w.refuse("%d names are bound here, and there are %d arguments", len(names), len(step.Args))
	}
	w.node = body
	w.with(step.Args, names...)
}

// operand goes to an operand, by its number or as the left or right one.
func (w *walker) operand(name string) {
	if c, ok := w.node.(*syntax.Case); ok {
		arms := c.Arms
		if c.Other != nil {
			arms = append(arms[:len(arms):len(arms)], syntax.Arm{Expr: c.Other})
		}
		k := w.place(name, len(arms))
		if len(w.steps) == 0 {
			w.refuse("a part of CASE has two numbers, as in !1!2")
		}
		name, w.steps = w.steps[0].Name, w.steps[1:]
		if w.node = []syntax.Expr{arms[k].Cond, arms[k].Expr}[w.place(name, 2)]; w.node == nil {
			w.refuse("OTHER is not an expression")
		}
		return
	}
	if let, ok := w.node.(*syntax.Let); ok {
		w.lets = append(w.lets, let)
	}
	parts := operands(w.node)
	w.node = parts[w.place(name, len(parts))]
}

// place is the index, from 0, of an operand among so many.
func (w *walker) place(name string, parts int) int {
	k, _ := strconv.Atoi(name)
	switch {
	case name == "<<":
		k = 1
	case name == ">>" && parts == 2:
		k = 2
	}
	if k < 1 || k > parts {
		w.refuse("the expression has %d parts, and no part %s", parts, name)
	}
	return k - 1
}

// bound is the names that an expression binds, with its body.
func bound(n syntax.Expr) ([]syntax.Ident, syntax.Expr) {
	var bounds []syntax.Bound
	var names []syntax.Ident
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
	case *syntax.Lambda:
		for _, param := range n.Params {
			names = append(names, param.Ident)
		}
		return names, n.Body
	}
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
		arg := n.Args[0]
		if len(n.Args) > 1 {
			arg = &syntax.Tuple{Span: n.Span, Items: n.Args}
		}
		return []syntax.Expr{n.Fcn, arg}
	case *syntax.Dot:
		return []syntax.Expr{n.Rec, &syntax.String{Span: n.Field.Span, Value: n.Field.Name}}
	case *syntax.Except:
		return []syntax.Expr{n.Fcn} // the others may have an @
	case *syntax.Let:
		return []syntax.Expr{n.Body}
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
