package eval

import (
	"math/rand/v2"
	"testing"

	"tracecheck/tlaplus/config"
)

// TestHoldsAgain: what is remembered changes no outcome and no error, on a walk that
// also goes back to earlier states.
func TestHoldsAgain(t *testing.T) {
	cfg, err := config.Parse("Memory.cfg", []byte(`INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS
		Matching Named Late Operator Argument Chosen Bag Pairs Subsets Update Recursive Function Instance Wrong Kinds Level Enabled Filtered Shifted Inner Higher Whole Kept Tuples Both Failing Counted`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := LoadSpec("testdata/memory/Memory.tla", cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := s.NewRun()
	var states []*State
	add := func(st *State) bool {
		states = append(states, st)
		return true
	}
	if err := s.Initial(r, add); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	type seen struct{ held, not, failed, kept int }
	found := make([]seen, len(s.Invariants))
	at, walked := states[0], states
	for step := range 1500 {
		if random.IntN(20) == 0 {
			at = walked[random.IntN(len(walked))]
		}
		r.Level = step
		states = nil
		if err := s.Successors(r, at, add); err != nil {
			t.Fatal(err)
		}
		at = states[random.IntN(len(states))]
		walked = append(walked, at)
		for i := range s.Invariants {
			p := &s.Invariants[i]
			want, wantErr := p.Holds(r, at, nil)
			work := r.Work
			got, gotErr := p.HoldsAgain(r, at)
			if got != want || (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
				t.Fatalf("step %d: %s is %v, %v; without what is remembered %v, %v", step, p.Name, got, gotErr, want, wantErr)
			}
			f := &found[i]
			switch {
			case wantErr != nil:
				f.failed++
			case want:
				f.held++
			default:
				f.not++
			}
			if r.Work == work {
				f.kept++
			}
		}
	}
	for i, f := range found {
		name := s.Invariants[i].Name
		if never := name == "Level" || name == "Enabled"; (f.kept == 0) != never {
			t.Errorf("%s: %d of its evaluations needed no call: what it depends on is more than the state: %v", name, f.kept, never)
		}
		t.Logf("%-10s %4d TRUE, %4d FALSE, %4d errors; %4d without a call", name, f.held, f.not, f.failed, f.kept)
	}
}
