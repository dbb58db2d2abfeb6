package remind

import (
	"slices"
	"testing"
	"time"
)

// What lasts an hour is said at once, then ever more rarely; what comes back is
// said at once again.
func TestReminder(t *testing.T) {
	var r Reminder
	start := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	if r.Over() || !r.Since().IsZero() {
		t.Error("it is over before it began")
	}
	for range 2 {
		var said []int // seconds
		for s := range 3600 {
			if r.Due(start.Add(time.Duration(s) * time.Second)) {
				said = append(said, s)
			}
		}
		want := []int{0, 10, 30, 70, 150, 310, 630, 1230, 1830, 2430, 3030}
		if !slices.Equal(said, want) {
			t.Errorf("said after %v seconds, want %v", said, want)
		}
		if !r.Since().Equal(start) || !r.Over() || r.Over() {
			t.Error("it began at the start, and ends once")
		}
	}
}
