package swarmkit

import (
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// TestGraphBatched: a pair of TLC's states is accepted as a batched step
// exactly if TLC's graph has a path for it.
func TestGraphBatched(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	texts, accepted := g.Texts(), 0
	for from, to := range g.RandomPairs(t, exhaustive.Or(600, 20000), 8, &accepted) {
		m := g.Load(t, Spec, g.Config(validators.Batched, 100000), from).(*machine)
		m.pairTo(m.goalOf(t, g.States[to]))
		step := &trace.Step{Events: make([]trace.Event, 1)}
		found, applied, err := m.judgeBatched(step, nil)
		if err != nil {
			t.Errorf("from state %d to %d: %v", from, to, err)
			continue
		}
		want := g.Reaches(texts, from, to)
		if g.CheckReached(t, from, to, want, found); !want {
			continue
		}
		if accepted++; !applied {
			t.Fatalf("from %d to %d: explained but not taken", from, to)
		}
	}
}
