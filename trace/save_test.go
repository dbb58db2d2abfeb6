package trace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace/codec"
)

// TestSequencerBothWays: a sequencer that is written down and made again, at any
// point, makes of the rest what one without a break does.
func TestSequencerBothWays(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		whole, cut := &Sequencer{OnGap: ResyncOnGap, Recover: seed%2 == 0}, &Sequencer{OnGap: ResyncOnGap, Recover: seed%2 == 0}
		var want, got recorder
		var lines []string
		seq := 0
		for i := range 40 {
			short := "u a"
			switch rng.IntN(10) {
			case 0, 1, 2:
				short = fmt.Sprintf("s %c", 'a'+rng.IntN(3))
			case 3, 4, 5, 6:
				short = fmt.Sprintf("u b tx=%d", rng.IntN(2))
			case 7:
				short = []string{"meta", "meta moby"}[rng.IntN(2)]
				if rng.IntN(2) == 0 {
					seq = 0
				}
			}
			if seq++; (short[0] != 'm' || rng.IntN(4) == 0) && rng.IntN(10) > 0 {
				if rng.IntN(8) == 0 {
					seq += rng.IntN(3) - 1
				}
				short += fmt.Sprintf(" seq=%d", seq)
			}
			lines = append(lines, short)
			ev := line(t, short)
			ev.Pos, ev.Stream = Pos{File: "f", Line: i + 1}, "the key"
			for q, r := range map[*Sequencer]*recorder{whole: &want, cut: &got} {
				ev := ev.Clone()
				if err := q.Push(&ev, r); err != nil {
					t.Fatal(err)
				}
				if q.Own(); i%13 == 12 {
					q.Lose(r)
				}
			}
			if rng.IntN(3) > 0 {
				continue
			}
			c := codec.Writer(nil)
			cut.Code(c)
			c = codec.Reader(c.Data())
			cut = &Sequencer{OnGap: cut.OnGap, Recover: cut.Recover}
			cut.Code(c)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if cut.Pending() && (cut.open.events[0].Stream != "the key" || cut.open.events[0].Pos.File != "f") {
				t.Fatalf("an open transaction begins with %+v", cut.open.events[0])
			}
		}
		if err := whole.Close(&want); err != nil {
			t.Fatal(err)
		}
		if err := cut.Close(&got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.got, want.got) {
			t.Fatalf("seed %d: %q\ngot  %s\nwant %s", seed, lines, strings.Join(got.got, "/"), strings.Join(want.got, "/"))
		}
		if cut.Duplicates != whole.Duplicates || cut.Gaps != whole.Gaps || cut.Skipped != whole.Skipped {
			t.Fatalf("seed %d: counts %+v, want %+v", seed, cut, whole)
		}
	}
}
