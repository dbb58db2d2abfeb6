package workerimpl

import (
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators/validatorstest"
)

// leads says whether the named actions, in order, lead from s to goal in TLC's
// graph.
func leads(g *validatorstest.Graph, texts []map[string]string, s, goal int, names []string) bool {
	may := validatorstest.Between(texts, s, goal)
	at := map[int]bool{s: true}
	for _, name := range names {
		to := map[int]bool{}
		for from := range at {
			for next, by := range g.Edges[from] {
				if slices.Contains(by, name) && may(next) {
					to[next] = true
				}
			}
		}
		at = to
	}
	return at[goal]
}

// TestGraphBatched: a pair of TLC's states is accepted as a batched step
// exactly if TLC's graph has a path for it, and the explanation is one.
func TestGraphBatched(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	texts, accepted := g.Texts(), 0
	m := load(t, g, g.Init)
	m.batched, m.budget = true, 100000
	goals := make([]*goal, len(g.States))
	for i := range g.States {
		goals[i] = m.goalOf(t, g.States[i])
	}
	step := &trace.Step{Events: make([]trace.Event, 1)}
	for from, to := range g.RandomPairs(t, exhaustive.Or(1000, 8000), 10, &accepted) {
		m.set(goals[from])
		m.pairTo(goals[to])
		m.by, m.plans = nil, nil
		found, got, err := m.judgeBatched(step)
		m.endSearch()
		if err != nil || got != (len(found) == 0) {
			t.Fatalf("from state %d to %d: accepted %v, %+v %v", from, to, got, found, err)
		}
		want := g.Reaches(texts, from, to)
		if g.CheckReached(t, from, to, want, found); !want {
			continue
		}
		accepted++
		if names := m.Explanation(); !leads(g, texts, from, to, names) {
			t.Fatalf("from state %d to %d: [%s] does not lead there\nfrom %v\nto   %v", from, to,
				strings.Join(names, ", "), g.States[from], g.States[to])
		}
	}
}
