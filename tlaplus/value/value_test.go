package value

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// maker makes values at random, which can all be compared with one another: sets of
// pairs of integers and strings, functions to integers, and so on, one shape each.
type maker struct {
	*rand.Rand
	space *Space
}

// shapes are kinds of values; values of one shape can be compared.
var shapes = []func(m *maker, depth int) Value{
	func(m *maker, _ int) Value { return Of(int64(m.IntN(7) - 3)) },
	func(m *maker, _ int) Value { return m.space.String(string(rune('a' + m.IntN(4)))) },
	func(m *maker, _ int) Value { return Truth(m.IntN(2) == 0) },
}

// of makes a value of a shape: 0 to 2 are atoms, then tuples, sets, functions and
// records of the shapes below.
func (m *maker) of(shape int) Value {
	if shape < len(shapes) {
		return shapes[shape](m, 0)
	}
	inner := shape % len(shapes)
	if shape >= 15 {
		inner = 3 + shape%4
	}
	switch shape % 4 {
	case 0:
		return NewTuple(m.list(inner)...)
	case 1:
		return NewSet(m.list(inner))
	case 2:
		dom := NewSet(m.list(0))
		return NewFcn(dom, m.exactly(len(dom.Elems()), inner))
	}
	dom := NewSet(m.list(1))
	return NewFcn(dom, m.exactly(len(dom.Elems()), inner))
}

func (m *maker) list(shape int) []Value { return m.exactly(m.IntN(4), shape) }

func (m *maker) exactly(n, shape int) []Value {
	out := make([]Value, n)
	for i := range out {
		out[i] = m.of(shape)
	}
	return out
}

const mostShape = 22

// TestOrder: the order is one, and equality and hashes agree with it.
func TestOrder(t *testing.T) {
	m := &maker{rand.New(rand.NewPCG(3, 4)), NewSpace()}
	for round := range 4000 {
		shape := round % mostShape
		a, b, c := m.of(shape), m.of(shape), m.of(shape)
		ab, ba := Compare(a, b), Compare(b, a)
		if ab != -ba {
			t.Fatalf("%s and %s: %d and %d", Show(a), Show(b), ab, ba)
		}
		if (ab == 0) != Equal(a, b) || Equal(a, b) != Equal(b, a) {
			t.Fatalf("%s and %s: order %d, equal %v and %v", Show(a), Show(b), ab, Equal(a, b), Equal(b, a))
		}
		if ab == 0 && (Hash(a) != Hash(b) || Show(a) != Show(b)) {
			t.Fatalf("%s and %s are equal, but not their hashes", Show(a), Show(b))
		}
		if ab != 0 && Hash(a) == Hash(b) {
			t.Fatalf("%s and %s have one hash", Show(a), Show(b))
		}
		if ab <= 0 && Compare(b, c) <= 0 && Compare(a, c) > 0 {
			t.Fatalf("%s, %s, %s: no order", Show(a), Show(b), Show(c))
		}
	}
}

// TestOneValue: whichever way a value is written, it is the same.
func TestOneValue(t *testing.T) {
	space := NewSpace()
	str := func(s string) Value { return space.String(s) }
	one, two, three := Of(1), Of(2), Of(3)
	double := func(v Value) Value { return Of(2 * int64(v.(Int))) }
	pairs := NewSet([]Value{NewTuple(one, two), NewTuple(one, three), NewTuple(two, two), NewTuple(two, three)})
	for _, same := range [][]Value{
		{NewTuple(two, Of(4)), NewFcn(NewSet([]Value{two, one}), []Value{two, Of(4)}), &Lambda{Dom: Interval{1, 2}, Call: double},
			Merge(NewFcn(NewSet([]Value{two}), []Value{Of(4)}), NewTuple(two))},
		{Empty, NewFcn(NoElements, nil), &Lambda{Dom: NoElements, Call: double}, NewTuple()},
		{NewFcn(NewSet([]Value{two, three}), []Value{Of(4), Of(6)}), &Lambda{Dom: Interval{2, 3}, Call: double}},
		{NewFcn(NewSet([]Value{str("a"), str("b")}), []Value{one, two}), Merge(NewFcn(NewSet([]Value{str("b")}), []Value{two}), NewFcn(NewSet([]Value{str("a")}), []Value{one}))},
		{Interval{1, 3}, NewSet([]Value{three, one, two, one}), Combine(Union, Interval{1, 2}, NewSet([]Value{three})), Combine(Difference, Interval{0, 3}, NewSet([]Value{Of(0)}))},
		{NoElements, Interval{3, 1}, Combine(Intersection, Interval{1, 2}, Interval{5, 6}), &Product{Sets: []Value{Interval{1, 2}, NoElements}}},
		{&Product{Sets: []Value{Interval{1, 2}, Interval{2, 3}}}, pairs},
		{&Subset{Of: Interval{1, 2}}, NewSet([]Value{NoElements, NewSet([]Value{one}), NewSet([]Value{two}), Interval{1, 2}})},
		{&FcnSet{Dom: Interval{1, 2}, Range: Interval{2, 3}}, NewSet([]Value{NewTuple(two, two), NewTuple(two, three), NewTuple(three, two), NewTuple(three, three)})},
	} {
		for _, a := range same {
			for _, b := range same {
				if !Equal(a, b) || Compare(a, b) != 0 || Hash(a) != Hash(b) {
					t.Errorf("%s and %s: equal %v, order %d, hashes %x and %x", Show(a), Show(b), Equal(a, b), Compare(a, b), Hash(a), Hash(b))
				}
			}
		}
	}
}

// TestSets: the operations agree with those on lists without an order.
func TestSets(t *testing.T) {
	m := &maker{rand.New(rand.NewPCG(5, 6)), NewSpace()}
	has := func(list []Value, v Value) bool {
		return slices.ContainsFunc(list, func(e Value) bool { return Equal(e, v) })
	}
	for round := range 3000 {
		shape := round % mostShape
		x, y := m.exactly(m.IntN(9), shape), m.exactly(m.IntN(9), shape)
		all := slices.Concat(x, y)
		a, b := NewSet(slices.Clone(x)), NewSet(slices.Clone(y))
		for name, c := range map[string]struct {
			got  Value
			want func(v Value) bool
		}{
			`\cup`:  {Combine(Union, a, b), func(v Value) bool { return has(x, v) || has(y, v) }},
			`\cap`:  {Combine(Intersection, a, b), func(v Value) bool { return has(x, v) && has(y, v) }},
			`\`:     {Combine(Difference, a, b), func(v Value) bool { return has(x, v) && !has(y, v) }},
			"UNION": {Flatten(NewSet([]Value{a, b})), func(v Value) bool { return has(x, v) || has(y, v) }},
		} {
			var distinct []Value
			for _, v := range all {
				if Contains(c.got, v) != c.want(v) {
					t.Fatalf("%s %s %s = %s: wrong about %s", Show(a), name, Show(b), Show(c.got), Show(v))
				}
				if c.want(v) && !has(distinct, v) {
					distinct = append(distinct, v)
				}
			}
			if Size(c.got) != len(distinct) || !Equal(c.got, NewSet(distinct)) || Hash(c.got) != Hash(NewSet(distinct)) {
				t.Fatalf("%s %s %s = %s, want %s", Show(a), name, Show(b), Show(c.got), Show(NewSet(distinct)))
			}
			if !slices.IsSortedFunc(Enumerate(c.got).Elems(), Compare) {
				t.Fatalf("%s is not in order", Show(c.got))
			}
		}
		subset := !slices.ContainsFunc(x, func(v Value) bool { return !has(y, v) })
		if IsSubset(a, b) != subset {
			t.Fatalf("%s \\subseteq %s: %v", Show(a), Show(b), !subset)
		}
	}
}

// TestPersistence: what is made of a value leaves the value as it was, and has the
// hash of the same value made at once.
func TestPersistence(t *testing.T) {
	m := &maker{rand.New(rand.NewPCG(7, 8)), NewSpace()}
	for range 300 {
		tuple, set := NewTuple(m.list(0)...), NewSet(m.list(0))
		fcn := NewFcn(NewSet([]Value{Of(5), Of(6), Of(9)}), m.exactly(3, 0))
		type was struct {
			v    Value
			text string
			hash uint64
		}
		var old []was
		keep := func(v Value) {
			old = append(old, was{v, Show(v), Hash(v)})
		}
		for step := range 30 {
			keep(tuple)
			keep(set)
			keep(fcn)
			switch e := m.of(0); m.IntN(5) {
			case 0:
				tuple = tuple.Extend(e)
			case 1:
				if n := len(tuple.Elems); n > 0 {
					tuple = With(tuple, Of(int64(m.IntN(n)+1)), func(Value) Value { return e }).(*Tuple)
				}
			case 2:
				set = Combine(Union, set, NewSet([]Value{e})).(*Set)
			case 3:
				set = Combine(Difference, set, NewSet([]Value{e})).(*Set)
			case 4:
				fcn = With(fcn, []Value{Of(5), Of(6), Of(9)}[m.IntN(3)], func(Value) Value { return e })
			}
			for _, w := range old {
				if Show(w.v) != w.text || Hash(w.v) != w.hash {
					t.Fatalf("step %d: %s is %s now", step, w.text, Show(w.v))
				}
			}
			for _, pair := range [][2]Value{
				{tuple, NewTuple(slices.Clone(tuple.Elems)...)}, {set, NewSet(slices.Clone(set.Elems()))},
				{fcn, NewFcn(NewSet(slices.Clone(fcn.(*Fcn).Dom.Elems())), slices.Clone(fcn.(*Fcn).Vals()))},
			} {
				if !Equal(pair[0], pair[1]) || Hash(pair[0]) != Hash(pair[1]) {
					t.Fatalf("%s has another hash than the same value made at once", Show(pair[0]))
				}
			}
		}
	}
}

// TestMixed: a set whose elements cannot be compared is an error for all but Contains.
func TestMixed(t *testing.T) {
	space := NewSpace()
	mixed := NewSet([]Value{Of(1), space.String("a")})
	fails := func(do func()) (failed bool) {
		defer func() {
			_, failed = recover().(*Error)
		}()
		do()
		return false
	}
	if !Contains(mixed, Of(1)) {
		t.Error("1 is written first")
	}
	for name, do := range map[string]func(){
		"Contains": func() { Contains(mixed, space.String("a")) }, "Each": func() { Each(mixed, func(Value) bool { return true }) },
		"Size": func() { Size(mixed) }, "Equal": func() { Equal(mixed, NewSet([]Value{Of(1), Of(2)})) }, "Hash": func() { Hash(mixed) },
		"Combine": func() { Combine(Union, mixed, NoElements) }, "Compare": func() { Compare(Of(1), space.String("a")) },
		"Apply": func() { Apply(NewTuple(Of(1)), space.String("a")) }, "With": func() { With(Of(1), Of(1), nil) },
	} {
		if !fails(do) {
			t.Errorf("%s is no error", name)
		}
	}
}

// TestExtension: what a set has more than its first elements.
func TestExtension(t *testing.T) {
	set := func(list ...int64) Value {
		var elems []Value
		for _, n := range list {
			elems = append(elems, Of(n))
		}
		return NewSet(elems)
	}
	for _, c := range []struct{ of, set, rest Value }{
		{Interval{1, 2}, Interval{1, 4}, Interval{3, 4}},
		{Interval{1, 2}, Interval{1, 2}, Interval{3, 2}},
		{Interval{1, 0}, Interval{3, 4}, Interval{3, 4}},
		{Interval{1, 2}, Interval{0, 4}, nil},
		{Interval{1, 4}, Interval{1, 2}, nil},
		{set(1, 3), set(1, 3, 4), set(4)},
		{set(1, 3), set(1, 2, 3), nil},
		{NoElements, set(1), set(1)},
	} {
		rest, ok := Extension(c.of, c.set)
		if ok != (c.rest != nil) || ok && !Equal(rest, c.rest) {
			t.Errorf("%s has %v more than %s, %v", Show(c.set), rest, Show(c.of), ok)
		}
	}
}

// The union of an interval and of integers in it, or next to it, is an interval. It equals
// the set of the same elements.
func TestLengthened(t *testing.T) {
	ints := func(list ...int64) Value {
		var elems []Value
		for _, n := range list {
			elems = append(elems, Of(n))
		}
		return NewSet(elems)
	}
	for _, c := range []struct {
		a, b     Value
		interval bool
		want     string
	}{
		{Interval{1, 3}, ints(0), true, "{0, 1, 2, 3}"},
		{ints(4, 5), Interval{1, 3}, true, "{1, 2, 3, 4, 5}"},
		{Interval{1, 3}, ints(2), true, "{1, 2, 3}"},
		{Interval{1, 3}, NoElements, true, "{1, 2, 3}"},
		{Interval{1, 3}, ints(5), false, "{1, 2, 3, 5}"},
		{Interval{1, 3}, ints(-1), false, "{-1, 1, 2, 3}"},
		{Interval{1, 0}, ints(1), false, "{1}"},
	} {
		got := Combine(Union, c.a, c.b)
		_, is := got.(Interval)
		if text := Show(Enumerate(got)); is != c.interval || text != c.want {
			t.Errorf("%s \\cup %s is %s, an interval: %v", Show(c.a), Show(c.b), text, is)
		}
	}
}
