package validators

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

type keyed struct{ id string }

func (k *keyed) Key() string { return k.id }

// TestIndex compares with a map while records come and go.
func TestIndex(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 0))
		var x Index[*keyed]
		want := map[string]*keyed{}
		most := 1 + r.IntN(2000)
		for n := range 20000 {
			if n%4000 == 2000 {
				most = 1 + r.IntN(100) // most of them go
			}
			id := fmt.Sprint(r.IntN(4000))
			switch have := want[id]; {
			case have == nil && len(want) < most:
				want[id] = &keyed{id}
				x.Put(want[id])
			case have != nil || r.IntN(10) == 0:
				delete(want, id)
				x.Delete(id)
			}
			for len(want) > most {
				for id := range want {
					delete(want, id)
					x.Delete(id)
					break
				}
			}
			if got := x.Get(id); got != want[id] {
				t.Fatalf("seed %d, %d: %s is %v, want %v", seed, n, id, got, want[id])
			}
			if x.Len() != len(want) || inBucket*len(x.buckets) > 8*len(want)+8 {
				t.Fatalf("seed %d, %d: %d records in %d buckets, want %d", seed, n, x.Len(), len(x.buckets), len(want))
			}
		}
		list := x.Sorted()
		if len(list) != len(want) || !slices.IsSortedFunc(list, func(a, b *keyed) int { return strings.Compare(a.id, b.id) }) {
			t.Errorf("seed %d: %d records by id, want %d", seed, len(list), len(want))
		}
		if got := maps.Collect(x.All()); !maps.Equal(got, want) {
			t.Errorf("seed %d: got %d records, want %d", seed, len(got), len(want))
		}
	}
}
