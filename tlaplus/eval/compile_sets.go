package eval

import (
	"slices"
	"strconv"
	"strings"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// number is the value of a literal.
func (p *Program) number(s *scope, n *syntax.Number) value.Value {
	text, base := n.Text, 10
	if len(text) > 2 && text[0] == '\\' {
		switch text[1] {
		case 'b', 'B':
			base = 2
		case 'o', 'O':
			base = 8
		case 'h', 'H':
			base = 16
		}
		text = text[2:]
	}
	if strings.Contains(text, ".") {
		s.refuse(n, "the decimal number %s: reals are not supported", n.Text)
	}
	i, err := strconv.ParseInt(text, base, 32)
	if err != nil {
		s.refuse(n, "the number %s does not fit 32 bits", n.Text)
	}
	return value.Of(i)
}

// fewElements is what a filter has space for once it keeps an element: mostly, that is
// enough.
const fewElements = 4

func (p *Program) filter(s *scope, n *syntax.SetFilter) *expr {
	first := s.fn.bind(n, 0)
	in, list := p.bind(s, []syntax.Bound{n.Bound}, p.looped)
	pred := p.expr(in, n.Pred)
	at := s.place(n.Pred)
	b := &list[0]
	q := p.remembering(in, n.Pred, list, first)
	if b.tuple {
		q = nil // an element is not a name
	}
	if q != nil {
		q.filters = true
	}
	ix := p.index(in, list, n.Pred, `/\`, first)
	if ix != nil {
		p.filters[n] = ix
	}
	keep := p.keeperOf(q, list)
	x := &expr{level: max(b.set.level, pred.level), trace: ix.trace(), code: func(r *Run, f *frame) value.Value {
		if elems, ok := ix.noted(r, f); ok {
			return ix.filter(r, f, elems)
		}
		set := b.values(r, f)
		if value.IsLazy(set) {
			f, cur, next, in := f.copyOf(), r.cur, r.next, r.inPrime
			p.filtered = true
			return &value.Filter{Of: set, Test: func(e value.Value) (is bool) {
				r.element(b.at)
				r.within(cur, next, in, func() {
					b.assign(r, f, e)
					is = r.truth(pred.code(r, f), at)
				})
				return is
			}}
		}
		if elems, ok := ix.elements(r, f, set); ok {
			return ix.filter(r, f, elems)
		}
		if t, ok := keep.keep(r, f, set, newFiltered, func() value.Value { return value.Truth(r.truth(pred.code(r, f), at)) }); ok {
			if some := t.result.(*filtered).set(&p.differences); some.Len() < t.set.Len() {
				return some
			}
			return set
		}
		if r.memory != nil && q != nil {
			if elems, ok := q.filter(r, f, set, func() bool { return r.truth(pred.code(r, f), at) }); ok {
				return value.Some(set, elems)
			}
		}
		var elems []value.Value
		total := 0
		r.through(set, b.at, func(e value.Value) bool {
			b.assign(r, f, e)
			total++
			if r.truth(pred.code(r, f), at) {
				if elems == nil {
					elems = make([]value.Value, 0, fewElements)
				}
				elems = append(elems, e)
			}
			return true
		})
		if len(elems) == total {
			return value.Enumerate(set)
		}
		return value.Some(set, elems)
	}}
	if (lazyTexts{}).has(s, n.Bound.Set) {
		x.member = func(r *Run, f *frame, v value.Value) bool {
			if of := b.set.member; of != nil && !of(r, f, v) || of == nil && !value.Contains(b.values(r, f), v) {
				return false
			}
			b.assign(r, f, v)
			return r.truth(pred.code(r, f), at)
		}
	}
	return x
}

// lazyTexts says of definitions whether they are sets that TLC does not enumerate for
// membership in a part of them. One that refers to itself is none.
type lazyTexts map[*definition]bool

// has reports whether an expression is such a set.
func (l lazyTexts) has(s *scope, n syntax.Expr) bool {
	switch n := unparen(n).(type) {
	case *syntax.FcnSet, *syntax.RecordSet, *syntax.Times:
		return true
	case *syntax.SetFilter:
		return l.has(s, n.Bound.Set)
	case *syntax.Op:
		if len(n.Prefix) > 0 {
			return false
		}
		switch n.Name.Name {
		case "SUBSET":
			return true
		case "UNION":
			return l.has(s, n.Args[0]) || slices.ContainsFunc(elementsOf(n.Args[0]), func(e syntax.Expr) bool {
				is, ok := unparen(e).(*syntax.Op)
				return ok && is.Name.Name == ".." || l.has(s, e)
			})
		case `\cup`, `\union`:
			return l.has(s, n.Args[0]) || l.has(s, n.Args[1])
		case `\cap`, `\intersect`:
			return l.has(s, n.Args[0]) && l.has(s, n.Args[1])
		case `\`:
			return l.has(s, n.Args[0])
		}
		if d, ok := s.lookup(n.Name.Name).(*definition); ok && d.fcn == nil && len(d.params) == 0 && !d.circle {
			if _, known := l[d]; !known {
				l[d] = false
				l[d] = l.has(d.scope, d.expr)
			}
			return l[d]
		}
	}
	return false
}

// elementsOf are the texts of the elements of a set.
func elementsOf(n syntax.Expr) []syntax.Expr {
	switch n := unparen(n).(type) {
	case *syntax.SetEnum:
		return n.Items
	case *syntax.SetMap:
		return []syntax.Expr{n.Expr}
	}
	return nil
}

func (p *Program) setMap(s *scope, n *syntax.SetMap) *expr {
	first := s.fn.bind(n, 0)
	in, list := p.bind(s, n.Bounds, p.looped)
	body := p.expr(in, n.Expr)
	at := s.place(n)
	some := p.exchange(s, in, n)
	keep := p.keeperOf(p.remembering(in, n.Expr, list, first), list)
	return &expr{level: max(bindingLevel(list), body.level), code: func(r *Run, f *frame) value.Value {
		if some != nil {
			if v := some.value(r, f, &list[0], list[0].values(r, f), at); v != nil {
				return v
			}
		}
		var elems []value.Value
		make := func() bool {
			elems = append(elems, body.code(r, f))
			return true
		}
		if keep == nil {
			each(r, f, list, make)
		} else {
			set := list[0].values(r, f)
			if t, ok := keep.keep(r, f, set, newImaged, func() value.Value { return body.code(r, f) }); ok {
				if set := t.result.(*imaged).set(&p.differences); value.InOrder(set) {
					return set
				}
			}
			eachOf(f, list, []value.Value{set}, nil, nil, r, make)
		}
		r.at = at
		return value.NewSet(elems)
	}}
}

func (p *Program) names(fields []syntax.Field) []*value.Str {
	names := make([]*value.Str, len(fields))
	for i := range fields {
		names[i] = p.Space.String(fields[i].Name.Name)
	}
	return names
}

func (p *Program) fieldExprs(s *scope, fields []syntax.Field) ([]*expr, level) {
	xs := make([]*expr, len(fields))
	for i := range fields {
		xs[i] = p.expr(s, fields[i].Expr)
	}
	return xs, top(xs...)
}

func (p *Program) record(s *scope, n *syntax.Record) *expr {
	names := p.names(n.Fields)
	xs, l := p.fieldExprs(s, n.Fields)
	dom, places := p.Space.Fields(names)
	if dom.Len() < len(names) {
		s.refuse(n, "the record has a field twice")
	}
	return &expr{level: l, code: func(r *Run, f *frame) value.Value {
		vals := make([]value.Value, len(xs))
		for i, x := range xs {
			vals[places[i]] = x.code(r, f)
		}
		return value.NewFcn(dom, vals)
	}}
}

func (p *Program) recordSet(s *scope, n *syntax.RecordSet) *expr {
	names := p.names(n.Fields)
	xs, l := p.fieldExprs(s, n.Fields)
	return &expr{level: l, code: func(r *Run, f *frame) value.Value { return value.NewRecordSet(names, all(r, f, xs)) }}
}
