package topic

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/ingest/kafka"
	"tracecheck/internal/exhaustive"
)

// hurtOne deletes a record of a partition, changes it, or gives it the key of
// another one.
func (m *memory) hurtOne(rng *rand.Rand, partition int) {
	log := m.logs[partition]
	i := 1 + rng.IntN(len(log)-1) // the layout stays
	switch one := &log[i]; rng.IntN(4) {
	case 0:
		m.logs[partition] = slices.Delete(log, i, i+1)
	case 1:
		m.append(partition, []message{{one.Key, nil}})
	case 2:
		if len(one.Value) > 0 {
			one.Value[rng.IntN(len(one.Value))] ^= 1 << rng.IntN(8)
		}
	case 3:
		one.Key = bytes.Clone(log[1+rng.IntN(len(log)-1)].Key)
	}
}

// marked is which checkpoint of a part has the last mark. One that has lost its
// mark is one that was never finished.
func (m *memory) marked(t *testing.T, part string) uint64 {
	t.Helper()
	r := newReplay(part)
	for _, one := range m.logs[0] {
		if err := r.add(one.Offset, one.Key, one.Value); err != nil {
			t.Fatal(err)
		}
	}
	return r.last()
}

// copyOf is a broker with the same records.
func (m *memory) copyOf() *memory {
	c := &memory{next: slices.Clone(m.next), left: -1}
	for _, log := range m.logs {
		var copied []kafka.Message
		for _, one := range log {
			one.Key, one.Value = bytes.Clone(one.Key), bytes.Clone(one.Value)
			copied = append(copied, one)
		}
		c.logs = append(c.logs, copied)
	}
	return c
}

// Whatever becomes of a record, a part has its last checkpoint, the one before
// it, or an error; and where it is not the last, something states so.
func TestDamagedRecords(t *testing.T) {
	rounds := exhaustive.Or(60, 400)
	tell := map[string]int{}
	for _, saves := range []int{1, 2, 5, 6} {
		whole := newMemory(1)
		s := whole.store(t)
		history := map[string][]*picture{}
		for i, name := range []string{"events/0", "events/1"} {
			maker := saver{rng: rand.New(rand.NewPCG(uint64(saves), uint64(i)))}
			p, at := openPart(t, s, name)
			history[name] = []*picture{nil}
			for n := range saves {
				if n == 3 {
					p, at = openPart(t, s, name) // another owner
				}
				to, c := maker.next(at, p.Whole())
				if err := p.Save(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				at = to
				history[name] = append(history[name], at)
			}
		}
		for round := range rounds {
			rng := rand.New(rand.NewPCG(uint64(round), 12))
			m := whole.copyOf()
			for range 1 + rng.IntN(2) {
				m.hurtOne(rng, 0)
			}
			for name, made := range history {
				p, err := m.store(t).Open(t.Context(), name)
				if err != nil {
					t.Fatalf("%d saves, round %d: open: %v", saves, round, err)
				}
				got, err := loadPicture(p)
				switch {
				case err != nil && strings.Contains(err.Error(), "--start-over"):
					tell["error"]++
				case err != nil:
					t.Errorf("%d saves, round %d: the error does not say what to do: %v", saves, round, err)
				case got.equal(made[saves]):
					tell["last"]++
				case p.Damage() == nil && m.marked(t, name) == uint64(saves):
					t.Errorf("%d saves, round %d, %s: got %v, want %v, and nothing states so", saves, round, name, got, made[saves])
				case got.equal(made[saves-1]):
					tell["before"]++
				default:
					t.Errorf("%d saves, round %d, %s: got %v, which is neither of the last two", saves, round, name, got)
				}
			}
		}
	}
	t.Log(tell)
	if len(tell) != 3 {
		t.Errorf("the test shows nothing: %v", tell)
	}
}

// A part of which nothing is left is not taken for one that is new.
func TestPartVanishes(t *testing.T) {
	m := newMemory(2)
	s := m.store(t)
	maker := saver{rng: rand.New(rand.NewPCG(7, 7))}
	for i := range 2 {
		p, _ := openPart(t, s, fmt.Sprint("events/", i))
		_, c := maker.next(nil, true)
		if err := p.Save(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	m.logs[1] = nil
	p, err := m.store(t).Open(t.Context(), "events/1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := loadPicture(p); err == nil || !strings.Contains(err.Error(), "the checkpoints of events/1 in topic state are lost") {
		t.Errorf("got %v, error %v", got, err)
	}
	if _, got := openPart(t, m.store(t), "events/3"); got != nil {
		t.Errorf("a part that is new: got %v", got)
	}
}

// Who begins over has nothing of before, even where its first checkpoint is
// damaged.
func TestBegunOverIsNotUndone(t *testing.T) {
	m := newMemory(1)
	s := m.store(t)
	maker := saver{rng: rand.New(rand.NewPCG(8, 7))}
	p, _ := openPart(t, s, "events/0")
	_, c := maker.next(nil, true)
	if err := p.Save(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	over, err := s.Open(t.Context(), "events/0")
	if err != nil {
		t.Fatal(err)
	}
	_, c = maker.next(nil, true)
	if err := over.Save(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	m.append(0, []message{{over.(*part).key(id{kind: top}, 0, 0), nil}})
	next, err := s.Open(t.Context(), "events/0")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := loadPicture(next); err == nil || !strings.Contains(err.Error(), "--start-over") {
		t.Errorf("got %v, error %v", got, err)
	}
}

// One damaged record damages one checkpoint at most: of two, a part always has
// one, whichever record it is and whatever becomes of it.
func TestOneDamagedRecord(t *testing.T) {
	last, before := 0, 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 13))
		whole := newMemory(1)
		maker := saver{rng: rng}
		p, at := openPart(t, whole.store(t), "events/0")
		made := []*picture{at}
		for range 2 + rng.IntN(5) {
			to, c := maker.next(at, p.Whole() || rng.IntN(8) == 0)
			if err := p.Save(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			at = to
			made = append(made, at)
			if rng.IntN(3) == 0 {
				whole.compact(rng)
			}
		}
		for i := 1; i < len(whole.logs[0]); i++ {
			k, err := readKey(whole.logs[0][i].Key)
			if err != nil || k.kind == known || k.kind == layout || whole.logs[0][i].Value == nil {
				continue // of no checkpoint
			}
			for way := range 3 {
				m := whole.copyOf()
				switch one := &m.logs[0][i]; {
				case way == 0:
					m.logs[0] = slices.Delete(m.logs[0], i, i+1)
				case way == 1:
					m.append(0, []message{{one.Key, nil}})
				case len(one.Value) > 0:
					one.Value[rng.IntN(len(one.Value))] ^= 1 << rng.IntN(8)
				}
				_, got := openPart(t, m.store(t), "events/0")
				switch {
				case got.equal(made[len(made)-1]):
					last++
				case got.equal(made[len(made)-2]):
					before++
				default:
					t.Fatalf("seed %d: without record %d (%+v): got %v, which is neither of the last two", seed, i, k, got)
				}
			}
		}
	}
	if last == 0 || before == 0 {
		t.Errorf("the test shows nothing: %d have the last one, %d the one before", last, before)
	}
}
