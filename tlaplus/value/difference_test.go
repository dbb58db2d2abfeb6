package value

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDifferences: by differences, sets are equal, exchanged and changed as they are when
// all elements are compared, or the same error ends both.
func TestDifferences(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	space := NewSpace()
	some := func(n int, most int) (list []Value) {
		for range n {
			k := random.IntN(most)
			switch e := Value(Of(int64(k))); {
			case k == 7 && random.IntN(4) == 0: // of another kind than the others
				list = append(list, NewTuple(e, space.String("x")))
			default:
				list = append(list, NewTuple(e, Of(int64(k%3))))
			}
		}
		return list
	}
	outcome := func(do func() any) (v any) {
		defer func() {
			if x := recover(); x != nil {
				v = x.(*Error).Msg
			}
		}()
		return do()
	}
	shown := func(v Value) string { return Show(v) }
	unequal, wrong, exchanged := 0, 0, 0
	for range 3000 {
		was := NewSet(some(random.IntN(80), 60))
		is := NewSet(append(some(random.IntN(3), 60), was.Elems()...))
		out, in := NewSet(some(random.IntN(4), 60)), NewSet(some(random.IntN(4), 60))
		if random.IntN(2) == 0 {
			is = outcomeSet(func() Value { return Combine(Union, Combine(Difference, was, out), in) }, is)
		}
		var d Differences
		want := outcome(func() any { return Equal(was, is) })
		if got := outcome(func() any { return d.Equal(was, is) }); got != want {
			t.Fatalf("%s = %s is %v, want %v", shown(was), shown(is), got, want)
		}
		switch want {
		case false:
			unequal++
		case true:
		default:
			wrong++
		}
		gone, come, ok := d.Of(was, is)
		if !ok {
			continue
		}
		want = outcome(func() any { return Equal(is, Combine(Union, Combine(Difference, was, out), in)) })
		var known bool
		got := outcome(func() (v any) {
			removed, ok := Removed(was, out)
			if v = false; ok {
				v, known = IsExchanged(was, is, gone, come, removed, in)
			}
			return v
		})
		if _, failed := got.(string); (known || failed) && got != want {
			t.Fatalf("%s = (%s \\ %s) \\union %s is %v, want %v", shown(is), shown(was), shown(out), shown(in), got, want)
		}
		if known && got == true {
			exchanged++
		}
		gone = slices.DeleteFunc(slices.Clone(out.Elems()), func(e Value) bool { return was.Places(NewSet([]Value{e})) == nil })
		come = slices.DeleteFunc(slices.Clone(in.Elems()), func(e Value) bool { return was.Places(NewSet([]Value{e})) != nil })
		if NewSet(append(slices.Clone(was.Elems()), come...)).mixed {
			continue
		}
		next := d.Changed(was, gone, come)
		if want := Combine(Union, Combine(Difference, was, NewSet(gone)), NewSet(come)); !Equal(next, want) || Hash(next) != Hash(want) {
			t.Fatalf("%s without %v, with %v is %s, want %s", shown(was), gone, come, shown(next), shown(want))
		}
		less, more, _ := d.Of(was, next)
		other := Differences{}
		if a, b, _ := other.Of(was, next); !slices.EqualFunc(a, less, Equal) || !slices.EqualFunc(b, more, Equal) {
			t.Fatalf("the difference of %s and %s is %v and %v", shown(was), shown(next), less, more)
		}
	}
	if unequal < 100 || wrong < 10 || exchanged < 100 {
		t.Errorf("%d pairs are unequal, %d cannot be compared, %d are exchanged: the test says little", unequal, wrong, exchanged)
	}
}

// outcomeSet is the set that do makes; other, where that is an error.
func outcomeSet(do func() Value, other *Set) (s *Set) {
	defer func() {
		if recover() != nil {
			s = other
		}
	}()
	return Enumerate(do())
}
