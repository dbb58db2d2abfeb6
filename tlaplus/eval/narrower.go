package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
)

// What is true in each step of a body, found in the text.

// meaning is what a name means while a body is looked at.
type meaning struct {
	is   *meant // an argument, or what a LET gives it
	name int    // of the quantifier, from 1
	in   *meant // the set that it is an element of
}

// meant is an expression with what the names around it mean.
type meant struct {
	s     *scope
	n     syntax.Expr
	names map[string]*meaning
}

func (c *meant) with(n syntax.Expr) *meant { return &meant{c.s, n, c.names} }

// narrower finds facts.
type narrower struct {
	p     *Program
	facts []fact
	depth int
}

// mostNarrowed is how deep definitions are followed.
const mostNarrowed = 12

// walk goes through what is true in each step of the body.
func (w *narrower) walk(c *meant) {
	if w.depth++; w.depth > mostNarrowed {
		w.depth--
		return
	}
	defer func() { w.depth-- }()
	switch n := c.n.(type) {
	case *syntax.Paren:
		w.walk(c.with(n.Expr))
	case *syntax.Label:
		w.walk(c.with(n.Expr))
	case *syntax.Junction:
		if n.Op == `/\` {
			for _, item := range n.Items {
				w.walk(c.with(item))
			}
		}
	case *syntax.Let:
		if in := c.let(n); in != nil {
			w.walk(in)
		}
	case *syntax.Quant:
		if n.Kind == `\E` && len(n.Bounds) > 0 {
			w.walk(c.bound(n.Bounds, n.Body))
		}
	case *syntax.Op:
		w.op(c, n)
	}
}

// let is the body of a LET that defines names without parameters.
func (c *meant) let(n *syntax.Let) *meant {
	in := &meant{c.s, n.Body, map[string]*meaning{}}
	for name, m := range c.names {
		in.names[name] = m
	}
	for _, u := range n.Defs {
		d, ok := u.(*syntax.OpDef)
		if !ok {
			return nil
		}
		in.names[d.Name.Name] = &meaning{}
		if len(d.Params) == 0 {
			in.names[d.Name.Name].is = in.with(d.Body)
		}
	}
	return in
}

// bound is a body in which names are bound.
func (c *meant) bound(bounds []syntax.Bound, body syntax.Expr) *meant {
	in := &meant{c.s, body, map[string]*meaning{}}
	for name, m := range c.names {
		in.names[name] = m
	}
	for i := range bounds {
		for _, name := range bounds[i].Names {
			m := &meaning{}
			if !bounds[i].Tuple {
				m.in = c.with(bounds[i].Set)
			}
			in.names[name.Name] = m
		}
	}
	return in
}

func (w *narrower) op(c *meant, n *syntax.Op) {
	if len(n.Prefix) > 0 {
		return
	}
	switch n.Name.Name {
	case `/\`:
		w.walk(c.with(n.Args[0]))
		w.walk(c.with(n.Args[1]))
		return
	case "=":
		left, ok := unparen(n.Args[0]).(*syntax.Op)
		if ok && left.Name.Name == "'" {
			if v := w.variable(c.with(left.Args[0])); v != nil {
				w.equation(v, c.with(n.Args[1]))
			}
		}
		return
	}
	if in := w.called(c, n); in != nil {
		w.walk(in)
	}
}

// called is the body of the definition that an operator applies.
func (w *narrower) called(c *meant, n *syntax.Op) *meant {
	if len(n.Prefix) > 0 || builtins[n.Name.Name] != nil || c.names[n.Name.Name] != nil {
		return nil
	}
	d, ok := w.p.aliased(c.s.lookup(n.Name.Name)).(*definition)
	if !ok || d.fcn != nil || d.scope.fn != nil || d.now != nil || len(d.params) != len(n.Args) {
		return nil
	}
	d.body()
	in := &meant{d.scope, d.expr, map[string]*meaning{}}
	for i, prm := range d.params {
		if prm.Arity > 0 {
			return nil
		}
		in.names[prm.Name] = &meaning{is: c.with(n.Args[i])}
	}
	return in
}

// plain follows names that stand for other expressions.
func (w *narrower) plain(c *meant) (*meant, *meaning) {
	for range mostNarrowed {
		n := unparen(c.n)
		op, ok := n.(*syntax.Op)
		if !ok {
			return c.with(n), nil
		}
		m := c.names[op.Name.Name]
		switch {
		case len(op.Args) > 0 || len(op.Prefix) > 0:
			in := w.called(c, op)
			if in == nil {
				return c.with(n), nil
			}
			c = in
		case m == nil:
			in := w.called(c, op)
			if in == nil {
				return c.with(n), nil
			}
			c = in
		case m.is == nil:
			return c.with(n), m
		default:
			c = m.is
		}
	}
	return c, &meaning{}
}

func (w *narrower) variable(c *meant) *variable {
	c, m := w.plain(c)
	if m != nil {
		return nil
	}
	v, _ := w.p.variableOf(c.s, c.n).(*variable)
	return v
}

// equation is v' = is.
func (w *narrower) equation(v *variable, is *meant) {
	f := fact{v: v.n, gone: &want{none: true}, come: &want{none: true}}
	is, m := w.plain(is)
	if m != nil {
		return
	}
	var gone, come *meant
	if op, ok := is.n.(*syntax.Op); ok && len(op.Prefix) == 0 && (op.Name.Name == `\union` || op.Name.Name == `\cup`) {
		come = is.with(op.Args[1])
		f.come = w.member(come)
		is, m = w.plain(is.with(op.Args[0]))
	}
	if op, ok := is.n.(*syntax.Op); ok && m == nil && len(op.Prefix) == 0 && op.Name.Name == `\` {
		gone = is.with(op.Args[1])
		f.gone = w.member(gone)
		is = is.with(op.Args[0])
	}
	if w.variable(is) == v {
		if gone != nil && come != nil {
			f.turn = w.turn(gone, come)
		}
		w.facts = append(w.facts, f)
	}
}

// member is what follows from e \in c.
func (w *narrower) member(c *meant) *want {
	to := &want{}
	w.in(c, nil, to, 0)
	return to
}

// in is what follows if a part of the element is in the set.
func (w *narrower) in(c *meant, path []partStep, to *want, depth int) {
	if depth > mostNarrowed {
		return
	}
	c, m := w.plain(c)
	if m != nil {
		if m.name > 0 && len(path) == 0 {
			to.solves = append(to.solves, solution{name: m.name - 1, set: true})
		} else if m.in != nil { // one of SUBSET S
			of, m := w.plain(m.in)
			if op, ok := of.n.(*syntax.Op); ok && m == nil && op.Name.Name == "SUBSET" {
				w.in(of.with(op.Args[0]), path, to, depth+1)
			}
		}
		return
	}
	switch n := c.n.(type) {
	case *syntax.SetEnum:
		if len(n.Items) == 1 {
			to.single = to.single || len(path) == 0 && depth == 0
			w.is(c.with(n.Items[0]), path, to, depth)
			return
		}
		var oneOf [][]fixedPart
		for _, item := range n.Items {
			var one want
			w.is(c.with(item), path, &one, depth)
			oneOf = append(oneOf, one.fixed)
		}
		if !slices.ContainsFunc(oneOf, func(fixed []fixedPart) bool { return len(fixed) == 0 }) {
			to.oneOf = append(to.oneOf, oneOf)
		}
	case *syntax.SetFilter:
		if ix := w.p.filters[n]; ix != nil {
			in := c.bound([]syntax.Bound{n.Bound}, n.Pred)
			w.is(in.with(ix.is.syn), append(path[:len(path):len(path)], partStep{by: ix}), to, depth)
		}
		w.in(c.with(n.Bound.Set), path, to, depth+1)
	case *syntax.SetMap: // {f[i] : i \in DOMAIN f}
		if f := w.valuesOf(c, n); f != nil {
			switch of := f.n.(type) {
			case *syntax.Op:
				if of.Name.Name == ":>" && len(of.Args) == 2 {
					to.single = to.single || len(path) == 0 && depth == 0
					w.is(f.with(of.Args[1]), path, to, depth)
				}
			case *syntax.Fcn:
				w.is(f.bound(of.Bounds, of.Body), path, to, depth+1)
			}
		}
	case *syntax.Op:
		switch n.Name.Name {
		case "DOMAIN":
			of, m := w.plain(c.with(n.Args[0]))
			if m != nil {
				return
			}
			switch f := of.n.(type) {
			case *syntax.Op:
				if f.Name.Name == ":>" && len(f.Args) == 2 {
					to.single = to.single || len(path) == 0 && depth == 0
					w.is(of.with(f.Args[0]), path, to, depth)
				}
			case *syntax.Fcn:
				if len(f.Bounds) == 1 && len(f.Bounds[0].Names) == 1 && !f.Bounds[0].Tuple {
					w.in(of.with(f.Bounds[0].Set), path, to, depth+1)
				}
			}
		case `\`:
			w.in(c.with(n.Args[0]), path, to, depth+1)
		case `\intersect`, `\cap`:
			w.in(c.with(n.Args[0]), path, to, depth+1)
			w.in(c.with(n.Args[1]), path, to, depth+1)
		}
	}
}

// is is what follows if a part of the element equals an expression.
func (w *narrower) is(c *meant, path []partStep, to *want, depth int) {
	if depth > mostNarrowed {
		return
	}
	c, m := w.plain(c)
	switch {
	case m != nil && m.name > 0:
		to.solves = append(to.solves, solution{name: m.name - 1, path: path})
	case m != nil && m.in != nil:
		w.in(m.in, path, to, depth+1)
	case m == nil:
		w.literal(c, path, to)
		if ex, ok := c.n.(*syntax.Except); ok {
			for i := range ex.Updates {
				u := &ex.Updates[i]
				if fields, ok := w.fields(u.Path, path); ok && w.once(ex, u.Path[0].Field.Name) && !hasAt(u.Value) {
					w.is(c.with(u.Value), fields, to, depth+1)
				}
			}
		}
		if n, ok := c.n.(*syntax.If); ok { // IF … THEN slot ELSE "global"
			var other want
			otherwise, literal := w.plain(c.with(n.Else))
			if _, name := w.plain(c.with(n.Then)); name != nil && name.name > 0 && literal == nil {
				if w.literal(otherwise, path, &other); len(other.fixed) > 0 {
					to.solves = append(to.solves, solution{name: name.name - 1, path: path, unless: other.fixed[0].is})
				}
			}
		}
		if rec, ok := c.n.(*syntax.Record); ok {
			for _, f := range rec.Fields {
				w.is(c.with(f.Expr), append(path[:len(path):len(path)], partStep{field: w.p.Space.String(f.Name.Name)}), to, depth+1)
			}
		}
	}
}

// valuesOf is f of {f[i] : i \in DOMAIN f}; nil of another set.
func (w *narrower) valuesOf(c *meant, n *syntax.SetMap) *meant {
	if len(n.Bounds) != 1 || len(n.Bounds[0].Names) != 1 || n.Bounds[0].Tuple {
		return nil
	}
	dom, ok := unparen(n.Bounds[0].Set).(*syntax.Op)
	apply, isApply := unparen(n.Expr).(*syntax.FcnApply)
	if !ok || !isApply || dom.Name.Name != "DOMAIN" || len(apply.Args) != 1 || !isName(apply.Args[0], n.Bounds[0].Names[0].Name) {
		return nil
	}
	f, name := w.plain(c.with(dom.Args[0]))
	g, other := w.plain(c.with(apply.Fcn))
	if name != other || name == nil && f.n != g.n && (f.n.Place() != g.n.Place() || f.s != g.s) {
		return nil
	}
	return f
}

// once reports whether a field is the only one of the updates that begin with it.
func (w *narrower) once(n *syntax.Except, field string) bool {
	count := 0
	for i := range n.Updates {
		if first := n.Updates[i].Path[0]; first.Index != nil || first.Field.Name == field {
			count++
		}
	}
	return count == 1
}

func hasAt(n syntax.Node) bool {
	if _, ok := n.(*syntax.At); ok {
		return true
	}
	found := false
	syntax.Children(n, func(c syntax.Node) { found = found || hasAt(c) })
	return found
}
