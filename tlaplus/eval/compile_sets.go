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

// binding is a compiled Bound: it sets slots.
type binding struct {
	set   *expr
	slots []int
	names []string
	tuple bool
	at    *place // of the set
}

// bind compiles the sets in the scope, and returns the scope with the names.
func (p *Program) bind(s *scope, bounds []syntax.Bound, set func(*scope, syntax.Expr) *expr) (*scope, []binding) {
	in := s.inner()
	out := make([]binding, len(bounds))
	for i := range bounds {
		b := &bounds[i]
		out[i] = binding{set: set(s, b.Set), tuple: b.Tuple, at: s.place(b.Set)}
		for k := range b.Names {
			name := &b.Names[k]
			in.fresh(name, name.Name)
			slot := s.fn.bind(name, 1)
			out[i].slots = append(out[i].slots, slot)
			out[i].names = append(out[i].names, name.Name)
			in.names[name.Name] = &local{name: name.Name, fn: s.fn, slot: slot}
		}
	}
	return in, out
}

// looped compiles a set of which only the elements are seen. The common part of two
// intervals then needs no list of them: printed, it would be one.
func (p *Program) looped(s *scope, n syntax.Expr) *expr {
	x := p.expr(s, n)
	op, ok := unparen(n).(*syntax.Op)
	if !ok || len(op.Prefix) > 0 || op.Name.Name != `\cap` && op.Name.Name != `\intersect` {
		return x
	}
	x.code = p.binary(s, op, p.kept(func(a, b value.Value) value.Value {
		if both, ok := value.Overlap(a, b); ok {
			return both
		}
		return value.Combine(value.Intersection, a, b)
	})).code
	return x
}

func bindingLevel(list []binding) level {
	l := constant
	for i := range list {
		l = max(l, list[i].set.level)
	}
	return l
}

// assign sets the slots of a bound for an element of its set.
func (b *binding) assign(r *Run, f *frame, e value.Value) {
	if !b.tuple {
		f.vals[b.slots[0]] = e
		return
	}
	t, ok := e.(*value.Tuple)
	if !ok || len(t.Elems) != len(b.slots) {
		r.at = b.at
		value.Fail("%s is not a tuple of %d elements, as the bound names are", value.Show(e), len(b.slots))
	}
	for i, slot := range b.slots {
		f.vals[slot] = t.Elems[i]
	}
}

// set is the bound's set, checked.
func (b *binding) values(r *Run, f *frame) value.Value {
	set := b.set.code(r, f)
	if !value.IsSet(set) {
		r.at = b.at
		value.Fail("%s is not a set", value.Show(set))
	}
	r.at = b.at
	return set
}

// each calls do with the slots set to each choice, until it returns false. All
// the sets are evaluated before.
func each(r *Run, f *frame, list []binding, do func() bool) bool {
	if len(list) == 1 && (list[0].tuple || len(list[0].slots) == 1) {
		b := &list[0]
		return r.through(b.values(r, f), b.at, func(e value.Value) bool {
			b.assign(r, f, e)
			return do()
		})
	}
	return eachOf(f, list, allSets(r, f, list), nil, nil, r, do)
}

func allSets(r *Run, f *frame, list []binding) []value.Value {
	sets := make([]value.Value, len(list))
	for i := range list {
		if sets[i] = list[i].values(r, f); !value.IsFinite(sets[i]) {
			value.Fail("the set %s cannot be enumerated", value.Show(sets[i]))
		}
	}
	return sets
}

// eachBut is each, but for the names that the plan solves.
func eachBut(r *Run, f *frame, list []binding, plan *probe, do func() bool) bool {
	sets := allSets(r, f, list)
	solved := map[int]bool{}
	if !plan.solve(r, f, sets, solved) {
		return true
	}
	return eachOf(f, list, sets, solved, nil, r, do)
}

// eachOf goes through the sets; slots that are solved have their value. Where check
// is false of the first names, their values are passed over.
func eachOf(f *frame, list []binding, sets []value.Value, solved map[int]bool, check func(names int) bool, r *Run, do func() bool) bool {
	if len(list) == 1 && len(list[0].slots) == 1 && !list[0].tuple && solved == nil && check == nil {
		b := &list[0]
		return r.through(sets[0], b.at, func(e value.Value) bool {
			f.vals[b.slots[0]] = e
			return do()
		})
	}
	if solved == nil && check == nil {
		return firstFastest(f, list, sets, r, do)
	}
	var from func(i, k, names int) bool
	next := func(i, k, names int) bool {
		if check != nil && !check(names+1) {
			return true
		}
		if k+1 < len(list[i].slots) && !list[i].tuple {
			return from(i, k+1, names+1)
		}
		return from(i+1, 0, names+1)
	}
	from = func(i, k, names int) bool {
		if i == len(list) {
			return do()
		}
		b := &list[i]
		if !b.tuple && solved[b.slots[k]] {
			return next(i, k, names)
		}
		return r.through(sets[i], b.at, func(e value.Value) bool {
			if b.tuple {
				b.assign(r, f, e)
			} else {
				f.vals[b.slots[k]] = e
			}
			return next(i, k, names)
		})
	}
	return from(0, 0, 0)
}

// firstFastest goes through the sets in TLC's order: the first name changes fastest. It
// decides whether a quantifier has its value before an error.
func firstFastest(f *frame, list []binding, sets []value.Value, r *Run, do func() bool) bool {
	var from func(i, k int) bool
	before := func(i int) bool {
		if i == 0 {
			return do()
		}
		return from(i-1, len(list[i-1].slots)-1)
	}
	from = func(i, k int) bool {
		b := &list[i]
		return r.through(sets[i], b.at, func(e value.Value) bool {
			if b.tuple {
				b.assign(r, f, e)
				return before(i)
			}
			if f.vals[b.slots[k]] = e; k > 0 {
				return from(i, k-1)
			}
			return before(i)
		})
	}
	return before(len(list))
}

func (p *Program) quant(s *scope, n *syntax.Quant) *expr {
	if len(n.Names) > 0 {
		return p.unboundedQuant(s, n)
	}
	first := s.fn.bind(n, 0)
	in, list := p.bind(s, n.Bounds, p.looped)
	body := p.expr(in, n.Body)
	until := n.Kind == `\E`
	at := s.place(n.Body)
	q := p.remembering(in, n.Body, list, first)
	then := "=>"
	if until {
		then = `/\`
	}
	ix := p.index(in, list, n.Body, then, first)
	keep := p.keeperOf(q, list)
	narrows := until && max(bindingLevel(list), body.level) >= action
	if ix != nil || narrows {
		keep = nil
	}
	alone := p.keeperOf(q, list[:1]) // over the first name
	var others []value.Value         // of the other names, the last time
	var narrow *narrowing
	newDecided := func() kind { return &decided{until: until} }
	decides := func(r *Run, f *frame) func() bool {
		return func() bool { return r.truth(body.code(r, f), at) }
	}
	return &expr{level: max(bindingLevel(list), body.level), code: func(r *Run, f *frame) value.Value {
		var all, known bool
		switch remembers := r.memory != nil && q != nil; {
		case narrows && r.next != nil && r.track == nil && r.memory == nil:
			if narrow == nil {
				narrow = p.narrowing(in, n, list)
				if narrows = narrow != nil; !narrows {
					all = each(r, f, list, func() bool { return r.truth(body.code(r, f), at) != until })
					break
				}
			}
			given := allSets(r, f, list)
			left := narrow.narrowed(r, f, list, given)
			if all = left.none; all {
				break
			}
			test := left.tested(r, f, func() bool { return r.truth(body.code(r, f), at) != until })
			if left.solved == nil && &left.sets[0] == &given[0] && narrow.alone && left.whole && slices.EqualFunc(others, given[1:], value.Same) {
				if t, ok := alone.keep(r, f, given[0], newDecided, func() value.Value { return value.Truth(!eachOf(f, list[1:], given[1:], nil, nil, r, test)) }); ok {
					all = t.result.(*decided).n == 0
					break
				}
			}
			others = left.sets[1:]
			all = eachOf(f, list, left.sets, left.solved, nil, r, test)
		case ix != nil:
			if all, known = ix.tracked(r, f, until); known {
				break
			}
			sets := allSets(r, f, list)
			if all, known = ix.each(r, f, sets[0], until); known {
				break
			}
			if remembers {
				all = q.each(r, f, sets, until, decides(r, f))
			} else {
				all = eachOf(f, list, sets, nil, nil, r, func() bool { return r.truth(body.code(r, f), at) != until })
			}
		case keep != nil:
			sets := allSets(r, f, list)
			if t, ok := keep.keep(r, f, sets[0], newDecided, func() value.Value { return value.Truth(r.truth(body.code(r, f), at)) }); ok {
				all = t.result.(*decided).n == 0
			} else if remembers {
				all = q.each(r, f, sets, until, decides(r, f))
			} else {
				all = eachOf(f, list, sets, nil, nil, r, func() bool { return r.truth(body.code(r, f), at) != until })
			}
		case remembers:
			all = q.each(r, f, allSets(r, f, list), until, decides(r, f))
		default:
			all = each(r, f, list, func() bool { return r.truth(body.code(r, f), at) != until })
		}
		return value.Truth(all != until)
	}}
}

// unboundedQuant is an error where it is evaluated: theorems and their like may
// have it.
func (p *Program) unboundedQuant(s *scope, n *syntax.Quant) *expr {
	x := p.unbounded(s, n, n.Kind, n.Names, n.Body)
	if n.Kind == `\AA` || n.Kind == `\EE` {
		return p.temporal(s, n)
	}
	return x
}

// unbounded binds names that no set gives values.
func (p *Program) unbounded(s *scope, n syntax.Node, what string, names []syntax.Ident, body syntax.Expr) *expr {
	in := s.inner()
	for i := range names {
		name := &names[i]
		in.fresh(name, name.Name)
		in.names[name.Name] = &local{name: name.Name, fn: s.fn, slot: s.fn.bind(name, 1)}
	}
	x := p.expr(in, body)
	at := s.place(n)
	return &expr{level: x.level, code: func(r *Run, f *frame) value.Value {
		r.at = at
		value.Fail("%s without a set is not supported: its values cannot be enumerated", what)
		return nil
	}}
}

func (p *Program) choose(s *scope, n *syntax.Choose) *expr {
	if n.Bound.Set == nil {
		return p.unbounded(s, n, "CHOOSE", n.Bound.Names, n.Body)
	}
	in, list := p.bind(s, []syntax.Bound{n.Bound}, p.expr)
	body := p.expr(in, n.Body)
	at, of := s.place(n), s.place(n.Body)
	return &expr{level: max(bindingLevel(list), body.level), code: func(r *Run, f *frame) value.Value {
		var found value.Value
		b := &list[0]
		set := b.values(r, f)
		if !value.IsFinite(set) {
			value.Fail("CHOOSE from %s, which cannot be enumerated", value.Show(set))
		}
		r.through(set, b.at, func(e value.Value) bool {
			b.assign(r, f, e)
			if r.truth(body.code(r, f), of) {
				found = e
			}
			return found == nil
		})
		if found == nil {
			r.at = at
			value.Fail("CHOOSE finds no element of %s that satisfies its condition", value.Show(set))
		}
		return found
	}}
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
	if isLazyText(n.Bound.Set) {
		x.member = func(r *Run, f *frame, v value.Value) bool {
			if !value.Contains(b.values(r, f), v) {
				return false
			}
			b.assign(r, f, v)
			return r.truth(pred.code(r, f), at)
		}
	}
	return x
}

// isLazyText reports whether an expression is a set that TLC does not enumerate for
// membership in a part of it.
func isLazyText(n syntax.Expr) bool {
	switch n := unparen(n).(type) {
	case *syntax.FcnSet, *syntax.RecordSet, *syntax.Times:
		return true
	case *syntax.Op:
		return len(n.Prefix) == 0 && n.Name.Name == "SUBSET"
	}
	return false
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
