package topic

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"tracecheck/monitor/checkpoint"
)

// An owner whose checkpoints failed, several in a row, leaves nothing of them
// behind when one succeeds.
func TestFailedCheckpointsAreDeleted(t *testing.T) {
	for failed := range 5 {
		m := newMemory(1)
		p, _ := openPart(t, m.store(t), "p/0")
		c := &checkpoint.Change{Head: []byte("head"), Whole: true, Streams: slices.Values([]checkpoint.Stream{{Name: "a", State: []byte("1")}})}
		m.fate = func() fate { return unheard }
		for range failed {
			if p.Save(t.Context(), c) == nil {
				t.Fatal("the checkpoint did not fail")
			}
		}
		m.fate = nil
		for range 2 {
			if err := p.Save(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			c.Whole = false
		}
		left := slices.Sorted(maps.Keys(m.live(0)))
		if want := slices.Sorted(slices.Values(ownKeys(p.(*part)))); !slices.Equal(left, want) {
			t.Errorf("after %d that failed: %d keys are there, want %d", failed, len(left), len(want))
		}
	}
}

// However often checkpoints fail while Kafka is away, no more is kept of them
// than of a few.
func TestFailedCheckpointsTakeNoMemory(t *testing.T) {
	m := newMemory(1)
	p, _ := openPart(t, m.store(t), "p/0")
	c := &checkpoint.Change{Head: []byte("head"), Whole: true}
	var list []checkpoint.Stream
	for i := range 100 {
		list = append(list, checkpoint.Stream{Name: fmt.Sprint(i), State: []byte("1")})
	}
	c.Streams = slices.Values(list)
	if err := p.Save(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	m.fate = func() fate { return lost }
	for range 1000 {
		if p.Save(t.Context(), c) == nil {
			t.Fatal("the checkpoint did not fail")
		}
	}
	if n := len(p.(*part).excess) + len(p.(*part).failed); n > 10*len(list) {
		t.Errorf("%d keys are kept of %d streams", n, len(list))
	}
	m.fate = nil
	for range 2 {
		if err := p.Save(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		c.Whole = false
	}
	if left, want := len(m.live(0)), len(ownKeys(p.(*part))); left != want {
		t.Errorf("%d keys are there, want %d", left, want)
	}
}
