package value

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestZip: two functions together have each argument of both, in order, with what is
// made of the values.
func TestZip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	function := func(most int) (Value, map[int]int) {
		vals := map[int]int{}
		for range random.IntN(most + 1) {
			vals[random.IntN(60)] = random.IntN(100)
		}
		var keys, list []Value
		for k := range 60 {
			if v, ok := vals[k]; ok {
				keys, list = append(keys, Of(int64(k))), append(list, Of(int64(v)))
			}
		}
		return NewFcn(NewSet(keys), list), vals
	}
	most := []int{0, 1, 3, 80}
	for range 2000 {
		f, inF := function(most[random.IntN(4)])
		g, inG := function(most[random.IntN(4)])
		got := Zip(f, g, func(x, y Value) Value {
			if x == y {
				return nil
			}
			return NewTuple(list(x), list(y))
		})
		var want []string
		for k := range 60 {
			v, ok := inF[k]
			w, also := inG[k]
			if (ok || also) && !(ok && also && v == w) {
				x, y := "<<>>", "<<>>"
				if ok {
					x = fmt.Sprintf("<<%d>>", v)
				}
				if also {
					y = fmt.Sprintf("<<%d>>", w)
				}
				want = append(want, fmt.Sprintf("%d <<%s, %s>>", k, x, y))
			}
		}
		var is []string
		dom, vals := table(got)
		for i, e := range dom.Elems() {
			is = append(is, Show(e)+" "+string(Append(nil, vals.At(i))))
		}
		if !slices.Equal(is, want) {
			t.Fatalf("%s and %s:\ngot  %v\nwant %v", Show(f), Show(g), is, want)
		}
		if Hash(got) != Hash(NewFcn(NewSet(slices.Clone(dom.Elems())), slices.Clone(vals.All()))) {
			t.Fatalf("the hash of %s", Show(got))
		}
	}
}

func list(v Value) Value {
	if v == nil {
		return Empty
	}
	return NewTuple(v)
}

// TestExtendedTwice: what is made twice by the same extension shares its elements,
// unless it could be distinguished.
func TestExtendedTwice(t *testing.T) {
	space := NewSpace()
	record := func(n int64, s Value) Value {
		dom, _ := space.Fields([]*Str{space.String("n"), space.String("s")})
		return NewFcn(dom, []Value{Of(n), s})
	}
	base := NewTuple(Of(1)).Extend(Of(2), Of(3), Of(4), Of(5))
	set := func() Value { return NewSet([]Value{Of(1), Of(2)}) }
	first := base.Extend(record(1, set()), NewTuple(set()))
	for _, c := range []struct {
		more   []Value
		shares bool
	}{
		{[]Value{record(1, set()), NewTuple(set())}, true},
		{[]Value{record(1, set())}, true},
		{[]Value{record(2, set())}, false},
		{[]Value{record(1, Interval{1, 2})}, false}, // it is printed in another way
		{[]Value{record(1, set()), NewTuple(set()), Of(5)}, true},
		{[]Value{record(1, set()), NewTuple(set()), Of(6)}, false},
	} {
		got := base.Extend(c.more...)
		if shares := &got.Elems[0] == &first.Elems[0]; shares != c.shares {
			t.Errorf("extended by %s, it shares elements: %v, want %v", Show(NewTuple(c.more...)), shares, c.shares)
		}
		if want := Show(NewTuple(slices.Concat([]Value{Of(1), Of(2), Of(3), Of(4), Of(5)}, c.more)...)); Show(got) != want {
			t.Errorf("got %s, want %s", Show(got), want)
		}
	}
	if Show(first) != `<<1, 2, 3, 4, 5, [n |-> 1, s |-> {1, 2}], <<{1, 2}>>>>` {
		t.Errorf("the first is %s now", Show(first))
	}
	if whole := Empty.Concat(first); whole != first {
		t.Errorf("<< >> \\o a sequence is %s", Show(whole))
	}
}
