package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

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
