package trace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRunsAndSingleEvents: however the events of a stream are handed over, the
// same comes of them; and no step has lines of two transactions.
func TestRunsAndSingleEvents(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var events []Event
		seq, tx := 0, 0
		for i := range 40 {
			short := fmt.Sprintf("u %c", 'a'+rng.IntN(2))
			switch rng.IntN(12) {
			case 0:
				short = []string{"meta", "meta moby"}[rng.IntN(2)]
			case 1, 2:
				short = "s x"
			case 3, 4, 5, 6, 7, 8:
				if rng.IntN(3) == 0 {
					tx++
				}
				short += fmt.Sprintf(" tx=%d", tx)
			}
			if short[0] != 'm' || rng.IntN(4) == 0 {
				switch rng.IntN(20) {
				case 0:
					seq = 0
				case 1:
					seq += rng.IntN(3)
				case 2:
					seq -= min(seq, 1+rng.IntN(3))
				}
				seq++
				if short[0] == 'u' || rng.IntN(2) == 0 {
					short += fmt.Sprintf(" seq=%d", seq)
				}
			}
			ev := line(t, short)
			ev.Pos.Line = i + 1
			events = append(events, ev)
		}
		judge := func(longest int) ([]string, [3]int) {
			q, r := &Sequencer{OnGap: ResyncOnGap, Remember: 1 + int(seed%5)}, &recorder{}
			for i := 0; i < len(events); {
				n, end := 1, min(i+1+rng.IntN(longest), len(events))
				var err error
				if longest == 1 {
					ev := events[i].Clone()
					err = q.Push(&ev, r)
				} else {
					var next *Event
					if end < len(events) {
						next = &events[end]
					}
					n, err = q.PushRun(events[i:end], next, r)
				}
				if err != nil {
					t.Fatal(err)
				}
				if i += n; rng.IntN(3) == 0 {
					q.Own()
				}
			}
			if err := q.Close(r); err != nil {
				t.Fatal(err)
			}
			return r.got, [3]int{q.Duplicates, q.Gaps, q.Skipped}
		}
		want, counts := judge(1)
		for range 5 {
			if got, n := judge(8); !slices.Equal(got, want) || n != counts {
				t.Fatalf("seed %d: in runs\n%q %v\none by one\n%q %v", seed, got, n, want, counts)
			}
		}
	}
}

// TestRunAfterOpenTransaction: a transaction that was left open ends before the next whole one,
// which is taken at once.
func TestRunAfterOpenTransaction(t *testing.T) {
	events := []Event{line(t, "u a tx=1 seq=1"), line(t, "u b tx=2 seq=2"), line(t, "u c tx=2 seq=3"), line(t, "u d tx=3 seq=4")}
	q, r := &Sequencer{}, &recorder{}
	if err := q.Push(&events[0], r); err != nil {
		t.Fatal(err)
	}
	if n, err := q.PushRun(events[1:3], &events[3], r); n != 2 || err != nil || len(r.got) != 2 {
		t.Errorf("%d events were taken, %q, %v; want both of the transaction", n, r.got, err)
	}
	failing := errors.New("the step fails")
	q = &Sequencer{}
	if err := q.Push(&events[0], r); err != nil {
		t.Fatal(err)
	}
	if n, err := q.PushRun(events[1:3], &events[3], failingSink{r, failing}); n != 1 || err != failing {
		t.Errorf("%d events were taken, %v; want the one that ends the step that fails", n, err)
	}
}

type failingSink struct {
	Sink
	err error
}

func (f failingSink) Step(*Step) error { return f.err }
