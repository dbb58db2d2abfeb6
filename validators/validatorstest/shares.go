package validatorstest

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"tracecheck/trace"
	"tracecheck/validators"
)

// inShares judges the trace, and saves it several times in shares, with events in
// between. In half of the cases, each stream is saved in parts. A stream's state must
// equal the one saved at once when the shares began, except for the order of parts. A
// Runner that restores it must report the same, and saving must not change judging.
func inShares(t testing.TB, name string, events []trace.Event, opts validators.Options, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 17))
	opts.KeepGoing, opts.Recover, opts.Shards = true, true, 1+rng.IntN(3)
	at := 0
	run := func(opts validators.Options) *validators.Runner {
		r, err := validators.NewRunner(opts)
		if err != nil {
			t.Fatal(err)
		}
		r.Expect(rotated)
		return r
	}
	hasty, lossy := rng.IntN(2) == 0, rng.IntN(3) == 0
	plain := run(opts)
	opts.InParts = rng.IntN(2)
	saved := run(opts)
	inOrder := func(stream string, state []byte) (ordered []byte) {
		if opts.InParts == 0 {
			return state
		}
		o := opts
		o.InParts = 0
		again := run(o)
		if err := again.Restore(stream, state); err != nil {
			t.Fatalf("%s, after %d events: %v", name, at, err)
		}
		again.Save(true, func(_ string, state []byte) { ordered = state })
		return ordered
	}
	push := func(most int) {
		n := min(rng.IntN(most)+1, len(events)-at)
		lose := lossy && rng.IntN(100) == 0
		for _, r := range []*validators.Runner{plain, saved} {
			if lose {
				r.LoseAll(&trace.Error{Pos: trace.Pos{File: rotated[0], Line: 1}, Reason: "some are missing"})
			}
			if err := r.Push(events[at : at+n]); err != nil {
				t.Fatal(err)
			}
		}
		at += n
	}
	kept := map[string][]byte{}
	resumed := lossy
	for all := true; at < len(events); all = rng.IntN(3) == 0 {
		push(min(40, 1+len(events)/3))
		want := map[string][]byte{}
		plain.Save(true, func(stream string, state []byte) { want[stream] = state })
		from, shares := at, saved.BeginSave(all)
		for done := false; !done; {
			if at < len(events) && rng.IntN(3) > 0 {
				push(6)
			}
			most := time.Duration(0)
			if hasty && rng.IntN(10) == 0 {
				most = time.Hour
			}
			done = shares.Share(most, func(stream string, state validators.State) { kept[stream] = state.Bytes() })
		}
		for stream, state := range want {
			if !bytes.Equal(state, inOrder(stream, kept[stream])) {
				t.Fatalf("%s, after %d events: what is saved of stream %q in shares is not what is saved at once", name, at, stream)
			}
		}
		if !resumed && rng.IntN(3) == 0 {
			resumed = true
			resume(t, name, events, opts, from, kept)
		}
	}
	got, err := json.Marshal(saved.Finish())
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(plain.Finish())
	if err != nil {
		t.Fatal(err)
	}
	same(t, name, at, "of a run that was saved in shares", string(got), string(want))
}

// resume restores the streams that were saved after the given number of events, and
// continues.
func resume(t testing.TB, name string, events []trace.Event, opts validators.Options, from int, saved map[string][]byte) {
	t.Helper()
	whole, second := newCutRun(t, opts), newCutRun(t, opts)
	whole.push(events[:from])
	whole.report()
	for stream, state := range saved {
		if err := second.Restore(stream, state); err != nil {
			t.Fatalf("%s, saved in shares after %d events: %v", name, from, err)
		}
	}
	for _, r := range []*cutRun{whole, second} {
		r.push(events[from:])
	}
	same(t, name, from, "after it was saved in shares", second.finish(), whole.finish())
}
