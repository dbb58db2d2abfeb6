package eval

import (
	"maps"
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// v' = (v \ {t}) \union {[t EXCEPT !.state = "new"]}: what v has lost comes back with this
// state. Where a step changes no element, t has this state before it.

// turn is what becomes of the elements that an equation takes out of v: some of their parts
// are other ones.
type turn struct {
	name  int  // of the quantifier, from 1: the only element; 0: it is another one
	also  bool // something else comes
	parts []turned
	whole bool // all parts that change are literals
}

// turned is a part with its value: a literal, or a name of the quantifier.
type turned struct {
	path []partStep // fields
	is   value.Value
	name int // from 1; 0: it is the literal
}

// turn finds what becomes of the elements of gone, where they come back in come; nil where
// that is not known.
func (w *narrower) turn(gone, come *meant) *turn {
	from, to := w.listed(gone), w.listed(come)
	if len(from) == 1 {
		for _, e := range to {
			if t := w.turned(from[0], e); t != nil {
				t.also = len(to) > 1
				return t
			}
		}
		return nil
	}
	f, fcn := w.mapped(w.domainOf(gone))
	g, other := w.mapped(w.imageOf(come))
	if fcn == nil || fcn != other || !maps.Equal(f.names, g.names) {
		return nil
	}
	in := f.bound(fcn.Bounds, fcn.Body)
	return w.turned(in.with(&syntax.Op{Span: fcn.Span, Name: fcn.Bounds[0].Names[0]}), in)
}

// mapped is a function over one name.
func (w *narrower) mapped(f *meant) (*meant, *syntax.Fcn) {
	if f != nil {
		if n, ok := f.n.(*syntax.Fcn); ok && len(n.Bounds) == 1 && len(n.Bounds[0].Names) == 1 && !n.Bounds[0].Tuple {
			return f, n
		}
	}
	return nil, nil
}

// domainOf is f of DOMAIN f; nil of another set.
func (w *narrower) domainOf(c *meant) *meant {
	c, m := w.plain(c)
	op, ok := c.n.(*syntax.Op)
	if m != nil || !ok || op.Name.Name != "DOMAIN" || len(op.Prefix) > 0 {
		return nil
	}
	if c, m = w.plain(c.with(op.Args[0])); m != nil {
		return nil
	}
	return c
}

// imageOf is f of {f[i] : i \in DOMAIN f}; nil of another set.
func (w *narrower) imageOf(c *meant) *meant {
	c, m := w.plain(c)
	n, ok := c.n.(*syntax.SetMap)
	if m != nil || !ok {
		return nil
	}
	return w.valuesOf(c, n)
}

// listed is the elements of {a, b}, DOMAIN (a :> b) and the values of (a :> b); nil of
// another set.
func (w *narrower) listed(c *meant) (list []*meant) {
	set, _ := w.plain(c)
	if n, ok := set.n.(*syntax.SetEnum); ok {
		for _, item := range n.Items {
			list = append(list, set.with(item))
		}
		return list
	}
	f, arg := w.domainOf(c), 0
	if f == nil {
		f, arg = w.imageOf(c), 1
	}
	if f == nil {
		return nil
	}
	if op, ok := f.n.(*syntax.Op); ok && op.Name.Name == ":>" && len(op.Args) == 2 {
		return []*meant{f.with(op.Args[arg])}
	}
	return nil
}

// turned is what [t EXCEPT …] makes of t; nil where an expression is another one.
func (w *narrower) turned(from, to *meant) *turn {
	to, m := w.plain(to)
	ex, ok := to.n.(*syntax.Except)
	if !ok || m != nil {
		return nil
	}
	_, is := w.plain(from)
	if _, base := w.plain(to.with(ex.Fcn)); is == nil || base != is {
		return nil
	}
	t := &turn{name: is.name, whole: true}
	for i := range ex.Updates {
		u := &ex.Updates[i]
		path, ok := w.fields(u.Path, nil)
		if !ok || !w.once(ex, u.Path[0].Field.Name) {
			return nil
		}
		if hasAt(u.Value) {
			t.whole = false
			continue
		}
		of, m := w.plain(to.with(u.Value))
		var literal want
		switch {
		case m != nil && m.name > 0:
			t.parts = append(t.parts, turned{path: path, name: m.name})
		case m == nil:
			w.literal(of, nil, &literal)
		}
		if len(literal.fixed) > 0 {
			t.parts = append(t.parts, turned{path: path, is: literal.fixed[0].is})
		} else {
			t.whole = false
		}
	}
	return t
}

// first reports whether it is known what the quantifier's first name is in a step that
// changes no element.
func (t *turn) first() bool { return t != nil && t.name == 1 && !t.also && len(t.parts) > 0 }

// misses reports whether a set has not what becomes of some of the elements, for certain.
func (t *turn) misses(r *Run, gone []value.Value, is *value.Set) (misses bool) {
	if t == nil || !t.whole {
		return false
	}
	return slices.ContainsFunc(gone, func(e value.Value) bool {
		to := e
		return r.attempt(func() {
			for i := range t.parts {
				to = replaced(to, t.parts[i].path, t.parts[i].is)
			}
			misses = is.Index(to) < 0
		}) && misses
	})
}

// replaced is a value with another part.
func replaced(v value.Value, path []partStep, to value.Value) value.Value {
	if len(path) == 0 {
		return to
	}
	return value.With(v, path[0].field, func(old value.Value) value.Value { return replaced(old, path[1:], to) })
}

// changes reports whether the first name's element becomes another one for certain.
func (t *turn) changes(r *Run, f *frame, slots []int) bool {
	for i := range t.parts {
		p := &t.parts[i]
		is, part := p.is, value.Value(nil)
		if p.name > 0 {
			is = r.get(f.vals[slots[p.name-1]])
		}
		if r.attempt(func() { part = partAt(r, r.get(f.vals[slots[0]]), p.path) }) && apart(part, is) {
			return true
		}
	}
	return false
}
