package swarmkit

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestVSlots compares with a map, and holds the list to what is there.
func TestVSlots(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var v vslots
		want := map[vslotKey]*vslot{}
		nodes := []*node{nil, {id: "n", number: 1}, {id: "m", number: 2}, {id: "far", number: 9000}}
		for n := range 3000 {
			from := int64(0)
			if seed%2 == 1 {
				from = int64(n / 50) // slots that move on for ever
			}
			key := vslotKey{slot: from + int64(r.IntN(40)) - 1}
			if r.IntN(4) == 0 {
				key = vslotKey{globalSlot, nodes[r.IntN(len(nodes))]}
			}
			switch {
			case want[key] == nil && r.IntN(3) > 0:
				want[key] = &vslot{key: key}
				v.put(want[key])
			case want[key] != nil:
				delete(want, key)
				v.drop(key)
			}
			if v.get(key) != want[key] {
				t.Fatalf("seed %d, %d: got %v, want %v", seed, n, v.get(key), want[key])
			}
			if len(v.slots.list) > 4*len(want)+8 {
				t.Fatalf("seed %d, %d: a list of %d for %d vslots", seed, n, len(v.slots.list), len(want))
			}
		}
		got := map[vslotKey]*vslot{}
		for vs := range v.all {
			got[vs.key] = vs
		}
		if !maps.Equal(got, want) {
			t.Errorf("seed %d: got %v, want %v", seed, got, want)
		}
	}
}
