package trace

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMemory: what is remembered of numbers that rise is what a list of all of
// them states, as far back as the last lines go.
func TestMemory(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		most := 1 + rng.IntN(40)
		var m memory
		type numbered struct {
			seq   int64
			print uint64
		}
		var all []numbered
		last := int64(math.MinInt64)
		if seed%2 == 0 {
			last = rng.Int64N(100) - 50
		}
		next := func(by int64) {
			if len(all) > 0 && by > 1 {
				m.skip(last, last+by)
			}
			last += by
			all = append(all, numbered{last, rng.Uint64()})
			m.add(all[len(all)-1].print, most)
		}
		for next(1); len(all) < 120; {
			switch rng.IntN(12) {
			case 0:
				next(2 + rng.Int64N(5))
			case 1:
				next(2 + rng.Int64N(math.MaxInt64/200))
			default:
				next(1)
			}
			if len(m.prints) > most || len(m.holes()) > mostHoles {
				t.Fatalf("%d lines and %d gaps are remembered, of at most %d", len(m.prints), len(m.holes()), most)
			}
			known := all[max(0, len(all)-most):]
			holes := 0
			for i := len(known) - 1; i >= 0; i-- {
				k := known[i]
				want := recallSame
				if holes > mostHoles-1 { // perhaps forgotten
					break
				}
				if got := m.look(k.seq, k.print, last); got != want {
					t.Fatalf("seed %d: the line %d back gives %d, want %d", seed, len(known)-1-i, got, want)
				}
				if got := m.look(k.seq, k.print+1, last); got != recallOther {
					t.Fatalf("seed %d: another line %d back gives %d", seed, len(known)-1-i, got)
				}
				if i > 0 && known[i-1].seq < k.seq-1 {
					holes++
					if got := m.look(k.seq-1, 0, last); holes < mostHoles && got != recallLate {
						t.Fatalf("seed %d: a late line gives %d", seed, got)
					}
				}
			}
			if first := known[0].seq; len(all) > most && first > math.MinInt64+1 {
				if got := m.look(first-1, 0, last); got != recallOlder {
					t.Fatalf("seed %d: a line before all that are remembered gives %d", seed, got)
				}
			}
		}
	}
}
