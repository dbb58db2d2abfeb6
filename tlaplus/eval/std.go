package eval

import (
	"math"
	"unicode/utf16"

	"tracecheck/tlaplus/value"
)

// Naturals, Integers, Sequences and FiniteSets.

func arithmetic(name string, do func(a, b int64) int64) *Native {
	return &Native{Name: name, Arity: 2, F2: func(_ *Run, a, b value.Value) value.Value { return value.Of(do(integer(a), integer(b))) }}
}

func comparison(name string, do func(a, b int64) bool) *Native {
	return &Native{Name: name, Arity: 2, F2: func(_ *Run, a, b value.Value) value.Value { return value.Truth(do(integer(a), integer(b))) }}
}

func one(name string, do func(r *Run, a value.Value) value.Value) *Native {
	return &Native{Name: name, Arity: 1, F1: do}
}

func two(name string, do func(r *Run, a, b value.Value) value.Value) *Native {
	return &Native{Name: name, Arity: 2, F2: do}
}

func fixed(name string, v value.Value) *Native {
	return &Native{Name: name, F0: func(*Run) value.Value { return v }}
}

// mostText bounds a string or sequence that is made of others.
const mostText = 1 << 23

// fits refuses a string or sequence that would be too long.
func fits(what string, n int, parts string) {
	if n > mostText {
		value.Fail("the %s would have %d %s: at most %d are supported", what, n, parts, mostText)
	}
}

// made returns the string that a value was printed to. Printing stops where it is too long.
func (r *Run) made(b []byte) value.Value {
	if len(b) > mostText {
		value.Fail("the string would have more than %d bytes: at most %d are supported", mostText, mostText)
	}
	return r.Space.String(string(b))
}

func (lib library) basic() {
	lib.register("Naturals", nil,
		arithmetic("+", func(a, b int64) int64 { return a + b }),
		arithmetic("-", func(a, b int64) int64 { return a - b }),
		arithmetic("*", func(a, b int64) int64 { return a * b }),
		arithmetic("^", power),
		arithmetic(`\div`, func(a, b int64) int64 { return floor(a, b) }),
		arithmetic("%", func(a, b int64) int64 {
			if b <= 0 {
				value.Fail("%d %% %d: the second has to be above 0", a, b)
			}
			return a - b*floor(a, b)
		}),
		comparison("<", func(a, b int64) bool { return a < b }),
		comparison(">", func(a, b int64) bool { return a > b }),
		comparison("=<", func(a, b int64) bool { return a <= b }),
		comparison(">=", func(a, b int64) bool { return a >= b }),
		two("..", func(_ *Run, a, b value.Value) value.Value {
			return value.Interval{Lo: int32(integer(a)), Hi: int32(integer(b))}
		}),
		fixed("Nat", value.Nat))
	lib.register("Integers", []string{"Naturals"},
		one("-.", func(_ *Run, a value.Value) value.Value { return value.Of(-integer(a)) }),
		fixed("Int", value.Integers))
	lib.register("Reals", []string{"Integers"}, &Native{Name: "Real", Not: true}, &Native{Name: "Infinity", Not: true}, &Native{Name: "/", Arity: 2, Not: true})
	lib.register("FiniteSets", nil,
		one("IsFiniteSet", func(_ *Run, a value.Value) value.Value {
			if !value.IsSet(a) {
				value.Fail("IsFiniteSet of %s, which is not a set", value.Show(a))
			}
			if f, ok := a.(*value.Filter); ok && !value.IsFinite(f.Of) {
				value.Fail("IsFiniteSet cannot decide on %s", value.Show(a))
			}
			return value.Truth(value.IsFinite(a))
		}),
		one("Cardinality", func(_ *Run, a value.Value) value.Value {
			if !value.IsSet(a) {
				value.Fail("Cardinality of %s, which is not a set", value.Show(a))
			}
			return value.Of(int64(value.Size(a)))
		}))
	lib.register("Sequences", nil,
		one("Seq", func(_ *Run, a value.Value) value.Value { return &value.Seq{Of: a} }),
		one("Len", func(_ *Run, a value.Value) value.Value { return value.Of(length(a)) }),
		one("Head", func(_ *Run, a value.Value) value.Value {
			t := tuple(a)
			if len(t.Elems) == 0 {
				value.Fail("Head of the empty sequence")
			}
			return t.Elems[0]
		}),
		one("Tail", func(r *Run, a value.Value) value.Value {
			if s, ok := a.(*value.Str); ok && s.Text != "" {
				return r.Space.String(string(utf16.Decode(characters(s)[1:])))
			}
			t := tuple(a)
			if len(t.Elems) == 0 {
				value.Fail("Tail of the empty sequence")
			}
			return t.Part(1, len(t.Elems))
		}),
		two(`\o`, concat),
		two("Append", func(_ *Run, a, b value.Value) value.Value { return tuple(a).Extend(b) }),
		subSequence,
		&Native{Name: "SelectSeq", Arity: 2, Ops: []int{0, 1}, FN: func(r *Run, args []any) value.Value {
			var out []value.Value
			for _, e := range tuple(r.Arg(args[0])).Elems {
				b, ok := r.Call(args[1], e).(value.Bool)
				if !ok {
					value.Fail("the test of SelectSeq is not a boolean for %s", value.Show(e))
				}
				if b {
					out = append(out, e)
				}
			}
			return value.NewTuple(out...)
		}})
}

var subSequence = &Native{Name: "SubSeq", Arity: 3, FN: func(r *Run, args []any) value.Value {
	return subSeq(r, r.Arg(args[0]), integer(r.Arg(args[1])), integer(r.Arg(args[2])))
}}

// length is of a sequence or string.
func length(v value.Value) int64 {
	if s, ok := v.(*value.Str); ok {
		return int64(len(characters(s)))
	}
	return int64(len(seq(v)))
}

// characters are those of a string as TLC counts them, which are Java's.
func characters(s *value.Str) []uint16 { return utf16.Encode([]rune(s.Text)) }

// subSeq is the elements m to n of a sequence or string.
func subSeq(r *Run, s value.Value, m, n int64) value.Value {
	if str, ok := s.(*value.Str); ok {
		if m > n {
			return r.Space.String("")
		}
		chars := characters(str)
		if m < 1 || n > int64(len(chars)) {
			value.Fail("SubSeq(%s, %d, %d) goes beyond the string", value.Show(s), m, n)
		}
		return r.Space.String(string(utf16.Decode(chars[m-1 : n])))
	}
	t := tuple(s)
	if m > n {
		return value.Empty
	}
	if m < 1 || n > int64(len(t.Elems)) {
		value.Fail("SubSeq(%s, %d, %d) goes beyond the sequence", value.Show(s), m, n)
	}
	return t.Part(int(m-1), int(n))
}

func floor(a, b int64) int64 {
	if b == 0 {
		value.Fail("%d is divided by 0", a)
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func power(a, b int64) int64 {
	if b < 0 || a == 0 && b == 0 {
		value.Fail("%d ^ %d is not defined", a, b)
	}
	if a == -1 {
		return 1 - 2*(b%2)
	}
	n := int64(1)
	for range b {
		if n *= a; n > math.MaxInt32 || n < math.MinInt32 {
			value.Fail("%d ^ %d does not fit 32 bits", a, b)
		}
		if n == 0 || n == 1 && a == 1 {
			break
		}
	}
	return n
}

func concat(r *Run, a, b value.Value) value.Value {
	if s, ok := a.(*value.Str); ok {
		if t, ok := b.(*value.Str); ok {
			fits("string", len(s.Text)+len(t.Text), "bytes")
			return r.Space.String(s.Text + t.Text)
		}
	}
	s, t := tuple(a), tuple(b)
	fits("sequence", len(s.Elems)+len(t.Elems), "elements")
	return s.Concat(t)
}
