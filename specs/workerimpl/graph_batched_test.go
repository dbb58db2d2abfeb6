package workerimpl

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators/validatorstest"
)

// objectsOf maps a state's objects to their text, by kind and id.
func objectsOf(objects []validatorstest.Object) map[string]string {
	m := map[string]string{}
	for _, o := range objects {
		m[o.Kind+" "+o.ID] = string(o.Object)
	}
	return m
}

// allowed is what a batched step from s to goal may pass: it changes only
// objects which differ between s and goal, and keeps those that stand in both.
func allowed(objects []map[string]string, s, goal int) func(at int) bool {
	differs, stands := map[string]bool{}, map[string]bool{}
	for id, v := range objects[s] {
		if w, ok := objects[goal][id]; v != w {
			differs[id] = true
			stands[id] = ok
		}
	}
	for id := range objects[goal] {
		if _, ok := objects[s][id]; !ok {
			differs[id] = true
		}
	}
	return func(at int) bool {
		for id, v := range objects[s] {
			w, ok := objects[at][id]
			if !differs[id] && v != w || stands[id] && !ok {
				return false
			}
		}
		for id := range objects[at] {
			if _, ok := objects[s][id]; !ok && !differs[id] {
				return false
			}
		}
		return true
	}
}

// reachable is what a batched step means, read off TLC's graph.
func reachable(g *validatorstest.Graph, objects []map[string]string, s, goal int) bool {
	may := allowed(objects, s, goal)
	seen, todo := map[int]bool{s: true}, []int{s}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if at == goal {
			return true
		}
		for to := range g.Edges[at] {
			if !seen[to] && may(to) {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return false
}

// leads says whether the named actions, in order, lead from s to goal in TLC's
// graph.
func leads(g *validatorstest.Graph, objects []map[string]string, s, goal int, names []string) bool {
	may := allowed(objects, s, goal)
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
	objects := make([]map[string]string, len(g.States))
	edges := make([][]int, len(g.States))
	m := load(t, g, g.Init)
	m.batched, m.budget = true, 100000
	goals := make([]*goal, len(g.States))
	for i := range g.States {
		objects[i] = objectsOf(g.States[i])
		goals[i] = m.goalOf(t, g.States[i])
		for to := range g.Edges[i] {
			edges[i] = append(edges[i], to)
		}
		slices.Sort(edges[i])
	}
	rng := rand.New(rand.NewSource(2))
	cases := exhaustive.Or(1000, 8000)
	accepted := 0
	step := &trace.Step{Events: make([]trace.Event, 1)}
	for n := 0; n < cases; n++ {
		from := rng.Intn(len(g.States))
		to := from
		if n%3 == 0 {
			to = rng.Intn(len(g.States))
		} else {
			for range 2 + rng.Intn(9) {
				to = edges[to][rng.Intn(len(edges[to]))]
			}
		}
		if from == to {
			continue
		}
		want := reachable(g, objects, from, to)
		m.set(goals[from])
		m.pairTo(goals[to])
		m.by, m.plans = nil, nil
		_, got, err := m.judgeBatched(step)
		if err != nil {
			t.Fatalf("from state %d to %d: %v", from, to, err)
		}
		if got != want {
			t.Fatalf("from state %d to %d: accepted %v, want %v\nfrom %v\nto   %v", from, to, got, want, g.States[from], g.States[to])
		}
		if !want {
			continue
		}
		accepted++
		if names := m.Explanation(); !leads(g, objects, from, to, names) {
			t.Fatalf("from state %d to %d: [%s] does not lead there\nfrom %v\nto   %v", from, to,
				strings.Join(names, ", "), g.States[from], g.States[to])
		}
	}
	t.Logf("%d cases, %d accepted", cases, accepted)
	if accepted < cases/10 || accepted > cases*9/10 {
		t.Errorf("%d of %d accepted: too one-sided to show anything", accepted, cases)
	}
}
