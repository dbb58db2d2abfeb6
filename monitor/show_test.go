package monitor

import (
	"cmp"
	"testing"
	"time"
)

// The order by fault: most violations that are not acknowledged, then the latest, and nothing that changes all the time.
func TestByFault(t *testing.T) {
	now := time.Now()
	want := []seen{
		{name: "many", sight: sight{violations: 3}},
		{name: "later", sight: sight{violations: 2, oldest: 9}, remembered: remembered{latest: now.Add(time.Second)}},
		{name: "late", sight: sight{violations: 9, unusable: true, oldest: 1}, remembered: remembered{latest: now, accepted: 7}},
		{name: "a", sight: sight{unusable: true}},
		{name: "b", sight: sight{undesired: true}},
		{name: "c", sight: sight{open: 1, oldest: 7}},
		{name: "d", sight: sight{open: 4, oldest: 2}},
		{name: "e"},
	}
	for i := range want {
		want[i].part = &part{name: "p"}
	}
	for i := range want {
		for k := range want {
			if got := cmp.Or(byFault(&want[i], &want[k]), byName(&want[i], &want[k])); got != cmp.Compare(i, k) {
				t.Errorf("%s and %s: %d", want[i].name, want[k].name, got)
			}
		}
	}
}
