package eval

import (
	"math/rand/v2"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/tlaplus/config"
)

// memoryCfg names the invariants of testdata/memory/Memory.tla.
const memoryCfg = `INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS
	Matching Named Late Operator Argument Chosen Bag Pairs Subsets Update Recursive Function Instance Wrong Kinds Level Enabled Filtered Shifted Inner Higher Whole Kept Tuples Both Failing Counted
	Typed Narrower Places Odd Odder Before Behind Excluded Passed Infinite Locals Fixed Grown Records Element
	Exchanged Turned Broken Strange Dup All AllPairs TwoBounds Foreign`

// TestHoldsAgain: what is remembered changes no outcome and no error, on a walk that
// also goes back to earlier states.
func TestHoldsAgain(t *testing.T) {
	found := holdAgain(t, exhaustive.Or(500, 1500), 0)
	for name, f := range found {
		if never := name == "Level" || name == "Enabled"; (f.kept == 0) != never {
			t.Errorf("%s: %d of its evaluations needed no call: what it depends on is more than the state: %v", name, f.kept, never)
		}
		t.Logf("%-10s %4d TRUE, %4d FALSE, %4d errors; %4d without a call", name, f.held, f.not, f.failed, f.kept)
	}
}

// TestShortcuts: each short cut alone can be left out, and all of them, and nothing
// else changes.
func TestShortcuts(t *testing.T) {
	list := []Shortcuts{^Shortcuts(0)}
	for one := Settled; one <= LastShortcut; one <<= 1 {
		list = append(list, one, ^one)
	}
	holdAgain(t, exhaustive.Or(150, 300), list...)
}

// outcomes counts what an invariant came to, and how often that took no call.
type outcomes struct{ held, not, failed, kept int }

// holdAgain walks, and compares what the invariants come to, without each of some short
// cuts, with what they come to without any. It counts those of the last.
func holdAgain(t *testing.T, steps int, without ...Shortcuts) map[string]*outcomes {
	t.Helper()
	walker := func(without Shortcuts) *stroll {
		s := loadMemory(t, without)
		return &stroll{s: s, r: s.NewRun()}
	}
	plain := walker(^Shortcuts(0))
	var walkers []*stroll
	for _, without := range without {
		walkers = append(walkers, walker(without))
	}
	random := rand.New(rand.NewPCG(1, 2))
	found := map[string]*outcomes{}
	for step := range steps {
		back, one, to := random.IntN(20) == 0, random.Int(), random.Int()
		for _, w := range append(walkers, plain) {
			w.r.Level = step
			w.step(t, back, one, to)
		}
		for i := range plain.s.Invariants {
			name := plain.s.Invariants[i].Name
			want, wantErr := plain.s.Invariants[i].Holds(plain.r, plain.at, nil)
			kept := false
			for k, w := range walkers {
				work := w.r.Work
				got, gotErr := w.s.Invariants[i].HoldsAgain(w.r, w.at)
				if got != want || (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
					t.Fatalf("without %b, step %d: %s is %v, %v; without what is remembered %v, %v", without[k]&(2*LastShortcut-1), step, name, got, gotErr, want, wantErr)
				}
				kept = w.r.Work == work
			}
			f := found[name]
			if f == nil {
				f = &outcomes{}
				found[name] = f
			}
			switch {
			case wantErr != nil:
				f.failed++
			case want:
				f.held++
			default:
				f.not++
			}
			if kept {
				f.kept++
			}
		}
	}
	return found
}

func loadMemory(t *testing.T, without Shortcuts) *Spec {
	t.Helper()
	cfg, err := config.Parse("Memory.cfg", []byte(memoryCfg))
	if err != nil {
		t.Fatal(err)
	}
	s, err := LoadSpec("testdata/memory/Memory.tla", cfg, Options{Without: without})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stroll walks through a spec's states.
type stroll struct {
	s      *Spec
	r      *Run
	at     *State
	walked []*State
}

// step goes on: from an earlier state where back is, of which one is chosen, to one of
// the next states.
func (w *stroll) step(t *testing.T, back bool, one, to int) {
	t.Helper()
	var states []*State
	add := func(st *State) bool {
		states = append(states, st)
		return true
	}
	var err error
	if w.at == nil {
		err = w.s.Initial(w.r, add)
	} else {
		if back {
			w.at = w.walked[one%len(w.walked)]
		}
		err = w.s.Successors(w.r, w.at, add)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.at = states[to%len(states)]
	w.walked = append(w.walked, w.at)
}
