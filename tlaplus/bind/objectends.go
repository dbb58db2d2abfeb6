package bind

import (
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
)

// ends are the values of a variable before and after the step.
type ends struct {
	variable    int
	before, end value.Value
	gone, come  []value.Value // of a set
	at          []value.Value // of a function: the arguments with another value
}

// keeps reports whether a value on the way differs only where the ends do, as the one does
// that it is made from: at arguments of a function, and in elements of a set.
func (b *batch) keeps(e *ends, from, v value.Value) bool {
	if before, ok := e.before.(*value.Set); ok {
		end, isSet := e.end.(*value.Set)
		on, also := v.(*value.Set)
		if !isSet || !also {
			return false
		}
		gone, _ := b.differ(from.(*value.Set), on)
		return !slices.ContainsFunc(gone, func(x value.Value) bool { return before.Index(x) >= 0 && end.Index(x) >= 0 })
	}
	a, ok := domainOf(e.before)
	z, isFcn := domainOf(e.end)
	if !ok || !isFcn {
		return true
	}
	on, ok := domainOf(v)
	if !ok {
		return false
	}
	for _, k := range a.Each() {
		if z.Index(k) >= 0 && value.Identical(value.Apply(e.before, k), value.Apply(e.end, k)) &&
			(on.Index(k) < 0 || !value.Identical(value.Apply(v, k), value.Apply(e.before, k))) {
			return false
		}
	}
	return !slices.ContainsFunc(on.Elems(), func(k value.Value) bool { return a.Index(k) < 0 && z.Index(k) < 0 })
}

// domainOf is that of a function.
func domainOf(v value.Value) (*value.Set, bool) {
	switch v.(type) {
	case *value.Fcn, *value.Tuple, *value.Lambda:
		return value.Enumerate(value.Domain(v)), true
	}
	return nil, false
}

// differ is what one set has that the other has not, and the other way round.
func (b *batch) differ(was, is *value.Set) (gone, come []value.Value) {
	if gone, come, ok := b.differs.Of(was, is); ok {
		return gone, come
	}
	return without(was, is), without(is, was)
}

// ended notes the values of a variable before and after the step, and where they differ.
func (b *batch) ended(variable int, before, end value.Value) ends {
	e := ends{variable: variable, before: before, end: end}
	a, isSet := before.(*value.Set)
	z, also := end.(*value.Set)
	if isSet && also {
		e.gone, e.come = b.differ(a, z)
		return e
	}
	from, ok := domainOf(before)
	to, isFcn := domainOf(end)
	if !ok || !isFcn {
		return e
	}
	e.at = without(to, from)
	for _, k := range from.Each() {
		if w := valueAt(end, k); w == nil || !value.Identical(w, value.Apply(before, k)) {
			e.at = append(e.at, k)
		}
	}
	return e
}

// stay notes the elements that each state on the way has.
func (b *batch) stay(e *ends) {
	if before, ok := e.before.(*value.Set); ok && value.InOrder(before) && b.m.b.opts.Without&eval.Nearest == 0 {
		if b.goals == nil {
			b.goals = make([]eval.Goal, len(b.m.p.spec.Variables))
		}
		b.goals[e.variable].Stay = before.Changed(e.gone, nil)
	}
}

// without is the elements of a set that are not in another one.
func without(a, b *value.Set) (list []value.Value) {
	for _, x := range a.Each() {
		if b.Index(x) < 0 {
			list = append(list, x)
		}
	}
	return list
}

// farther is how much farther a value on the way is from the one after the step than the
// value that it is made from. Both keep what the step does not change.
func (b *batch) farther(e *ends, from, v value.Value) (cost int) {
	was, ok := from.(*value.Set)
	is, also := v.(*value.Set)
	before, isSet := e.before.(*value.Set)
	if ok && also && isSet {
		has := func(set *value.Set, x value.Value) bool { return set.Index(x) >= 0 }
		costOf := func(x value.Value) int { // of having the element
			switch end := e.end.(*value.Set); {
			case has(end, x):
				return -costMissing
			case has(before, x):
				return costMissing
			}
			return costMissing + costBetween
		}
		gone, come := b.differ(was, is)
		for _, x := range gone {
			cost -= costOf(x)
		}
		for _, x := range come {
			cost += costOf(x)
		}
		return cost
	}
	return e.cost(v) - e.cost(from)
}

// first is how far the value before the step is from the one after it.
func (e *ends) first() int {
	if n := len(e.gone) + len(e.come); n > 0 {
		return costMissing * n
	}
	return e.cost(e.before)
}

// cost is how far a value on the way is from the one after the step.
func (e *ends) cost(v value.Value) (cost int) {
	if e.at == nil {
		return costOf(v, e.before, e.end)
	}
	for _, k := range e.at {
		cost += costOf(valueAt(v, k), valueAt(e.before, k), valueAt(e.end, k))
	}
	return cost
}

// costOf is that of a value; nil: there is none.
func costOf(v, before, end value.Value) int {
	is := func(w value.Value) bool { return v == nil && w == nil || v != nil && w != nil && value.Identical(v, w) }
	switch {
	case is(end):
		return 0
	case is(before):
		return costMissing
	}
	return costMissing + costBetween
}

// hopeless reports whether no action can make some element that a set has after the step.
func (b *batch) hopeless() bool {
	return b.m.b.opts.Without&eval.Nearest == 0 && slices.ContainsFunc(b.ends, func(e ends) bool {
		before, ok := e.before.(*value.Set)
		return ok && slices.ContainsFunc(e.come, func(x value.Value) bool { return !b.m.p.spec.CanMake(b.m.p.run, e.variable, before, x) })
	})
}
