package portallocator

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestUses holds the addresses' own map to a Go map, through growing, shrinking
// and what is deleted between others.
func TestUses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var u uses
	want := map[address]use{}
	for i := range 20000 {
		a := at(uint16(rng.IntN(3)), int32(rng.IntN(400))-1)
		is := use{ingress: int32(rng.IntN(2)), host: int32(rng.IntN(2))}
		if i%5000 > 3500 {
			is = use{} // it shrinks
		}
		u.put(u.at(a), a, is)
		if want[a] = is; is == (use{}) {
			delete(want, a)
		}
		if b := at(uint16(rng.IntN(4)), int32(rng.IntN(400))-1); u.get(b) != want[b] {
			t.Fatalf("step %d: %v has %v, want %v", i, b, u.get(b), want[b])
		}
		if i%100 == 0 && !maps.Equal(maps.Collect(u.all()), want) {
			t.Fatalf("step %d: the contents differ", i)
		}
		if len(u.slots) > max(leastSlots, 16*(len(want)+1)) {
			t.Fatalf("step %d: %d slots for %d addresses", i, len(u.slots), len(want))
		}
	}
}

// TestTable holds a table to a map, with few keys and with many.
func TestTable(t *testing.T) {
	var got table[address, int]
	for _, n := range []int{3, fewKeys, fewKeys + 1, 100, 5} {
		got.clear()
		want := map[address]int{}
		for i := range 4 * n {
			a := address(i * 7 % n)
			*got.of(a) += i
			want[a] += i
		}
		for a := range address(n + 1) {
			if got.get(a) != want[a] || got.find(a) >= 0 != (a < address(n)) {
				t.Errorf("%d keys: %d has %d at %d, want %d", n, a, got.get(a), got.find(a), want[a])
			}
		}
		if len(got.keys) != n {
			t.Errorf("%d keys, want %d", len(got.keys), n)
		}
	}
}
