package kcpstorage

import (
	"encoding/json"
	"slices"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

const graphFile = "../../testdata/tlc/kcpStorage.graph.jsonl.gz"

// usable counts the syncers with Sync, for an expectation.
func usable(t testing.TB, objects []validatorstest.Object) int {
	t.Helper()
	n := 0
	for _, o := range objects {
		var fields struct {
			State string `json:"pvc_state"`
		}
		if err := json.Unmarshal(o.Object, &fields); err != nil {
			t.Fatal(err)
		}
		if fields.State == "Sync" {
			n++
		}
	}
	return n
}

// TestGraphPairs: of every ordered pair of TLC's states, the actions that
// explain it are exactly TLC's; each state stutters, and breaks no invariant
// but Inv_UsableByAtMostOne.
func TestGraphPairs(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	steps := g.Steps(t)
	edges, broken := 0, 0
	for from := range g.States {
		m, found := validatorstest.Machine(t, Spec, g.Config(validators.Atomic, 0), g.Lines(from, "snapshot")...)
		want := ""
		if usable(t, g.States[from]) > 1 {
			want = "Inv_UsableByAtMostOne"
			broken++
		}
		got := ""
		for _, f := range found {
			got += f.Rule
		}
		if got != want {
			t.Errorf("state %d breaks %q, want %q", from, got, want)
		}
		edges += g.CheckProbes(t, m, from, steps)
	}
	if edges < g.NEdges {
		t.Errorf("saw %d edges, want %d", edges, g.NEdges)
	}
	if broken*2 != g.NStates {
		t.Errorf("%d of %d states break Inv_UsableByAtMostOne, want half", broken, g.NStates)
	}
}

// TestGraphBatched: a pair of TLC's states is accepted as a batched step
// exactly if TLC's graph has a path for it that changes no object beyond those
// that differ.
func TestGraphBatched(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	steps, texts := g.Steps(t), g.Texts()
	accepted := 0
	for from := range g.States {
		for to := range g.States {
			if !exhaustive.Asked() && (from+to)%5 > 0 {
				continue
			}
			m, _ := validatorstest.Machine(t, Spec, g.Config(validators.Batched, 0), g.Lines(from, "snapshot")...)
			all, _, err := m.Step(steps[to])
			if err != nil {
				t.Fatal(err)
			}
			found := slices.DeleteFunc(all, func(f validators.Finding) bool { return f.Rule != validators.NextRule })
			want := g.Reaches(texts, from, to)
			g.CheckReached(t, from, to, want, found)
			if want && from != to {
				accepted++
			}
		}
	}
	t.Logf("%d pairs accepted", accepted)
	if accepted < exhaustive.Or(200, 1000) {
		t.Errorf("only %d pairs accepted", accepted)
	}
}
