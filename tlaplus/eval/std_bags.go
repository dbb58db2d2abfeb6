package eval

import "tracecheck/tlaplus/value"

// Bags, and BagsExt of the community modules.

// bagOf counts the values.
func bagOf(vals []value.Value) value.Value {
	dom := value.NewSet(append([]value.Value(nil), vals...))
	counts := make([]int64, dom.Len())
	for _, v := range vals {
		counts[dom.Index(v)]++
	}
	return counted(dom.Elems(), counts)
}

// counted is the bag of the elements, in order, that have a count.
func counted(elems []value.Value, counts []int64) value.Value {
	var keys, vals []value.Value
	for i, n := range counts {
		if n > 0 {
			keys, vals = append(keys, elems[i]), append(vals, value.Of(n))
		}
	}
	return value.NewFcn(value.NewSet(keys), vals)
}

func copies(bag, e value.Value) int64 {
	if i := domain(bag).Index(e); i >= 0 {
		return integer(value.Apply(bag, e))
	}
	return 0
}

// combined is the bag of do(copies in a, copies in b). Strict: both have to be bags.
func combined(do func(a, b int64) int64, strict bool) func(*Run, value.Value, value.Value) value.Value {
	number := func(v value.Value) int64 {
		if v == nil {
			return 0
		}
		n := integer(v)
		if strict && n <= 0 {
			value.Fail("an argument is not a bag: it has an element %d times", n)
		}
		return n
	}
	return func(_ *Run, a, b value.Value) value.Value {
		_, _ = value.Domain(a), value.Domain(b) // an error where it is not a function
		return value.Zip(a, b, func(x, y value.Value) value.Value {
			if n := do(number(x), number(y)); n > 0 {
				return value.Of(n)
			}
			return nil
		})
	}
}

// united is how often the union of two functions has an element, as TLC counts it.
func united(x, y value.Value) value.Value {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return value.Of(integer(x) + integer(y))
}

func addOne(a, b int64) int64 { return a + b }

func bagWith(_ *Run, bag, e value.Value, n int64) value.Value {
	return combined(addOne, false)(nil, bag, counted([]value.Value{e}, []int64{n}))
}

func (lib library) bags() {
	plus := combined(addOne, true)
	minus := combined(func(a, b int64) int64 { return a - b }, false)
	lib.register("Bags", []string{"TLC"},
		one("IsABag", func(_ *Run, b value.Value) value.Value {
			switch b.(type) {
			case *value.Tuple, *value.Fcn, *value.Lambda:
			default:
				return value.False
			}
			for _, n := range image(b) {
				if i, ok := n.(value.Int); !ok || i < 1 {
					return value.False
				}
			}
			return value.True
		}),
		one("BagToSet", func(_ *Run, b value.Value) value.Value { return value.Domain(b) }),
		one("SetToBag", func(_ *Run, s value.Value) value.Value { return bagOf(value.Enumerate(s).Elems()) }),
		two("BagIn", func(_ *Run, e, b value.Value) value.Value { return value.Truth(copies(b, e) > 0) }),
		fixed("EmptyBag", value.Empty),
		two("(+)", plus), two("(-)", minus),
		one("BagUnion", func(r *Run, s value.Value) value.Value {
			bags := value.Enumerate(s).Elems()
			if len(bags) == 0 {
				return value.Empty
			}
			all := bags[0] // TLC does not ask whether it is a bag
			for _, b := range bags[1:] {
				_, _ = value.Domain(all), value.Domain(b) // an error where it is not a function
				all = value.Zip(all, b, united)
			}
			return all
		}),
		two(`\sqsubseteq`, func(_ *Run, a, b value.Value) value.Value {
			for _, e := range domain(a).Each() {
				if copies(a, e) > copies(b, e) {
					return value.False
				}
			}
			return value.True
		}),
		one("SubBag", func(_ *Run, b value.Value) value.Value {
			elems := domain(b).Elems()
			size := int64(1)
			for _, e := range elems {
				n := copies(b, e)
				if n <= 0 {
					value.Fail("SubBag: %s is not a bag", value.Show(b))
				}
				if size *= n + 1; size > value.MostElements {
					value.Fail("the bag %s has too many subbags", value.Show(b))
				}
			}
			out := []value.Value{value.Empty}
			for _, e := range elems {
				for _, sub := range out {
					for n := int64(1); n <= copies(b, e); n++ {
						out = append(out, bagWith(nil, sub, e, n))
					}
				}
			}
			return value.NewSet(out)
		}),
		some("BagOfAll", []int{1, 0}, func(r *Run, args []any) value.Value {
			b := r.Arg(args[1])
			var all value.Value = value.Empty
			for _, e := range domain(b).Each() {
				all = bagWith(r, all, r.Call(args[0], e), copies(b, e))
			}
			return all
		}),
		one("BagCardinality", func(_ *Run, b value.Value) value.Value {
			for _, n := range image(b) {
				if integer(n) <= 0 {
					value.Fail("BagCardinality: %s is not a bag", value.Show(b))
				}
			}
			return sum(image(b))
		}),
		two("CopiesIn", func(_ *Run, e, b value.Value) value.Value { return value.Of(copies(b, e)) }))
	lib.register("BagsExt", nil,
		two("BagAdd", func(r *Run, b, e value.Value) value.Value { return bagWith(r, b, e, 1) }),
		two("BagRemove", func(r *Run, b, e value.Value) value.Value { return minus(r, b, bagOf([]value.Value{e})) }),
		two("BagRemoveAll", func(r *Run, b, e value.Value) value.Value {
			return restrict(b, value.Combine(value.Difference, domain(b), value.NewSet([]value.Value{e})).(*value.Set))
		}),
		some("MapThenFoldBag", []int{2, 0, 1, 1, 0}, func(r *Run, args []any) value.Value {
			return r.foldBag(args[0], r.Arg(args[1]), r.Arg(args[4]), func(e value.Value) value.Value { return r.Call(args[2], e) })
		}),
		some("FoldBag", []int{2, 0, 0}, func(r *Run, args []any) value.Value {
			return r.foldBag(args[0], r.Arg(args[1]), r.Arg(args[2]), same)
		}),
		one("SumBag", func(_ *Run, b value.Value) value.Value {
			n := int64(0)
			for _, e := range domain(b).Each() {
				n = integer(value.Of(n + integer(e)*copies(b, e)))
			}
			return value.Of(n)
		}),
		one("ProductBag", func(_ *Run, b value.Value) value.Value {
			n := int64(1)
			for _, e := range domain(b).Each() {
				if n != 0 {
					n = integer(value.Of(n * power(integer(e), copies(b, e))))
				}
			}
			return value.Of(n)
		}))
}

// foldBag folds each element as often as the bag has it: the operator gets what
// there is so far, and the element.
func (r *Run) foldBag(op any, base, bag value.Value, f func(value.Value) value.Value) value.Value {
	for _, e := range domain(bag).Each() {
		for range copies(bag, e) {
			r.spend()
			base = r.Call(op, base, f(e))
		}
	}
	return base
}
