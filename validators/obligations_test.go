package validators

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"tracecheck/trace"
)

// The model of a ledger: each holder's want and since when it has been open,
// gates with since when they have been.
type naiveWait struct {
	want     Want
	since    int64
	reported bool // reported as overdue
}

type naiveGate struct {
	open  bool
	since int64
}

// TestLedgerAgainstModel takes random walks: wants come, go on, are met and
// change their gates; gates open and close; time passes.
func TestLedgerAgainstModel(t *testing.T) {
	const holders, gates, limit = 6, 2, 10
	for seed := range int64(3000) {
		rng := rand.New(rand.NewSource(seed))
		l := NewLedger(4)
		var have [holders]*Obligation
		var gate [gates]Gate
		var wait [holders]naiveWait
		var shut [gates]naiveGate
		met, now := 0, int64(1000)
		open := func(h int) (bool, int64) {
			w := &wait[h]
			if w.want.For == 0 {
				return false, 0
			}
			for g := range gates {
				if w.want.Gate == &gate[g] {
					return shut[g].open, max(w.since, shut[g].since)
				}
			}
			return true, w.since
		}
		for n := range 60 {
			now += rng.Int63n(6)
			var got, want []string
			l.overdue(now, limit, func(o *Obligation) {
				got = append(got, o.Of.Ref().ID)
				since := o.opened().nanos
				if at := slices.IndexFunc(wait[:], func(w naiveWait) bool { return w.want.Of == o.Of }); at < 0 {
					t.Fatalf("seed %d, %d: %s is overdue, which waits for nothing", seed, n, o.Of.Ref().ID)
				} else if _, at := open(at); since != at {
					t.Fatalf("seed %d, %d: %s waits since %d, want %d", seed, n, o.Of.Ref().ID, since, at)
				}
			})
			for h := range holders {
				if is, since := open(h); is && now-since > limit && !wait[h].reported {
					wait[h].reported = true
					want = append(want, fmt.Sprint(h))
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d: overdue are %v, want %v", seed, n, got, want)
			}
			l.at(trace.Pos{Line: n + 1}, now)
			if g := rng.Intn(gates); rng.Intn(3) == 0 {
				is := rng.Intn(2) == 0
				l.SetGate(&gate[g], is)
				if is != shut[g].open {
					shut[g] = naiveGate{is, now}
				}
			}
			h := rng.Intn(holders)
			next := Want{For: Wait(rng.Intn(4)), Of: named(fmt.Sprint(h)), Stage: int32(rng.Intn(3))}
			if next.For == 0 {
				next = Want{}
			} else if g := rng.Intn(gates + 1); g < gates {
				next.Gate = &gate[g]
			}
			old := &wait[h]
			same := old.want.For == next.For && old.want.Gate == next.Gate && next.Stage <= old.want.Stage
			if old.want.For != 0 && !same {
				met++
			}
			if !same {
				*old = naiveWait{since: now}
			}
			old.want = next
			have[h] = l.Set(have[h], next)
		}
		var listed []string
		l.each(func(o *Obligation) { listed = append(listed, o.Of.Ref().ID) })
		slices.Sort(listed)
		var want []string
		for h := range holders {
			if is, _ := open(h); is {
				want = append(want, fmt.Sprint(h))
			}
		}
		if !slices.Equal(listed, want) {
			t.Fatalf("seed %d: open are %v, want %v", seed, listed, want)
		}
		sum := 0
		for i := range l.met {
			sum += l.met[i].count()
		}
		if sum != met {
			t.Fatalf("seed %d: %d obligations were met, want %d", seed, sum, met)
		}
	}
}

type named string

func (n named) Ref() Ref { return Ref{ID: string(n)} }

// TestLedgerReuses: obligations that come and go do not pile up.
func TestLedgerReuses(t *testing.T) {
	l := NewLedger(2)
	var who Waiter = named("t1")
	if n := testing.AllocsPerRun(100, func() {
		l.Set(l.Set(nil, Want{For: 1, Of: who}), Want{})
	}); n > 0 {
		t.Errorf("%v allocations for an obligation that comes and goes, want none", n)
	}
}
