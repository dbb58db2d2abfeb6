package validators

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// household is a ledger with those that it keeps the obligations of.
type household struct {
	*Ledger
	have [6]*Obligation
	gate [2]Gate
}

func newHousehold() *household { return &household{Ledger: NewLedger(4)} }

// ask is Set, with the gate given by its place; -1: none.
func (h *household) ask(holder int, want Want, gate int) {
	if want.For != 0 && gate >= 0 {
		want.Gate = &h.gate[gate]
	}
	h.have[holder] = h.Set(h.have[holder], want)
}

func (h *household) gates(c *codec.Codec) {
	for i := range h.gate {
		h.Gate(c, &h.gate[i])
	}
}

// again is the household written down and made again: it asks for what is open
// before the gates are read, or after it.
func (h *household) again(t *testing.T, gatesLast bool) *household {
	t.Helper()
	c := codec.Writer(nil)
	h.gates(c)
	h.Persist(c, false)
	c = codec.Reader(c.Data())
	next := newHousehold()
	if !gatesLast {
		next.gates(c)
	}
	for i, o := range h.have {
		if o != nil {
			next.ask(i, o.Want(), slices.IndexFunc([]*Gate{&h.gate[0], &h.gate[1]}, func(g *Gate) bool { return g == o.Gate }))
		}
	}
	if gatesLast {
		next.gates(c)
	}
	next.Persist(c, false)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	known := 0
	next.moments([]*Gate{&next.gate[0], &next.gate[1]}, func(*moment) { known++ })
	if len(next.files) > known {
		t.Fatalf("%d moments are known, and %d files kept", known, len(next.files))
	}
	return next
}

// listed is each open obligation, in the ledger's order, with what a report
// reports it, and what has been met.
func (h *household) listed() (list []string, oldest int64) {
	oldest = h.now.place
	h.each(func(o *Obligation) {
		list = append(list, fmt.Sprintf("%s waits for %d since %v", o.Of.Ref().ID, o.For, h.stamp(o.opened())))
		oldest = min(oldest, o.opened().place)
	})
	for w := range h.kinds {
		met := h.closed(Wait(w))
		list = append(list, fmt.Sprintf("%d of %d, the last %v", met.count(), w, h.stamp(met.last)))
	}
	return list, oldest
}

// TestLedgerBothWays walks at random, and at times in two ledgers: one that is
// saved and restored, and one that is not. The number of open obligations, and the
// start of the oldest, must equal those of a scan of all.
func TestLedgerBothWays(t *testing.T) {
	const limit = 10
	files := []string{"old", "new"}
	seeds := exhaustive.Or[uint64](250, 1000)
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 4))
		whole := newHousehold()
		cut := newHousehold()
		now, deadline := int64(1000), rng.IntN(3) > 0
		pos := trace.Pos{File: files[0]}
		for n := range 60 {
			now += rng.Int64N(6)
			if rng.IntN(4) == 0 {
				cut = cut.again(t, rng.IntN(2) == 0)
			}
			var late [2][]string
			if pos.Line += 1 + rng.IntN(5); rng.IntN(6) == 0 { // perhaps the same file, recreated
				pos = trace.Pos{File: files[rng.IntN(2)], Line: 1 + rng.IntN(3)}
			}
			gate, open, shut := rng.IntN(2), rng.IntN(2) == 0, rng.IntN(3) == 0
			holder, behind := rng.IntN(len(whole.have)), rng.IntN(3)-1
			want := Want{For: Wait(rng.IntN(4)), Of: named(fmt.Sprint(holder)), Stage: rng.Int32N(3)}
			if want.For == 0 {
				want = Want{}
			}
			for i, h := range []*household{whole, cut} {
				if deadline {
					h.overdue(now, limit, func(o *Obligation) {
						late[i] = append(late[i], fmt.Sprintf("%s since %v", o.Of.Ref().ID, h.stamp(o.opened())))
					})
				}
				h.at(pos, now)
				if shut {
					h.SetGate(&h.gate[gate], open)
				}
				h.ask(holder, want, behind)
				list, oldest := h.listed()
				count, since := h.pending()
				if count != len(list)-int(h.kinds) || count > 0 && since != h.stamp(moment{oldest, since.nanos}) {
					t.Fatalf("seed %d, %d: %d are open, since %v; listed are %q", seed, n, count, since, list)
				}
			}
			a, _ := whole.listed()
			b, _ := cut.listed()
			if !slices.Equal(a, b) || !slices.Equal(late[0], late[1]) {
				t.Fatalf("seed %d, %d: open are\n%q\nlate %q\nand after restarts\n%q\nlate %q", seed, n, a, late[0], b, late[1])
			}
		}
	}
}

// TestPendingBehindGates: many that wait for a gate that is shut do not hide
// that others are open, nor take long to look at.
func TestPendingBehindGates(t *testing.T) {
	l := NewLedger(2)
	var gate Gate
	for i := range 3 * mostLooks {
		l.at(trace.Pos{File: "f", Line: i + 1}, int64(i))
		l.Set(nil, Want{For: 1, Of: named("shut"), Gate: &gate})
	}
	if open, _ := l.pending(); open != 0 {
		t.Errorf("%d are open behind a gate that is shut", open)
	}
	l.at(trace.Pos{File: "f", Line: 4 * mostLooks}, 5)
	l.Set(nil, Want{For: 1, Of: named("open")})
	if open, _ := l.pending(); open != 1 {
		t.Errorf("%d are open, want 1", open)
	}
	l.reset()
	if open, since := l.pending(); open != 0 || since.Pos.Line != 0 {
		t.Errorf("%d are open since %v, and all is lost", open, since)
	}
}

// TestFileBegunAgain: what came later is younger, though its line has a lower
// number.
func TestFileBegunAgain(t *testing.T) {
	j := judge{spec: &Spec{Waits: []string{1: "Go"}}, ledger: newLedger(2)}
	l := &j.ledger
	l.at(trace.Pos{File: "f", Line: 500}, 1)
	l.Set(nil, Want{For: 1, Of: named("first")})
	l.at(trace.Pos{File: "f", Line: 3}, 2)
	l.Set(nil, Want{For: 1, Of: named("second")})
	var report Liveness
	one := unsettled{property: &Temporal{Waits: []Wait{1}}}
	l.each(one.add)
	j.settle(&one, &report)
	if len(report.Waiting) != 2 || report.Waiting[0].ID != "first" || report.Waiting[0].SinceLine != 500 || report.Waiting[1].SinceLine != 3 {
		t.Errorf("%+v, want the first first", report)
	}
	if _, since := l.pending(); since.Pos.Line != 500 {
		t.Errorf("the oldest is open since %v, want line 500", since)
	}
}

// TestHeld: what does not follow from the state is written, with how far its
// stage has risen since.
func TestHeld(t *testing.T) {
	wants := func(stage int32) []Want {
		return []Want{{For: 1, Of: named("a")}, {For: 3, Of: named("a"), Stage: stage}}
	}
	for _, rose := range []int32{0, 1} {
		l := NewLedger(4)
		l.at(trace.Pos{File: "f", Line: 1}, 1)
		o := l.Set(nil, Want{For: 3, Of: named("a"), Stage: 7})
		c := codec.Writer(nil)
		l.Held(c, o, wants(7+rose)...)
		l.Held(c, nil, wants(7+rose)...)
		l.Persist(c, false)

		c = codec.Reader(c.Data())
		next := NewLedger(4)
		o = next.Held(c, nil, wants(rose)...) // of a count that starts again
		if none := next.Held(c, nil, wants(rose)...); none != nil {
			t.Errorf("%+v, want nothing", none)
		}
		next.Persist(c, false)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		next.at(trace.Pos{File: "f", Line: 2}, 2)
		next.Set(o, wants(rose)[1])
		if got, want := next.stamp(o.opened()).Pos.Line, 1+int(rose); got != want {
			t.Errorf("its stage rose by %d: it waits since line %d, want %d", rose, got, want)
		}
	}
	var none *Ledger
	c := codec.Writer(nil)
	if none.Held(c, nil, wants(0)...) != nil || len(c.Data()) != 0 {
		t.Error("no ledger keeps something")
	}
}

// TestBegunTogether: under other constants waits begin in the same order each time.
func TestBegunTogether(t *testing.T) {
	c := codec.Writer(nil)
	NewLedger(4).Persist(c, false)
	var first []string
	for range 5 {
		l, r := NewLedger(4), codec.Reader(c.Data())
		l.adapts = true
		for i := range 20 {
			l.Set(nil, Want{For: Wait(1 + i%2), Of: named(fmt.Sprint("n", i*7%20))})
		}
		if l.Persist(r, false); r.Close() != nil {
			t.Fatal(r.Err())
		}
		var order []string
		l.each(func(o *Obligation) { order = append(order, o.Of.Ref().ID) })
		if first == nil {
			first = order
		}
		if len(order) != 20 || !slices.Equal(order, first) {
			t.Fatalf("%v wait in this order, and before it was %v", order, first)
		}
	}
}

// TestCode: an obligation is made again as it was, behind its gate, though no holder
// has that any more.
func TestCode(t *testing.T) {
	l, kept, lost := NewLedger(4), &Gate{}, &Gate{}
	l.at(trace.Pos{File: "f", Line: 3}, 1)
	l.SetGate(kept, true)
	have := []*Obligation{
		l.Set(nil, Want{For: 1, Of: named("a"), Gate: lost, Stage: 5}),
		l.Set(nil, Want{For: 2, Of: named("b"), Gate: kept}),
		l.Set(nil, Want{For: 3, Of: named("c")}),
		nil,
		l.Set(nil, Want{For: 1, Of: named("e"), Gate: lost}),
	}
	code := func(l *Ledger, c *codec.Codec, kept *Gate, have []*Obligation) {
		l.Gate(c, kept)
		l.LostGates(c, func(yield func(*Obligation)) {
			for _, o := range have {
				yield(o)
			}
		})
		for i, id := range "abcde" {
			have[i] = l.Code(c, have[i], named(string(id)))
		}
	}
	c := codec.Writer(nil)
	code(l, c, kept, have)
	coded := slices.Clone(c.Data())
	l.Persist(c, false)

	c = codec.Reader(c.Data())
	next, again, read := NewLedger(4), &Gate{}, make([]*Obligation, len(have))
	code(next, c, again, read)
	next.Persist(c, false)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for i, o := range have {
		if (o == nil) != (read[i] == nil) {
			t.Fatalf("obligation %d is %+v, want %+v", i, read[i], o)
		}
		if o == nil {
			continue
		}
		got, want := read[i].Want(), o.Want()
		isLost := got.Gate != nil && got.Gate != again
		if got.Gate, want.Gate = nil, nil; got != want || isLost != (o.Gate == lost) || (read[i].Gate == again) != (o.Gate == kept) || next.stamp(read[i].opened()).Pos.Line != 3 {
			t.Errorf("obligation %d is %+v, want %+v", i, read[i], o)
		}
	}
	if read[0].Gate != read[4].Gate || read[0].Gate.isOpen || !again.isOpen {
		t.Error("gates are not what they were")
	}
	// Damage: no other wait, and no other gate, is taken.
	for n := range 2 * len(coded) {
		i, damaged := n/2, slices.Clone(coded)
		damaged[i] = 0x7e + byte(n%2)
		c := codec.Reader(damaged)
		next, read := NewLedger(4), make([]*Obligation, len(have))
		code(next, c, &Gate{}, read)
		for _, o := range read {
			if o != nil && (o.For == 0 || o.For >= 4) {
				t.Errorf("byte %d damaged: %+v", i, o)
			}
		}
	}
	var none *Ledger
	c = codec.Writer(nil)
	code(none, c, kept, make([]*Obligation, len(have)))
	if len(c.Data()) != 0 {
		t.Error("no ledger keeps something")
	}
}

// TestAskedOtherwise: what is asked for again must be what was open.
func TestAskedOtherwise(t *testing.T) {
	for name, ask := range map[string]func(l *Ledger){
		"the same":    func(l *Ledger) { l.Set(nil, Want{For: 1, Of: named("a")}) },
		"nothing":     func(l *Ledger) {},
		"another":     func(l *Ledger) { l.Set(nil, Want{For: 2, Of: named("a")}) },
		"for another": func(l *Ledger) { l.Set(nil, Want{For: 1, Of: named("b")}) },
		"two":         func(l *Ledger) { l.Set(nil, Want{For: 1, Of: named("a")}); l.Set(nil, Want{For: 2, Of: named("a")}) },
		"twice":       func(l *Ledger) { l.Set(nil, Want{For: 1, Of: named("a")}); l.Set(nil, Want{For: 1, Of: named("a")}) },
	} {
		l := NewLedger(3)
		l.at(trace.Pos{File: "f", Line: 1}, 1)
		l.Set(nil, Want{For: 1, Of: named("a")})
		c := codec.Writer(nil)
		l.Persist(c, false)
		c = codec.Reader(c.Data())
		next := NewLedger(3)
		ask(next)
		if next.Persist(c, false); (c.Close() == nil) != (name == "the same") {
			t.Errorf("asked for %s: %v", name, c.Err())
		}
	}
}
