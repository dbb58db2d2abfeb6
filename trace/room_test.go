package trace

import "testing"

// TestRoomBetweenLarge: a small transaction does not cost the next large one its memory. Many in
// sequence do.
func TestRoomBetweenLarge(t *testing.T) {
	var r Room
	pass := func(events int) (had int) {
		open := r.begin()
		had = cap(open.events)
		for range events {
			open.events = append(open.events, Event{Raw: "{}"})
			open.own.keep(&open.events[len(open.events)-1])
		}
		r.end(open)
		return had
	}
	const large = 100 * keptEvents
	pass(large)
	for range 2 * mostSmall {
		pass(1)
		if had := pass(large); had < large {
			t.Fatalf("after a small transaction there was room for %d events, want %d", had, large)
		}
	}
	for range mostSmall + 1 {
		pass(1)
	}
	if had := pass(1); had >= large {
		t.Errorf("after %d small transactions there was room for %d events", mostSmall+1, had)
	}
}
