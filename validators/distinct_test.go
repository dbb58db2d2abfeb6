package validators

import "testing"

// TestDistinctGrows: a long list grows seldom, so that it leaves little garbage.
func TestDistinctGrows(t *testing.T) {
	var list []*int
	grown := 0
	for n := range 100_000 {
		had := cap(list)
		list = append(Distinct(list, n, Same), new(int))
		if cap(list) > had {
			grown++
		}
	}
	if grown > 18 { // 2^17 is more than the length
		t.Errorf("the list has grown %d times", grown)
	}
}
