package portallocator

import (
	"testing"
)

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
