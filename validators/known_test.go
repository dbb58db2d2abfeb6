package validators

import (
	"slices"
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// Whichever violations are known, the others are reported as without a baseline,
// and the known ones are counted.
func TestKnown(t *testing.T) {
	lines := []string{
		"a:u node/n c", "a:u node/n b", "a:u node/n c", "a:u node/n a", "b:u node/n c", "b:u node/n b", "b:u node/m c", "b:u node/m b",
	}
	judge := func(known map[string]bool, keepGoing bool) *Result {
		r, err := NewRunner(Options{Specs: []*Spec{tally("tally", kinds.Node)}, Known: known, KeepGoing: keepGoing})
		if err != nil {
			t.Fatal(err)
		}
		var d trace.Decoder
		for i, line := range lines {
			if err := r.Push([]trace.Event{shortEvent(t, &d, line, i+1)}); err != nil {
				t.Fatal(err)
			}
		}
		return r.Finish()
	}
	all := judge(nil, true).Violations
	if len(all) != 4 {
		t.Fatalf("%d violations, want 4", len(all))
	}
	for set := range 1 << len(all) {
		known := map[string]bool{}
		for i := range all {
			if set>>i&1 != 0 {
				known[all[i].Fingerprint()] = true
			}
		}
		var want []string
		first := map[string]bool{} // of the stream
		left := map[bool]int{}     // known ones, with and without KeepGoing
		for i := range all {
			switch v := &all[i]; {
			case known[v.Fingerprint()]:
				left[true]++
				if !first[v.Stream] {
					left[false]++
				}
			case !first[v.Stream]:
				first[v.Stream] = true
				want = append(want, v.ID)
			}
		}
		for _, keepGoing := range []bool{false, true} {
			got := judge(known, keepGoing)
			var ids []string
			for i := range got.Violations {
				ids = append(ids, got.Violations[i].ID)
			}
			if got.Known != left[keepGoing] || !keepGoing && !slices.Equal(ids, want) || keepGoing && len(ids) != len(all)-got.Known {
				t.Errorf("known %v, going on %t: %d are counted, want %d; reported %v, want %v", known, keepGoing, got.Known, left[keepGoing], ids, want)
			}
			if (got.Verdict == Conforming) != (len(ids) == 0) {
				t.Errorf("%d violations are reported, and the verdict is %s", len(ids), got.Verdict)
			}
		}
	}
}
