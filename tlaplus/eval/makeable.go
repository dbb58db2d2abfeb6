package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// v' = (v \ {t}) \union {[t EXCEPT !.state = "new"]}: a step gives an element of v this state,
// or the one that an element of v had. Where that is so of each action, no sequence of steps
// makes an element with another state.

// adds is what steps add to a variable: by the field, the literals that elements get.
type adds struct {
	literals map[string][]value.Value
	open     map[string]bool // the fields that may get other values
}

// CanMake reports whether a sequence of steps that begins with the set may make the element.
// It reads only the text; false is certain.
func (s *Spec) CanMake(r *Run, variable int, from *value.Set, e value.Value) bool {
	if s.without&Narrows != 0 {
		return true
	}
	m, known := s.adds[variable]
	if !known {
		if s.adds == nil {
			s.adds = map[int]*adds{}
		}
		m = s.addsTo(variable)
		s.adds[variable] = m
	}
	if m == nil {
		return true
	}
	can := true
	r.attempt(func() {
		fields := value.Enumerate(value.Domain(e))
		can = !slices.ContainsFunc(fields.Elems(), func(k value.Value) bool {
			field, ok := k.(*value.Str)
			if !ok || m.open[field.Text] {
				return false
			}
			is := value.Apply(e, k)
			return !slices.ContainsFunc(m.literals[field.Text], func(v value.Value) bool { return !apart(is, v) }) &&
				!slices.ContainsFunc(from.Elems(), func(was value.Value) bool { return !apart(is, value.Apply(was, k)) })
		})
	})
	return can
}

// addsTo finds what steps add to a variable; nil where that is not known.
func (s *Spec) addsTo(variable int) *adds {
	for _, x := range s.next {
		w := adder{narrower: narrower{p: s.Program}, v: variable}
		var found *adds
		_ = s.apart(func() { found = w.formula(&meant{x.scope, x.syn, map[string]*meaning{}}) })
		if found != nil {
			return found
		}
	}
	return nil
}

// adder finds what is added to a variable.
type adder struct {
	narrower
	v int
}

// each is what all expressions may add; nil where that is not known of one.
func (w *adder) each(c *meant, list []syntax.Expr, do func(*meant) *adds) *adds {
	all := &adds{literals: map[string][]value.Value{}, open: map[string]bool{}}
	for _, n := range list {
		one := do(c.with(n))
		if one == nil {
			return nil
		}
		all.add(one)
	}
	return all
}

func (a *adds) add(b *adds) {
	for field, list := range b.literals {
		a.literals[field] = append(a.literals[field], list...)
	}
	for field := range b.open {
		a.open[field] = true
	}
}

// mostAdding is how deep definitions are followed.
const mostAdding = 60

// formula is what a step adds of which the formula is TRUE.
func (w *adder) formula(c *meant) *adds {
	if w.depth++; w.depth > mostAdding {
		w.depth--
		return nil
	}
	defer func() { w.depth-- }()
	junction := func(op string, items []syntax.Expr) *adds {
		if op == `\/` {
			return w.each(c, items, w.formula)
		}
		for _, item := range items {
			if found := w.formula(c.with(item)); found != nil {
				return found
			}
		}
		return nil
	}
	switch n := c.n.(type) {
	case *syntax.Paren:
		return w.formula(c.with(n.Expr))
	case *syntax.Label:
		return w.formula(c.with(n.Expr))
	case *syntax.Junction:
		return junction(n.Op, n.Items)
	case *syntax.If:
		return w.each(c, []syntax.Expr{n.Then, n.Else}, w.formula)
	case *syntax.Let:
		if in := c.let(n); in != nil {
			return w.formula(in)
		}
	case *syntax.Quant:
		if n.Kind == `\E` && len(n.Bounds) > 0 {
			return w.formula(c.bound(n.Bounds, n.Body))
		}
	case *syntax.Op:
		if len(n.Prefix) > 0 {
			return nil
		}
		switch n.Name.Name {
		case `/\`, `\/`:
			return junction(n.Name.Name, n.Args)
		case "UNCHANGED":
			found := map[int]bool{}
			if w.p.variablesOf(c.s, n.Args[0], found); found[w.v] {
				return w.each(c, nil, nil)
			}
		case "=":
			left, ok := unparen(n.Args[0]).(*syntax.Op)
			if ok && left.Name.Name == "'" {
				if v := w.variable(c.with(left.Args[0])); v != nil && v.n == w.v {
					return w.set(c.with(n.Args[1]))
				}
			}
		default:
			if in := w.called(c, n); in != nil {
				return w.formula(in)
			}
		}
	}
	return nil
}

// set is what a set has beside elements of the variable.
func (w *adder) set(c *meant) *adds {
	if w.isPart(c, 0) {
		return w.each(c, nil, nil)
	}
	c, m := w.plain(c)
	if m != nil {
		return nil
	}
	switch n := c.n.(type) {
	case *syntax.SetEnum:
		return w.each(c, n.Items, w.element)
	case *syntax.SetMap:
		f := w.valuesOf(c, n)
		if f == nil {
			return w.element(c.bound(n.Bounds, n.Expr))
		}
		switch of := f.n.(type) {
		case *syntax.Op:
			if of.Name.Name == ":>" && len(of.Args) == 2 {
				return w.element(f.with(of.Args[1]))
			}
		case *syntax.Fcn:
			return w.element(f.bound(of.Bounds, of.Body))
		}
	case *syntax.Op:
		if len(n.Prefix) == 0 && (n.Name.Name == `\union` || n.Name.Name == `\cup`) {
			return w.each(c, n.Args, w.set)
		}
	}
	return nil
}

// element is what an element gets that is added.
func (w *adder) element(c *meant) *adds {
	if w.isElement(c, 0) {
		return w.each(c, nil, nil)
	}
	c, m := w.plain(c)
	if m != nil {
		return nil
	}
	to := w.each(c, nil, nil)
	give := func(field string, n syntax.Expr) {
		of, m := w.plain(c.with(n))
		if dot, ok := of.n.(*syntax.Dot); ok && m == nil && dot.Field.Name == field && w.isElement(of.with(dot.Rec), 0) {
			return
		}
		var literal want
		if m == nil {
			w.literal(of, nil, &literal)
		}
		if len(literal.fixed) > 0 {
			to.literals[field] = append(to.literals[field], literal.fixed[0].is)
		} else {
			to.open[field] = true
		}
	}
	switch n := c.n.(type) {
	case *syntax.Except:
		if !w.isElement(c.with(n.Fcn), 0) {
			return nil
		}
		for i := range n.Updates {
			u := &n.Updates[i]
			switch {
			case u.Path[0].Index != nil:
				return nil
			case len(u.Path) > 1 || hasAt(u.Value):
				to.open[u.Path[0].Field.Name] = true
			default:
				give(u.Path[0].Field.Name, u.Value)
			}
		}
		return to
	case *syntax.Record:
		for _, f := range n.Fields {
			give(f.Name.Name, f.Expr)
		}
		return to
	}
	return nil
}

// isElement reports whether an expression is an element of the variable for certain.
func (w *adder) isElement(c *meant, depth int) bool {
	_, m := w.plain(c)
	return m != nil && m.in != nil && w.isPart(m.in, depth+1)
}

// isPart reports whether a set has only elements of the variable for certain.
func (w *adder) isPart(c *meant, depth int) bool {
	if depth > mostNarrowed {
		return false
	}
	if v := w.variable(c); v != nil {
		return v.n == w.v
	}
	c, m := w.plain(c)
	if m != nil {
		if m.in == nil {
			return false
		}
		of, m := w.plain(m.in) // one of SUBSET S
		op, ok := of.n.(*syntax.Op)
		return m == nil && ok && len(op.Prefix) == 0 && op.Name.Name == "SUBSET" && w.isPart(of.with(op.Args[0]), depth+1)
	}
	switch n := c.n.(type) {
	case *syntax.SetFilter:
		return w.isPart(c.with(n.Bound.Set), depth+1)
	case *syntax.SetEnum:
		return !slices.ContainsFunc(n.Items, func(item syntax.Expr) bool { return !w.isElement(c.with(item), depth+1) })
	case *syntax.Op:
		return len(n.Prefix) == 0 && n.Name.Name == `\` && w.isPart(c.with(n.Args[0]), depth+1)
	}
	return false
}
