package model_test

import (
	"maps"
	"math/rand"
	"testing"

	"tracecheck/validators/model"
)

type colour uint8

// TestDictIsAMap: what a Dict says is what a map says that got the same values;
// two are equal exactly if their maps are.
func TestDictIsAMap(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var d, last model.Dict[colour]
	m, was := map[model.Symbol]colour{}, map[model.Symbol]colour{}
	var counts model.DictCounts[colour]
	for n := range 5000 {
		s, v := model.Symbol(rng.Intn(6)), colour(rng.Intn(4)*rng.Intn(2))
		if d = d.With(s, v); v == 0 {
			delete(m, s)
		} else {
			m[s] = v
		}
		counts.Add(&d, +1)
		if d.Len() != len(m) || counts.Of(&d) < 1 {
			t.Fatalf("step %d: %d entries, want %d; counted %d times", n, d.Len(), len(m), counts.Of(&d))
		}
		before := model.Symbol(-1)
		for i := range d.Len() {
			s, v := d.At(i)
			if s <= before || m[s] != v || d.Of(s) != v {
				t.Fatalf("step %d: entry %d is %d: %d, want %v in order", n, i, s, v, m)
			}
			before = s
		}
		for v := colour(1); v < 4; v++ {
			want := 0
			for _, is := range m {
				if is == v {
					want++
				}
			}
			if got := d.Count(v); got != want {
				t.Fatalf("step %d: %d of %d, want %d", n, got, v, want)
			}
		}
		if (d == last) != maps.Equal(m, was) {
			t.Fatalf("step %d: equal %v, the maps are %v and %v", n, d == last, m, was)
		}
		differ := map[model.Symbol][2]colour{}
		last.Differences(&d, func(s model.Symbol, from, to colour) { differ[s] = [2]colour{from, to} })
		for s := range model.Symbol(6) {
			if pair, is := differ[s]; is != (was[s] != m[s]) || is && pair != [2]colour{was[s], m[s]} {
				t.Fatalf("step %d: symbol %d differs %v %v, want %d and %d", n, s, is, pair, was[s], m[s])
			}
		}
		if rng.Intn(3) == 0 {
			last, was = d, maps.Clone(m)
		}
		counts.Add(&d, -1)
		if counts.Of(&d) != 0 {
			t.Fatalf("step %d: still counted", n)
		}
	}
}
