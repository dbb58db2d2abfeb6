package history

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// event is one that states its number, in a line of some length.
func event(t *testing.T, d *trace.Decoder, n, length int) trace.Event {
	raw := fmt.Sprintf(`{"seq":%d,"kind":"node","op":"update","id":"n%d","pad":"%s"}`, n, n%7, strings.Repeat("x", length))
	var ev trace.Event
	if err := d.Decode([]byte(raw), trace.Pos{File: fmt.Sprint("f", n/100%3), Line: n + 1}, &ev); err != nil {
		t.Fatal(err)
	}
	ev.Stream = fmt.Sprint("s", n%3) // as the key of a message names it
	return ev
}

// What is kept are the latest events, all of them from one on, as they were.
func TestRingKeepsTheLatest(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		r := New(64 << 10)
		var all []trace.Event
		lost := false
		for len(all) < 3000 {
			var d trace.Decoder
			batch := make([]trace.Event, 1+random.IntN(40))
			for i := range batch {
				batch[i] = event(t, &d, len(all)+i, random.IntN(150))
			}
			r.Add(batch)
			for i := range batch {
				all = append(all, batch[i].Clone())
				batch[i] = trace.Event{} // it may die
			}
			if len(all)%7 > 0 {
				continue
			}
			n := 0
			for l := range r.Latest() {
				n++
				if want := &all[len(all)-n]; l.Raw != want.Raw || l.Pos != want.Pos || l.Stream != want.Stream {
					t.Fatalf("seed %d: the %dth latest of %d is %+v, want %+v", seed, n, len(all), l, want)
				}
			}
			from, whole := r.Reach()
			if from != all[len(all)-n].Pos || whole != (n == len(all)) {
				t.Fatalf("seed %d: %d of %d lines are kept, and the reach is %v, %v", seed, n, len(all), from, whole)
			}
			lost = lost || !whole
			at := len(all) - n
			if err := r.Each(func(events []trace.Event) error {
				for i := range events {
					if got, want := &events[i], &all[at]; got.Seq != want.Seq || got.ID != want.ID || got.Stream != want.Stream || got.Pos != want.Pos || got.Raw != want.Raw {
						t.Fatalf("seed %d: event %d is %+v, want %+v", seed, at, got, want)
					}
					at++
				}
				return nil
			}); err != nil || at != len(all) {
				t.Fatalf("seed %d: %v at %d of %d", seed, err, at, len(all))
			}
			if n < 200 && len(all) > 1000 {
				t.Fatalf("seed %d: no more than %d lines are kept", seed, n)
			}
		}
		if !lost {
			t.Errorf("seed %d: nothing was lost", seed)
		}
	}
}

// A line that is too long for the ring is lost, which the ring states.
func TestRingLongLine(t *testing.T) {
	var d trace.Decoder
	r := New(64 << 10)
	r.Add([]trace.Event{event(t, &d, 0, 10), event(t, &d, 1, 64<<10), event(t, &d, 2, 10)})
	var seqs []int64
	_ = r.Each(func(events []trace.Event) error {
		for i := range events {
			seqs = append(seqs, events[i].Seq)
		}
		return nil
	})
	if _, whole := r.Reach(); whole || fmt.Sprint(seqs) != "[0 2]" {
		t.Errorf("events %v are kept, whole: %v", seqs, whole)
	}
}

func TestRingEachEnds(t *testing.T) {
	var d trace.Decoder
	r := New(64 << 10)
	r.Add([]trace.Event{event(t, &d, 0, 10)})
	bad := errors.New("bad")
	if err := r.Each(func([]trace.Event) error { return bad }); err != bad {
		t.Errorf("got %v", err)
	}
	if err := r.Each(func([]trace.Event) error { return trace.ErrStop }); err != nil {
		t.Errorf("got %v", err)
	}
	if from, whole := New(1).Reach(); from != (trace.Pos{}) || !whole {
		t.Errorf("an empty ring reaches %v, %v", from, whole)
	}
}

// Lines of blocks are kept without copies. Blocks go on with what is not kept any more,
// and what is kept stays as it is.
func TestRingHoldsBlocks(t *testing.T) {
	var text strings.Builder
	const all = 60_000
	for n := range all {
		fmt.Fprintf(&text, `{"stream":"s%d","seq":%d,"kind":"node","op":"update","id":"n%d"}`+"\n", n%3, n, n%7)
	}
	for _, size := range []int{1, 1 << 20, 64 << 20} {
		reader, err := ingest.Open([]string{"-"}, ingest.Options{Stdin: strings.NewReader(text.String())})
		if err != nil {
			t.Fatal(err)
		}
		r, read := New(size), 0
		for {
			b, err := reader.Next(t.Context())
			if err != nil {
				break
			}
			read += len(b.Events)
			r.Hold(b)
			b.Release()
		}
		from, whole := r.Reach()
		seq := int64(from.Line - 1)
		if whole != (size == 64<<20) || whole != (seq == 0) || read-int(seq) < 10_000 && size > 1 {
			t.Errorf("of %d lines, those from %v on are kept, all: %v", read, from, whole)
		}
		if err := r.Each(func(events []trace.Event) error {
			for i := range events {
				if ev := &events[i]; ev.Seq != seq || ev.Pos.Line != int(seq)+1 || ev.Stream != fmt.Sprint("s", seq%3) {
					t.Fatalf("got %+v, want the event %d", ev, seq)
				}
				seq++
			}
			return nil
		}); err != nil || read != all || seq != all {
			t.Errorf("%v; read %d, and kept up to %d", err, read, seq)
		}
		for l := range r.Latest() {
			if seq--; l.Pos.Line != int(seq)+1 {
				t.Fatalf("backwards: line %d, want %d", l.Pos.Line, seq+1)
			}
		}
	}
}
