package eval

import (
	"math/big"
	"math/bits"

	"tracecheck/tlaplus/value"
)

// Bitwise, Combinatorics and DyadicRationals of the community modules,
// Randomization, and what is refused: Reals and Statistics.

func bitwise(name string, do func(a, b int32) int32) *Native {
	return arithmetic(name, func(a, b int64) int64 { return int64(do(int32(a), int32(b))) })
}

// natural is the value as an integer that is not negative.
func natural(v value.Value, what string) int64 {
	n := integer(v)
	if n < 0 {
		value.Fail("%s: %d is negative", what, n)
	}
	return n
}

func fitting(n *big.Int) value.Value {
	if !n.IsInt64() {
		value.Fail("the integer %s does not fit 32 bits", n)
	}
	return value.Of(n.Int64())
}

// rational is a record of a numerator and a denominator.
func (r *Run) rational(num, den int64) value.Value {
	return r.Record(map[string]value.Value{"num": value.Of(num), "den": value.Of(den)})
}

func (r *Run) fraction(v value.Value) (num, den int64) {
	return integer(field(r, v, "num")), integer(field(r, v, "den"))
}

func (r *Run) reduced(num, den int64) value.Value {
	if num <= 0 || den <= 0 {
		value.Fail("%d/%d: both have to be above 0", num, den)
	}
	by := new(big.Int).GCD(nil, nil, big.NewInt(num), big.NewInt(den)).Int64()
	return r.rational(num/by, den/by)
}

// randomSubset has each element with a probability of n of the size.
func (r *Run) randomSubset(elems []value.Value, n int64) value.Value {
	var out []value.Value
	for _, e := range elems {
		if int64(r.random(len(elems))) < n {
			out = append(out, e)
		}
	}
	return value.NewSet(out)
}

func (r *Run) randomSubsets(k, n int64, elems []value.Value) *value.Set {
	if k < 0 || k > value.MostElements || n < 0 || n > int64(len(elems)) {
		value.Fail("RandomSetOfSubsets(%d, %d, S) of a set of %d elements: the first has to be 0 or more and not too large, the second at most the size", k, n, len(elems))
	}
	var out []value.Value
	for range k {
		r.spend()
		out = append(out, r.randomSubset(elems, n))
	}
	return value.NewSet(out)
}

func (lib library) numbers() {
	lib.register("Bitwise", nil,
		bitwise("&", func(a, b int32) int32 { return a & b }),
		bitwise("|", func(a, b int32) int32 { return a | b }),
		bitwise("^^", func(a, b int32) int32 { return a ^ b }),
		one("Not", func(_ *Run, v value.Value) value.Value {
			n := natural(v, "Not")
			return value.Of(n ^ (1<<bits.Len64(uint64(n)) - 1))
		}),
		// As Java shifts: without the sign, by the lowest five bits.
		bitwise("shiftR", func(a, b int32) int32 { return int32(uint32(a) >> (uint32(b) & 31)) }))
	lib.register("Combinatorics", []string{"Naturals"},
		fixed("factorial", &value.Lambda{Dom: value.Nat, Call: func(v value.Value) value.Value {
			n := natural(v, "factorial")
			if n > 12 {
				value.Fail("the factorial of %d does not fit 32 bits", n)
			}
			return fitting(new(big.Int).MulRange(1, n))
		}}),
		two("choose", func(_ *Run, a, b value.Value) value.Value {
			n, k := natural(a, "choose"), natural(b, "choose")
			if k > n {
				return value.Of(0)
			}
			if min(k, n-k) > 31 {
				value.Fail("choose(%d, %d) does not fit 32 bits", n, k)
			}
			return fitting(new(big.Int).Binomial(n, k))
		}))
	lib.register("DyadicRationals", nil,
		&Native{Name: "Zero", F0: func(r *Run) value.Value { return r.rational(0, 1) }},
		&Native{Name: "One", F0: func(r *Run) value.Value { return r.rational(1, 1) }},
		one("IsDyadicRational", func(r *Run, v value.Value) value.Value {
			_, den := r.fraction(v)
			return value.Truth(den > 0 && den&(den-1) == 0)
		}),
		two("Add", func(r *Run, v, w value.Value) value.Value {
			a, b := r.fraction(v)
			c, d := r.fraction(w)
			if a == 0 && b == 1 {
				return w
			}
			most := max(b, d)
			return r.reduced(a*floor(most, b)+c*floor(most, d), most)
		}),
		one("Half", func(r *Run, v value.Value) value.Value {
			num, den := r.fraction(v)
			return r.reduced(num, den*2)
		}),
		one("PrettyPrint", func(r *Run, v value.Value) value.Value {
			num, den := r.fraction(v)
			if den == 1 && (num == 0 || num == 1) {
				return r.Space.String(value.Show(value.Of(num)))
			}
			return r.Space.String(value.Show(value.Of(num)) + "/" + value.Show(value.Of(den)))
		}))
	lib.register("Randomization", nil,
		&Native{Name: "RandomSubset", Arity: 2, Level: state, F2: func(r *Run, a, b value.Value) value.Value {
			k, left := integer(a), append([]value.Value(nil), value.Enumerate(b).Elems()...)
			if k < 0 {
				value.Fail("RandomSubset(%d, S): a number of elements is expected", k)
			}
			k = min(k, int64(len(left)))
			for i := range int(k) {
				j := i + r.random(len(left)-i)
				left[i], left[j] = left[j], left[i]
			}
			return value.NewSet(left[:k])
		}},
		&Native{Name: "RandomSetOfSubsets", Arity: 3, Level: state, FN: func(r *Run, args []any) value.Value {
			return r.randomSubsets(integer(r.Arg(args[0])), integer(r.Arg(args[1])), value.Enumerate(r.Arg(args[2])).Elems())
		}},
		&Native{Name: "TestRandomSetOfSubsets", Arity: 3, Level: state, FN: func(r *Run, args []any) value.Value {
			k, n, s := integer(r.Arg(args[0])), integer(r.Arg(args[1])), value.Enumerate(r.Arg(args[2])).Elems()
			var sizes []value.Value
			for range 5 {
				sizes = append(sizes, value.Of(int64(r.randomSubsets(k, n, s).Len())))
			}
			return list(sizes...)
		}})
	lib.register("Statistics", []string{"Naturals"}, refused("ChiSquare", 3))
}
