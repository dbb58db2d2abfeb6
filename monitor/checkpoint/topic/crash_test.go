package topic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/monitor/checkpoint"
)

// An owner whose writing ends after any number of records leaves its last
// checkpoint, or the one it was making; and the next owner goes on from there
// and leaves nothing else behind.
func TestStopsAfterAnyRecord(t *testing.T) {
	const saves = 7
	for k := 0; ; k++ {
		m := newMemory(1)
		s := m.store(t)
		maker := saver{rng: rand.New(rand.NewPCG(1, 2))}
		first, _ := openPart(t, s, "p/0")
		m.left = k
		last, making := (*picture)(nil), (*picture)(nil)
		stopped := false
		for range saves {
			var c *checkpoint.Change
			making, c = maker.next(last, first.Whole())
			if err := first.Save(t.Context(), c); err != nil {
				stopped = true
				break
			}
			if last = making; first.Whole() {
				break // it could not clean up
			}
		}
		m.left = -1
		if k%2 == 1 {
			m.compact(maker.rng)
		}
		second, got := openPart(t, s, "p/0")
		if !got.equal(last) && !(stopped && got.equal(making)) {
			t.Fatalf("after %d records: got %v, want %v, or what was being made, %v", k, got, last, making)
		}
		for range 3 {
			var c *checkpoint.Change
			got, c = maker.next(got, second.Whole())
			if err := second.Save(t.Context(), c); err != nil {
				t.Fatalf("after %d records: the next owner: %v", k, err)
			}
		}
		left := m.live(0)
		for _, key := range ownKeys(second.(*part)) {
			if !left[key] {
				t.Fatalf("after %d records: %q is not there", k, key)
			}
			delete(left, key)
		}
		for key := range left {
			parsed, _ := readKey([]byte(key))
			t.Fatalf("after %d records: the key %+v is still there", k, parsed)
		}
		if _, again := openPart(t, s, "p/0"); !again.equal(got) {
			t.Fatalf("after %d records: got %v, want %v", k, again, got)
		}
		if !stopped && !first.Whole() {
			t.Logf("%d checkpoints are up to %d records", saves, k)
			return
		}
	}
}

// ownKeys are those that a part needs.
func ownKeys(p *part) (all []string) {
	for of := range p.slots {
		for _, k := range p.keysOf(of) {
			all = append(all, string(k))
		}
	}
	for n := p.n; n > p.n-uint64(min(p.marks, 2)); n-- {
		all = append(all, string(p.markKey(uint8(n%2))))
	}
	return all
}

// However writes fail, a checkpoint that was made is not lost, and what is
// loaded is one that was saved whole, no older than the last that was made.
// Compaction runs at any time, and what failed may come later.
func TestFailures(t *testing.T) {
	rounds := exhaustive.Or(60, 300)
	outcomes := map[string]int{}
	for round := range rounds {
		rng := rand.New(rand.NewPCG(uint64(round), 3))
		m := newMemory(1)
		s := m.store(t)
		m.fate = func() fate {
			if rng.IntN(12) > 0 {
				return taken
			}
			return fate(rng.IntN(int(fates)))
		}
		maker := saver{rng: rng}
		history := []*picture{nil}
		acked := 0 // the index of the last that was made
		var owner checkpoint.Part
		for step := range 60 {
			if owner == nil || rng.IntN(10) == 0 {
				p, err := s.Open(t.Context(), "p/0")
				if err != nil {
					continue // the claim failed
				}
				got, err := loadPicture(p)
				if err != nil {
					t.Fatalf("round %d, step %d: load: %v", round, step, err)
				}
				at := slices.IndexFunc(history[acked:], got.equal)
				if at < 0 {
					t.Fatalf("round %d, step %d: got %v, which was not saved since %v", round, step, got, history[acked])
				}
				if owner = p; at > 0 {
					outcomes["one that failed counts"]++
				}
				history = append(history, got)
			}
			to, c := maker.next(history[len(history)-1], owner.Whole())
			err := owner.Save(t.Context(), c)
			history = append(history, to)
			if err == nil {
				acked = len(history) - 1
				outcomes["made"]++
			} else {
				outcomes["failed"]++
			}
			if rng.IntN(5) == 0 {
				m.catchUp(rng)
			}
			if rng.IntN(5) == 0 {
				m.compact(rng)
			}
		}
	}
	t.Log(outcomes)
	if len(outcomes) != 3 {
		t.Errorf("the test shows nothing: %v", outcomes)
	}
}

// An owner that was thought dead and goes on saving changes nothing of what the
// next one has saved.
func TestZombie(t *testing.T) {
	noticed := 0
	for round := range 100 {
		rng := rand.New(rand.NewPCG(uint64(round), 4))
		m := newMemory(1)
		s := m.store(t)
		maker := saver{rng: rng}
		var owners []checkpoint.Part
		var states []*picture
		counts := -1 // the owner whose checkpoint counts
		for range 40 {
			if len(owners) == 0 || rng.IntN(8) == 0 {
				p, got := openPart(t, s, "p/0")
				if want := last(states, counts); !got.equal(want) {
					t.Fatalf("round %d: got %v, want %v of owner %d", round, got, want, counts)
				}
				owners, states = append(owners, p), append(states, got)
			}
			who := rng.IntN(len(owners))
			to, c := maker.next(states[who], owners[who].Whole())
			switch err := owners[who].Save(t.Context(), c); {
			case err == nil:
				states[who] = to
				counts = max(counts, who)
			case who < counts && owners[who].Whole():
				noticed++ // the next owner has deleted what it was to build upon
			default:
				t.Fatalf("round %d: %v", round, err)
			}
			if rng.IntN(4) == 0 {
				m.compact(rng)
			}
		}
	}
	t.Log(noticed, "saves have failed")
}

func last(states []*picture, of int) *picture {
	if of < 0 {
		return nil
	}
	return states[of]
}

// What is claimed at the same moment has one owner in the end.
func TestClaimedAtOnce(t *testing.T) {
	m := newMemory(1)
	s := m.store(t)
	parts := make(chan checkpoint.Part)
	const n = 8
	for range n {
		go func() {
			p, err := s.Open(t.Context(), "p/0")
			if err != nil {
				t.Error(err)
			}
			parts <- p
		}()
	}
	epochs := map[uint64]int{}
	for range n {
		epochs[(<-parts).(*part).epoch]++
	}
	// All have claims of their own; who saw another one has a later one.
	most := uint64(0)
	for e := range epochs {
		most = max(most, e)
	}
	if next, _ := openPart(t, s, "p/0"); next.(*part).epoch != most+1 {
		t.Errorf("the next owner has epoch %d after %v", next.(*part).epoch, epochs)
	}
}

// Parts that share a partition do not see each other.
func TestManyParts(t *testing.T) {
	m := newMemory(3)
	maker := saver{rng: rand.New(rand.NewPCG(5, 5))}
	want := map[string]*picture{}
	parts := map[string]checkpoint.Part{}
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprint("kafka:events/", i), fmt.Sprint("file-", i))
	}
	s := m.store(t)
	for n := range 400 {
		if n == 200 {
			s = m.store(t)
			clear(parts)
			m.compact(maker.rng)
		}
		name := names[maker.rng.IntN(len(names))]
		if parts[name] == nil {
			var got *picture
			if parts[name], got = openPart(t, s, name); !got.equal(want[name]) {
				t.Fatalf("%s: got %v, want %v", name, got, want[name])
			}
		}
		to, c := maker.next(want[name], parts[name].Whole())
		if err := parts[name].Save(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		want[name] = to
	}
	for _, name := range names {
		if _, got := openPart(t, s, name); !got.equal(want[name]) {
			t.Errorf("%s: got %v, want %v", name, got, want[name])
		}
	}
	for i := range 6 {
		if at := s.partitionOf(fmt.Sprint("kafka:events/", i)); at != i%3 {
			t.Errorf("partition %d is in %d, want %d", i, at, i%3)
		}
	}
	for p := range m.logs {
		if len(m.logs[p]) == 0 {
			t.Errorf("partition %d is not used", p)
		}
	}
}
