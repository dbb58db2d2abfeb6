package validators

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// With many streams, more batches wait, and are judged together. The result is the same.
func TestManyStreams(t *testing.T) {
	const streams, size = 6 * streamsPerBatch, 100 // Push judges so few on its own goroutine
	random := rand.New(rand.NewPCG(3, 9))
	var d trace.Decoder
	var events []trace.Event
	for i := range 12 * streams {
		line := fmt.Sprintf("s%d:u n%d %c", random.IntN(streams), random.IntN(2), 'a'+random.IntN(3))
		events = append(events, shortEvent(t, &d, line, i+1))
	}
	judge := func(shards int) (*Runner, string) {
		r, err := NewRunner(Options{Specs: []*Spec{tally("tally", kinds.Node)}, KeepGoing: true, Shards: shards})
		if err != nil {
			t.Fatal(err)
		}
		for from := 0; from < len(events); from += size {
			some, push := events[from:min(from+size, len(events))], r.Push
			if random.IntN(10) > 0 {
				push = func(events []trace.Event) error { return r.PushLater(events, func() {}) }
			}
			if err := push(some); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Wait(); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r.Finish())
		if err != nil {
			t.Fatal(err)
		}
		return r, string(text)
	}
	_, want := judge(1)
	r, got := judge(2)
	if got != want {
		t.Errorf("with two shards:\n%s\nwith one:\n%s", got, want)
	}
	objects := (len(r.batches) - leastBatches) * batchObjects
	for _, s := range r.streams() {
		objects += s.objects
	}
	if r.Objects() != objects {
		t.Errorf("%d objects, want %d", r.Objects(), objects)
	}
	if len(r.batches) <= leastBatches || len(r.Violations()) == 0 {
		t.Errorf("%d batches and %d violations prove nothing", len(r.batches), len(r.Violations()))
	}
}
