package eval

import (
	"slices"
	"strings"

	"tracecheck/tlaplus/value"
)

// SequencesExt of the community modules.

func seq(v value.Value) []value.Value { return tuple(v).Elems }

func list(elems ...value.Value) value.Value { return value.NewTuple(elems...) }

func equalTo(v value.Value) func(value.Value) bool {
	return func(e value.Value) bool { return value.Equal(e, v) }
}

func isPrefix(s, t []value.Value) bool {
	return len(s) <= len(t) && value.EqualLists(s, t[:len(s)])
}

func isSuffix(s, t []value.Value) bool {
	return len(s) <= len(t) && value.EqualLists(s, t[len(t)-len(s):])
}

// about is a property of two sequences.
func about(name string, test func(s, t []value.Value) bool) *Native {
	return two(name, func(_ *Run, s, t value.Value) value.Value { return value.Truth(test(seq(s), seq(t))) })
}

// begins is a property of two sequences, or of two strings.
func begins(name string, test func(s, t []value.Value) bool) *Native {
	return two(name, func(_ *Run, s, t value.Value) value.Value {
		if a, ok := s.(*value.Str); ok {
			if b, ok := t.(*value.Str); ok {
				return value.Truth(test(units(a), units(b)))
			}
		}
		return value.Truth(test(seq(s), seq(t)))
	})
}

// units are the characters of a string.
func units(s *value.Str) []value.Value {
	chars := characters(s)
	out := make([]value.Value, len(chars))
	for i, c := range chars {
		out[i] = value.Of(int64(c))
	}
	return out
}

func withoutPlace(s []value.Value, i int) value.Value {
	if i < 0 {
		return list(s...)
	}
	return list(slices.Delete(slices.Clone(s), i, i+1)...)
}

func ordinal(i int) value.Value { return value.Of(int64(i + 1)) }

// orders are all sequences of the set's elements, each once.
func orders(elems []value.Value) (out []value.Value) {
	if len(elems) == 0 {
		return []value.Value{value.Empty}
	}
	if len(elems) > mostPermuted {
		value.Fail("the orders of %d elements: at most %d are permuted", len(elems), mostPermuted)
	}
	for i, e := range elems {
		for _, rest := range orders(slices.Delete(slices.Clone(elems), i, i+1)) {
			out = append(out, list(append([]value.Value{e}, seq(rest)...)...))
		}
	}
	return out
}

func (lib library) sequences() {
	find := func(name string, last bool) *Native {
		return some(name, []int{0, 1}, func(r *Run, args []any) value.Value { return r.found(seq(r.Arg(args[0])), args[1], last) })
	}
	findIn := func(name string, last bool) *Native {
		return some(name, []int{0, 0, 0, 1}, func(r *Run, args []any) value.Value {
			s, from, to := seq(r.Arg(args[0])), integer(r.Arg(args[1])), integer(r.Arg(args[2]))
			if from > to {
				return value.Of(0)
			}
			if from < 1 || to > int64(len(s)) {
				value.Fail("%s: %d to %d goes beyond the sequence", name, from, to)
			}
			if i := integer(r.found(s[from-1:to], args[3], last)); i > 0 {
				return value.Of(from - 1 + i)
			}
			return value.Of(0)
		})
	}
	lib.register("SequencesExt", []string{"Sequences", "Naturals", "FiniteSets", "FiniteSetsExt", "Folds", "Functions", "Bags", "TLC"},
		one("ToSet", func(_ *Run, s value.Value) value.Value { return value.NewSet(image(s)) }),
		one("ToBag", func(_ *Run, s value.Value) value.Value { return bagOf(image(s)) }),
		one("SetToSeq", func(_ *Run, s value.Value) value.Value { return list(value.Enumerate(s).Elems()...) }),
		one("SetToSeqs", func(_ *Run, s value.Value) value.Value { return value.NewSet(orders(value.Enumerate(s).Elems())) }),
		some("SetToSortSeq", []int{0, 2}, func(r *Run, args []any) value.Value {
			elems := slices.Clone(value.Enumerate(r.Arg(args[0])).Elems())
			slices.SortStableFunc(elems, func(a, b value.Value) int {
				switch {
				case r.holds(args[1], a, b):
					return -1
				case r.holds(args[1], b, a):
					return 1
				}
				return 0
			})
			return list(elems...)
		}),
		one("SetToAllKPermutations", func(_ *Run, s value.Value) value.Value {
			var out []value.Value
			for _, t := range value.Enumerate(&value.Subset{Of: s}).Each() {
				out = append(out, orders(value.Enumerate(t).Elems())...)
			}
			return value.NewSet(out)
		}),
		two("TupleOf", func(_ *Run, s, n value.Value) value.Value {
			return &value.FcnSet{Dom: value.Interval{Lo: 1, Hi: int32(integer(n))}, Range: s}
		}),
		two("SeqOf", boundedSeq), two("BoundedSeq", boundedSeq),
		two("Contains", func(_ *Run, s, e value.Value) value.Value {
			return value.Truth(slices.ContainsFunc(seq(s), equalTo(e)))
		}),
		some("IsSorted", []int{0, 2}, func(r *Run, args []any) value.Value {
			s := seq(r.Arg(args[0]))
			for i := range s {
				for j := i + 1; j < len(s); j++ {
					if !r.holds(args[1], s[i], s[j]) {
						return value.False
					}
				}
			}
			return value.True
		}),
		one("Reverse", func(r *Run, s value.Value) value.Value {
			t := slices.Clone(seq(s))
			slices.Reverse(t)
			return list(t...)
		}),
		some("Remove", []int{0, 0}, func(r *Run, args []any) value.Value {
			s := slices.Clone(seq(r.Arg(args[0])))
			if len(s) > 0 { // otherwise TLC does not evaluate the other
				s = slices.DeleteFunc(s, equalTo(r.Arg(args[1])))
			}
			return list(s...)
		}),
		some("ReplaceAll", []int{0, 0, 0}, func(r *Run, args []any) value.Value {
			s := slices.Clone(seq(r.Arg(args[0])))
			for i := range s {
				if value.Equal(s[i], r.Arg(args[1])) {
					s[i] = r.Arg(args[2])
				}
			}
			return list(s...)
		}),
		find("SelectInSeq", false), find("SelectLastInSeq", true),
		findIn("SelectInSubSeq", false), findIn("SelectLastInSubSeq", true),
		some("InsertAt", []int{0, 0, 0}, func(r *Run, args []any) value.Value {
			s, i := seq(r.Arg(args[0])), integer(r.Arg(args[1]))
			if i < 1 || i > int64(len(s))+1 {
				value.Fail("InsertAt: there is no place %d in a sequence of %d", i, len(s))
			}
			return list(slices.Insert(slices.Clone(s), int(i-1), r.Arg(args[2]))...)
		}),
		some("ReplaceAt", []int{0, 0, 0}, func(r *Run, args []any) value.Value {
			return value.With(r.Arg(args[0]), r.Arg(args[1]), func(value.Value) value.Value { return r.Arg(args[2]) })
		}),
		two("RemoveAt", func(r *Run, s, i value.Value) value.Value {
			return concat(r, subSeq(r, s, 1, integer(i)-1), subSeq(r, s, integer(i)+1, length(s)))
		}),
		two("RemoveFirst", func(_ *Run, s, e value.Value) value.Value {
			return withoutPlace(seq(s), slices.IndexFunc(seq(s), equalTo(e)))
		}),
		some("RemoveFirstMatch", []int{0, 1}, func(r *Run, args []any) value.Value {
			s := seq(r.Arg(args[0]))
			return withoutPlace(s, slices.IndexFunc(s, func(e value.Value) bool { return r.holds(args[1], e) }))
		}),
		two("Cons", func(_ *Run, e, s value.Value) value.Value { return list(append([]value.Value{e}, seq(s)...)...) }),
		two("Snoc", func(_ *Run, e, s value.Value) value.Value { return tuple(s).Extend(e) }),
		one("Front", func(r *Run, s value.Value) value.Value { return subSeq(r, s, 1, length(s)-1) }),
		one("Last", func(_ *Run, s value.Value) value.Value {
			t := seq(s)
			if len(t) == 0 {
				value.Fail("Last of the empty sequence")
			}
			return t[len(t)-1]
		}),
		begins("IsPrefix", isPrefix), about("IsSuffix", isSuffix),
		begins("IsStrictPrefix", func(s, t []value.Value) bool { return len(s) < len(t) && isPrefix(s, t) }),
		about("IsStrictSuffix", func(s, t []value.Value) bool { return len(s) < len(t) && isSuffix(s, t) }),
		one("Prefixes", prefixes),
		one("CommonPrefixes", func(r *Run, s value.Value) value.Value {
			if value.Enumerate(s).Len() == 0 {
				return value.NoElements
			}
			return prefixes(r, commonPrefix(r, s))
		}),
		one("LongestCommonPrefix", commonPrefix),
		one("Suffixes", func(_ *Run, s value.Value) value.Value {
			out, t := []value.Value{value.Empty}, seq(s)
			for i := range t {
				out = append(out, list(t[i:]...))
			}
			return value.NewSet(out)
		}),
		two("SeqMod", func(_ *Run, a, b value.Value) value.Value {
			n, m := integer(a), integer(b)
			if m <= 0 {
				value.Fail("SeqMod(%d, %d): the second has to be above 0", n, m)
			}
			if n -= m * floor(n, m); n == 0 {
				n = m
			}
			return value.Of(n)
		}),
		some("FoldSeq", []int{2, 0, 0}, func(r *Run, args []any) value.Value {
			return r.foldUp(args[0], r.Arg(args[1]), image(r.Arg(args[2])), same)
		}),
		some("FoldLeft", []int{2, 0, 0}, func(r *Run, args []any) value.Value {
			return r.foldLeft(args[0], r.Arg(args[1]), seq(r.Arg(args[2])))
		}),
		some("FoldRight", []int{2, 0, 0}, func(r *Run, args []any) value.Value {
			return r.fold(args[0], r.Arg(args[2]), seq(r.Arg(args[1])), same)
		}),
		some("FoldLeftDomain", []int{2, 0, 0}, func(r *Run, args []any) value.Value {
			return r.foldLeft(args[0], r.Arg(args[1]), domain(tuple(r.Arg(args[2]))).Elems())
		}),
		some("FoldRightDomain", []int{2, 0, 0}, func(r *Run, args []any) value.Value {
			return r.fold(args[0], r.Arg(args[2]), domain(tuple(r.Arg(args[1]))).Elems(), same)
		}),
		one("FlattenSeq", func(r *Run, s value.Value) value.Value {
			if length(s) == 0 {
				return s // of a string, ""
			}
			out := seq(s)[0]
			for _, e := range seq(s)[1:] {
				out = concat(r, out, e)
			}
			return out
		}),
		two("Zip", func(_ *Run, s, t value.Value) value.Value {
			var out []value.Value
			for i, e := range seq(s) {
				if i < len(seq(t)) {
					out = append(out, list(e, seq(t)[i]))
				}
			}
			return list(out...)
		}),
		two("Interleave", func(_ *Run, s, t value.Value) value.Value {
			x, y := seq(s), seq(t)
			if len(x) != len(y) {
				value.Fail("Interleave: the sequences have the lengths %d and %d", len(x), len(y))
			}
			if len(x) == 0 {
				return list(value.Empty, value.Empty)
			}
			var out []value.Value
			for i := range x {
				out = append(out, list(x[i]), list(y[i]))
			}
			return list(out...)
		}),
		two("IndexFirstSubSeq", func(_ *Run, s, t value.Value) value.Value {
			i := indexOf(s, t)
			if i < 0 {
				value.Fail("IndexFirstSubSeq: %s is not part of %s", value.Show(s), value.Show(t))
			}
			return ordinal(i)
		}),
		some("ReplaceSubSeqAt", []int{0, 0, 0, 0}, func(r *Run, args []any) value.Value {
			i, by, s, t := integer(r.Arg(args[0])), r.Arg(args[1]), r.Arg(args[2]), r.Arg(args[3])
			return concat(r, concat(r, subSeq(r, t, 1, i-1), by), subSeq(r, t, i+length(s), length(t)))
		}),
		replacing("ReplaceFirstSubSeq", 1), replacing("ReplaceAllSubSeqs", -1),
		one("SubSeqs", func(r *Run, s value.Value) value.Value {
			n := length(s)
			out := []value.Value{subSeq(r, s, 1, 0)}
			for i := int64(1); i <= n; i++ {
				for j := i; j <= n; j++ {
					out = append(out, subSeq(r, s, i, j))
				}
			}
			return value.NewSet(out)
		}),
		one("AllSubSeqs", func(_ *Run, s value.Value) value.Value {
			var out []value.Value
			for _, d := range value.Enumerate(&value.Subset{Of: value.Domain(s)}).Each() {
				var part []value.Value
				for _, i := range value.Enumerate(d).Each() {
					part = append(part, value.Apply(s, i))
				}
				out = append(out, list(part...))
			}
			return value.NewSet(out)
		}))
}

// indexOf is the first place of s within t, -1 where there is none.
func indexOf(s, t value.Value) int {
	if x, ok := s.(*value.Str); ok {
		if y, ok := t.(*value.Str); ok {
			return strings.Index(y.Text, x.Text)
		}
	}
	x, y := seq(s), seq(t)
	for i := range len(y) - len(x) + 1 {
		if isPrefix(x, y[i:]) {
			return i
		}
	}
	return -1
}

// replacing puts another sequence in the place of a part: of the first most parts,
// of all where it is -1. The empty sequence is a part before each element.
func replacing(name string, most int) *Native {
	return some(name, []int{0, 0, 0}, func(r *Run, args []any) value.Value {
		by, s, t := r.Arg(args[0]), r.Arg(args[1]), r.Arg(args[2])
		if value.Equal(s, t) {
			return by
		}
		if str, ok := t.(*value.Str); ok {
			n := most
			if n < 0 && length(s) == 0 {
				n = len(str.Text)
			}
			parts := strings.Count(str.Text, text(s))
			if n >= 0 {
				parts = min(n, parts)
			}
			fits("string", len(str.Text)+parts*(len(text(by))-len(text(s))), "bytes")
			return r.Space.String(strings.Replace(str.Text, text(s), text(by), n))
		}
		part, rest, out, n := seq(s), seq(t), []value.Value(nil), most
		for len(rest) > 0 {
			step := max(len(part), 1)
			if n == 0 || !isPrefix(part, rest) {
				step = 1
				out = append(out, rest[0])
			} else {
				n--
				other := seq(by)
				fits("sequence", len(out)+len(other)+len(rest)-len(part), "elements")
				out = append(append(out, other...), rest[:step-len(part)]...)
			}
			rest = rest[step:]
		}
		return list(out...)
	})
}

// found is the place of the first element, or the last, that satisfies the test;
// 0 where none does.
func (r *Run) found(s []value.Value, test any, last bool) value.Value {
	for i := range s {
		if last {
			i = len(s) - 1 - i
		}
		if r.holds(test, s[i]) {
			return ordinal(i)
		}
	}
	return value.Of(0)
}

func (r *Run) foldLeft(op any, base value.Value, elems []value.Value) value.Value {
	for _, e := range elems {
		base = r.Call(op, base, e)
	}
	return base
}

func boundedSeq(_ *Run, s, n value.Value) value.Value {
	var out []value.Value
	cells := 0
	for i := int64(0); i <= integer(n); i++ {
		some := value.Enumerate(&value.FcnSet{Dom: value.Interval{Lo: 1, Hi: int32(i)}, Range: s}).Elems()
		if len(some) == 0 {
			break
		}
		if cells += len(some) * int(i+1); cells > 4*value.MostElements {
			value.Fail("the sequences of up to %d elements of %s are too many", integer(n), value.Show(s))
		}
		out = append(out, some...)
	}
	return value.NewSet(out)
}

func prefixes(r *Run, s value.Value) value.Value {
	var out []value.Value
	for n := range length(s) + 1 {
		out = append(out, subSeq(r, s, 1, n))
	}
	return value.NewSet(out)
}

func commonPrefix(r *Run, set value.Value) value.Value {
	elems := value.Enumerate(set).Elems()
	if len(elems) == 0 {
		value.Fail("the empty set of sequences has no common prefix")
	}
	common := elems[0]
	for _, e := range elems[1:] {
		n := min(length(common), length(e))
		for n > 0 && !value.Equal(subSeq(r, common, 1, n), subSeq(r, e, 1, n)) {
			n--
		}
		common = subSeq(r, common, 1, n)
	}
	return common
}
