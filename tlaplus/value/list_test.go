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

// TestLargeSets: a large set that is changed again and again, by each of the ways there are,
// is the one that is made at once, and what it was before stays as it is.
func TestLargeSets(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{leastWide - 3, leastWide, 4 * leastWide} {
		in := map[int]bool{}
		for len(in) < size {
			in[random.IntN(3*size)] = true
		}
		made := func() *Set {
			var list []Value
			for n := range in {
				list = append(list, Of(int64(n)))
			}
			return NewSet(list)
		}
		s := made()
		Hash(s)
		for range 150 {
			var gone, come []Value
			for range 1 + random.IntN(3)*random.IntN(3)*random.IntN(20) {
				n := random.IntN(3 * size)
				if v := Of(int64(n)); in[n] {
					gone = append(gone, v)
				} else if !slices.Contains(come, v) {
					come = append(come, v)
				}
			}
			gone = NewSet(gone).Elems()
			was, before := s, made()
			for _, v := range gone {
				delete(in, int(v.(Int)))
			}
			for _, v := range come {
				in[int(v.(Int))] = true
			}
			switch random.IntN(5) {
			case 0:
				for _, v := range gone {
					s = s.Without(v)
				}
				for _, v := range come {
					s = s.Add(v)
				}
			case 1:
				s = s.Changed(gone, come)
			case 2:
				n := min(len(gone), len(come))
				s = s.Exchange(s.Places(NewSet(slices.Clone(gone[:n]))), come[:n])
				s = s.Changed(gone[n:], come[n:])
			case 3:
				s = Combine(Union, Combine(Difference, s, NewSet(slices.Clone(gone))), NewSet(slices.Clone(come))).(*Set)
			case 4: // the two have most chunks in common
				s = Combine(Union, s.Changed(gone, nil), s.Changed(gone, come)).(*Set)
			}
			want := made()
			if !slices.Equal(s.Elems(), want.Elems()) || s.Len() != want.Len() || Hash(s) != Hash(want) || !Equal(s, want) || Compare(s, want) != 0 || Compare(was, s) != Compare(before, want) {
				t.Fatalf("without %v and with %v it is %s, want %s", gone, come, Show(s), Show(want))
			}
			for i, e := range s.Each() {
				if s.At(i) != e || s.Index(e) != i {
					t.Fatalf("%s is at %d of %s", Show(e), i, Show(s))
				}
			}
			less, more, ok := differ(was, s)
			if !slices.Equal(was.Elems(), before.Elems()) || !ok || !slices.Equal(less, gone) || !slices.Equal(more, NewSet(come).Elems()) {
				t.Fatalf("%v went and %v came, but by the difference %v and %v", gone, come, less, more)
			}
			bound := Interval{0, int32(2 * size)}
			if IsSubsetAgain(was, bound, s) != IsSubset(before, bound) && IsSubset(want, bound) {
				t.Fatalf("%s is a subset of %s", Show(was), Show(bound))
			}
			if s.list.wide == nil {
				continue
			}
			common := 0
			for v, w := was.list.walk(0), s.list.walk(0); !v.ended() && !w.ended(); {
				n := v.shared(&w)
				common += n
				switch {
				case n > 0:
					v.skip(n)
					w.skip(n)
				case Compare(v.rest[0], w.rest[0]) <= 0:
					v.skip(1)
				default:
					w.skip(1)
				}
			}
			if changed := len(gone) + len(come); was.list.wide != nil && common < s.Len()-changed*6*chunkLength {
				t.Fatalf("after %d changes, %d of %d elements are shared", changed, common, s.Len())
			}
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
