package value

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWide: a large function that is changed again and again is the one that is made at once,
// and what it was before stays as it is.
func TestWide(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{leastWide - 1, leastWide, leastWide + 1, leastWide + chunkLength, 3*leastWide + 7} {
		keys, vals := make([]Value, size), make([]Value, size)
		for i := range keys {
			keys[i], vals[i] = Of(int64(i)), Of(int64(i%7))
		}
		dom := NewSet(keys)
		f := NewFcn(dom, slices.Clone(vals))
		Hash(f)
		for range 200 {
			i, to := random.IntN(size), Of(int64(random.IntN(9)))
			was, text := f, Show(f)
			f = With(f, keys[i], func(old Value) Value {
				if !Equal(old, vals[i]) {
					t.Fatalf("%d values: place %d has %s, want %s", size, i, Show(old), Show(vals[i]))
				}
				return to
			})
			changed := !Equal(vals[i], to)
			vals[i] = to
			made := NewFcn(NewSet(slices.Clone(keys)), slices.Clone(vals)).(*Fcn)
			if !Equal(f, made) || !Equal(made, f) || Compare(f, made) != 0 || Hash(f) != Hash(made) || Show(f) != Show(made) || !Equal(Apply(f, keys[i]), to) {
				t.Fatalf("%d values: with %s at %d it is %s", size, Show(to), i, Show(f))
			}
			if Show(was) != text || Equal(was, f) == changed {
				t.Fatalf("%d values: after %s at %d, it was %s", size, Show(to), i, Show(was))
			}
			var d Differences
			if parts, ok := d.Parts(was, f); !ok || len(parts) != len(changes(was, f)) || changed && (len(parts) != 1 || !Equal(parts[0], keys[i])) {
				t.Fatalf("%d values: %v differ after place %d", size, parts, i)
			}
			if all := (&FcnSet{Dom: dom, Range: Interval{0, 8}}); !Contains(all, f) || !ContainsAgain(all, f, was) || ContainsAgain((&FcnSet{Dom: dom, Range: Interval{0, 5}}), f, was) != Contains((&FcnSet{Dom: dom, Range: Interval{0, 5}}), f) && Contains((&FcnSet{Dom: dom, Range: Interval{0, 5}}), was) {
				t.Fatalf("%d values: %s", size, Show(f))
			}
		}
		more := Extended(f, Of(int64(size)), Of(1))
		if less := Restricted(more, Of(int64(size))); more.(*Fcn).Len() != size+1 || !Equal(less, f) {
			t.Fatalf("%d values: %s", size, Show(more))
		}
	}
}

func changes(was, is Value) (list []int) {
	f, g := was.(*Fcn), is.(*Fcn)
	for i, v := range f.Vals() {
		if !Equal(v, g.Val(i)) {
			list = append(list, i)
		}
	}
	return list
}
