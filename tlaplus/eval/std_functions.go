package eval

import (
	"slices"

	"tracecheck/tlaplus/value"
)

// Functions, Folds and FiniteSetsExt of the community modules.

// some is an operator of several arguments; ops has those that are operators
// and of what arity.
func some(name string, ops []int, do func(r *Run, args []any) value.Value) *Native {
	return &Native{Name: name, Arity: len(ops), Ops: ops, FN: do}
}

// restrict is the function on a part of its domain.
func restrict(f value.Value, dom *value.Set) value.Value {
	vals := make([]value.Value, dom.Len())
	for i, e := range dom.Each() {
		vals[i] = value.Apply(f, e)
	}
	return value.NewFcn(dom, vals)
}

func domain(f value.Value) *value.Set { return value.Enumerate(value.Domain(f)) }

// image is the function's values, by its domain.
func image(f value.Value) []value.Value {
	dom := domain(f)
	vals := make([]value.Value, dom.Len())
	for i, e := range dom.Each() {
		vals[i] = value.Apply(f, e)
	}
	return vals
}

func rangeOf(_ *Run, f value.Value) value.Value { return value.NewSet(image(f)) }

func (r *Run) holds(op any, args ...value.Value) bool {
	v := r.Call(op, args...)
	b, ok := v.(value.Bool)
	if !ok {
		value.Fail("the test is not a boolean: %s", value.Show(v))
	}
	return bool(b)
}

// selected is the elements that satisfy a test.
func (r *Run) selected(elems []value.Value, test func(value.Value) bool) *value.Set {
	var out []value.Value
	for _, e := range elems {
		if test(e) {
			out = append(out, e)
		}
	}
	return value.NewSet(out)
}

// fold is op(f(x1), op(f(x2), … base)): the last element comes first.
func (r *Run) fold(op any, base value.Value, elems []value.Value, f func(value.Value) value.Value) value.Value {
	for _, e := range slices.Backward(elems) {
		base = r.Call(op, f(e), base)
	}
	return base
}

// foldUp is the fold that begins with the first element: TLC's own folds do so,
// though their definitions say otherwise.
func (r *Run) foldUp(op any, base value.Value, elems []value.Value, f func(value.Value) value.Value) value.Value {
	for _, e := range elems {
		base = r.Call(op, f(e), base)
	}
	return base
}

func same(v value.Value) value.Value { return v }

func sum(vals []value.Value) value.Value {
	n := int64(0)
	for _, v := range vals {
		n = integer(value.Of(n + integer(v)))
	}
	return value.Of(n)
}

func isInjective(_ *Run, f value.Value) value.Value {
	if set, ok := f.(*value.RecordSet); ok { // TLC takes it as a record of the sets
		return value.Truth(value.NewSet(slices.Clone(set.Sets)).Len() == len(set.Sets))
	}
	vals := image(f)
	return value.Truth(value.NewSet(vals).Len() == domain(f).Len())
}

// functionsBetween are those of [S -> T] that satisfy the test.
func functionsBetween(test func(f, t value.Value) bool) func(*Run, value.Value, value.Value) value.Value {
	return func(r *Run, s, t value.Value) value.Value {
		return r.selected(value.Enumerate(&value.FcnSet{Dom: s, Range: t}).Elems(), func(f value.Value) bool { return test(f, t) })
	}
}

func injective(f, _ value.Value) bool  { return isInjective(nil, f) == value.True }
func surjective(f, t value.Value) bool { return value.Equal(rangeOf(nil, f), t) }

func exists(op func(*Run, value.Value, value.Value) value.Value) func(*Run, value.Value, value.Value) value.Value {
	return func(r *Run, s, t value.Value) value.Value {
		return value.Truth(op(r, s, t).(*value.Set).Len() > 0)
	}
}

// inverse is [to \in t |-> CHOOSE from \in s : to \in Range(f) => f[from] = to].
func inverse(r *Run, f value.Value, s, t *value.Set) value.Value {
	vals, image := make([]value.Value, t.Len()), rangeOf(r, f)
	for i, to := range t.Each() {
		any := !value.Contains(image, to)
		for _, from := range s.Each() {
			if any || value.Equal(value.Apply(f, from), to) {
				vals[i] = from
				break
			}
		}
		if vals[i] == nil {
			value.Fail("Inverse: there is no element that leads to %s", value.Show(to))
		}
	}
	return value.NewFcn(t, vals)
}

func (lib library) functions() {
	injections, surjections := functionsBetween(injective), functionsBetween(surjective)
	bijections := functionsBetween(func(f, t value.Value) bool { return injective(f, t) && surjective(f, t) })
	lib.register("Folds", nil, some("MapThenFoldSet", []int{2, 0, 1, 1, 0}, func(r *Run, args []any) value.Value {
		rest := value.Enumerate(r.Arg(args[4]))
		var order []value.Value
		for rest.Len() > 0 {
			x := r.Call(args[3], rest)
			if !value.Contains(rest, x) {
				value.Fail("MapThenFoldSet: %s has been chosen, which is not in %s", value.Show(x), value.Show(rest))
			}
			order = append(order, x)
			rest = value.Combine(value.Difference, rest, value.NewSet([]value.Value{x})).(*value.Set)
		}
		return r.fold(args[0], r.Arg(args[1]), order, func(v value.Value) value.Value { return r.Call(args[2], v) })
	}))
	lib.register("Functions", []string{"Integers", "Folds"},
		two("Restrict", func(_ *Run, f, s value.Value) value.Value { // as of [x \in s |-> f[x]], no value is taken before it is needed
			return &value.Lambda{Dom: s, Call: func(x value.Value) value.Value { return value.Apply(f, x) }}
		}),
		some("RestrictDomain", []int{0, 1}, func(r *Run, args []any) value.Value {
			f := r.Arg(args[0])
			return restrict(f, r.selected(domain(f).Elems(), func(x value.Value) bool { return r.holds(args[1], x) }))
		}),
		some("RestrictValues", []int{0, 1}, func(r *Run, args []any) value.Value {
			f := r.Arg(args[0])
			return restrict(f, r.selected(domain(f).Elems(), func(x value.Value) bool { return r.holds(args[1], value.Apply(f, x)) }))
		}),
		two("IsRestriction", func(_ *Run, f, g value.Value) value.Value {
			if !value.IsSubset(domain(f), value.Domain(g)) {
				return value.False
			}
			return value.Truth(value.Equal(f, restrict(g, domain(f))))
		}),
		one("Range", rangeOf),
		some("Pointwise", []int{0, 0, 2}, func(r *Run, args []any) value.Value {
			f, g := r.Arg(args[0]), r.Arg(args[1])
			dom := domain(f)
			vals := make([]value.Value, dom.Len())
			for i, e := range dom.Each() {
				vals[i] = r.Call(args[2], value.Apply(f, e), value.Apply(g, e))
			}
			return value.NewFcn(dom, vals)
		}),
		some("Inverse", []int{0, 0, 0}, func(r *Run, args []any) value.Value {
			return inverse(r, r.Arg(args[0]), value.Enumerate(r.Arg(args[1])), value.Enumerate(r.Arg(args[2])))
		}),
		one("AntiFunction", func(r *Run, f value.Value) value.Value {
			dom, image := domain(f), rangeOf(r, f).(*value.Set)
			if value.Size(image) < value.Size(dom) {
				value.Fail("AntiFunction: %s has a value twice", value.Show(f))
			}
			return inverse(r, f, dom, image)
		}),
		one("IsInjective", isInjective),
		two("Injection", injections), two("Surjection", surjections), two("Bijection", bijections),
		two("ExistsInjection", exists(injections)), two("ExistsSurjection", exists(surjections)), two("ExistsBijection", exists(bijections)),
		some("FoldFunction", []int{2, 0, 0}, func(r *Run, args []any) value.Value {
			f := r.Arg(args[2])
			return r.foldUp(args[0], r.Arg(args[1]), domain(f).Elems(), func(x value.Value) value.Value { return value.Apply(f, x) })
		}),
		some("FoldFunctionOnSet", []int{2, 0, 0, 0}, func(r *Run, args []any) value.Value {
			f := r.Arg(args[2])
			value.Domain(f) // an error where it is not a function
			return r.foldUp(args[0], r.Arg(args[1]), value.Enumerate(r.Arg(args[3])).Elems(), func(x value.Value) value.Value { return value.Apply(f, x) })
		}),
		one("SumFunction", func(_ *Run, f value.Value) value.Value { return sum(image(f)) }),
		two("SumFunctionOnSet", func(_ *Run, f, s value.Value) value.Value { return sum(image(restrict(f, value.Enumerate(s)))) }))
	lib.register("FiniteSetsExt", []string{"Integers", "FiniteSets", "Folds", "Functions"},
		some("FoldSet", []int{2, 0, 0}, func(r *Run, args []any) value.Value {
			return r.foldUp(args[0], r.Arg(args[1]), value.Enumerate(r.Arg(args[2])).Elems(), same)
		}),
		some("ReduceSet", []int{2, 0, 0}, func(r *Run, args []any) value.Value {
			return r.foldUp(args[0], r.Arg(args[2]), value.Enumerate(r.Arg(args[1])).Elems(), same)
		}),
		one("SumSet", func(_ *Run, s value.Value) value.Value { return sum(value.Enumerate(s).Elems()) }),
		one("ProductSet", func(_ *Run, s value.Value) value.Value {
			n := int64(1)
			for _, v := range value.Enumerate(s).Each() {
				n = integer(value.Of(n * integer(v)))
			}
			return value.Of(n)
		}),
		some("MapThenSumSet", []int{1, 0}, func(r *Run, args []any) value.Value {
			var vals []value.Value
			for _, e := range value.Enumerate(r.Arg(args[1])).Each() {
				vals = append(vals, r.Call(args[0], e))
			}
			return sum(vals)
		}),
		one("FlattenSet", func(_ *Run, s value.Value) value.Value { return value.Flatten(s) }),
		two("SymDiff", func(_ *Run, a, b value.Value) value.Value {
			return value.Combine(value.Union, value.Combine(value.Difference, a, b), value.Combine(value.Difference, b, a))
		}),
		some("Quantify", []int{0, 1}, func(r *Run, args []any) value.Value {
			return value.Of(int64(len(r.selected(value.Enumerate(r.Arg(args[0])).Elems(), func(x value.Value) bool { return r.holds(args[1], x) }).Elems())))
		}),
		two("kSubset", func(_ *Run, k, s value.Value) value.Value {
			return value.SubsetsOfSize(value.Enumerate(s), int(integer(k)))
		}),
		one("Max", func(_ *Run, s value.Value) value.Value { return extreme(s, 1) }),
		one("Min", func(_ *Run, s value.Value) value.Value { return extreme(s, -1) }),
		one("Choices", func(_ *Run, s value.Value) value.Value {
			var out []value.Value
			for _, t := range value.Enumerate(&value.Product{Sets: value.Enumerate(s).Elems()}).Each() {
				out = append(out, value.NewSet(slices.Clone(t.(*value.Tuple).Elems)))
			}
			return value.NewSet(out)
		}),
		some("ChooseUnique", []int{0, 1}, func(r *Run, args []any) value.Value {
			s := r.selected(value.Enumerate(r.Arg(args[0])).Elems(), func(x value.Value) bool { return r.holds(args[1], x) })
			if s.Len() != 1 {
				value.Fail("ChooseUnique: %d elements satisfy the condition", s.Len())
			}
			return s.At(0)
		}))
}

// extreme is the largest integer of a set, or the smallest.
func extreme(s value.Value, sign int64) value.Value {
	elems := value.Enumerate(s).Elems()
	if len(elems) == 0 {
		value.Fail("the empty set has no largest and no smallest element")
	}
	best := elems[0]
	for _, e := range elems {
		if sign*integer(e) > sign*integer(best) {
			best = e
		}
	}
	return best
}
