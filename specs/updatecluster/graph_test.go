package updatecluster

import (
	"fmt"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

const graphFile = "../../testdata/tlc/UpdateCluster.graph.jsonl.gz"

// TestGraphPairs: of every ordered pair of TLC's states, the actions that
// explain it are exactly TLC's; each state stutters.
func TestGraphPairs(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	steps := g.Steps(t)
	edges := 0
	for from := range g.States {
		edges += g.CheckProbes(t, g.Load(t, Spec, g.Config(validators.Atomic, 0), from), from, steps)
	}
	if edges < g.NEdges {
		t.Errorf("saw %d edges, want %d", edges, g.NEdges)
	}
}

// objectsOf maps a state's objects to what a batched step may change only where
// it differs: queue and lastSubmitted are variables.
func objectsOf(t testing.TB, objects []validatorstest.Object) map[string]string {
	m := map[string]string{}
	for _, o := range objects {
		ev := validatorstest.Events(t, o.Line("snapshot"))[0]
		f := ev.Fields
		m[o.Kind+o.ID] = fmt.Sprint(f.Get(fieldStatus), f.Get(fieldRank), f.Get(fieldRequest), f.Get(fieldComplete))
	}
	return m
}

// TestGraphBatched: a pair of TLC's states is accepted as a batched step
// exactly if TLC's graph has a path for it that changes no object beyond those
// that differ.
func TestGraphBatched(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	steps := g.Steps(t)
	objects := make([]map[string]string, len(g.States))
	for i := range g.States {
		objects[i] = objectsOf(t, g.States[i])
	}
	pairs, accepted := 0, 0
	for from := range g.States {
		for to := range g.States {
			if !exhaustive.Asked() && (from+to)%7 != 0 {
				continue
			}
			m := g.Load(t, Spec, g.Config(validators.Batched, 10000), from)
			found, _, err := m.Step(steps[to])
			if err != nil {
				t.Fatalf("state %d to %d: %v", from, to, err)
			}
			want := g.Reaches(objects, from, to)
			g.CheckReached(t, from, to, want, found)
			pairs++
			if want && from != to {
				accepted++
			}
		}
	}
	t.Logf("%d pairs, %d accepted", pairs, accepted)
	if accepted < pairs/50 {
		t.Errorf("only %d of %d pairs accepted", accepted, pairs)
	}
}
