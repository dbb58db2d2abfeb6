package swarmkit

import (
	"math/rand"
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

// reachable is what a batched step means, read off TLC's graph: from s there
// is a path to each such state that changes only objects which differ between
// s and goal, and keeps those that stand in both.
func reachable(g *validatorstest.Graph, objects []map[string]string, s, goal int) bool {
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
	allowed := func(at int) bool {
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
	seen, todo := map[int]bool{s: true}, []int{s}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if at == goal {
			return true
		}
		for to := range g.Edges[at] {
			if !seen[to] && allowed(to) {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return false
}

// TestGraphBatched: a pair of TLC's states is accepted as a batched step
// exactly if TLC's graph has a path for it.
func TestGraphBatched(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	objects := make([]map[string]string, len(g.States))
	next := make([][]int, len(g.States))
	for i := range g.States {
		objects[i] = objectsOf(g.States[i])
		for to := range g.Edges[i] {
			next[i] = append(next[i], to)
		}
	}
	rng := rand.New(rand.NewSource(2))
	cases := exhaustive.Or(600, 20000)
	accepted, exhausted := 0, 0
	for n := 0; n < cases; n++ {
		from := rng.Intn(len(g.States))
		to := from
		if n%3 == 0 {
			to = rng.Intn(len(g.States))
		} else {
			for range 2 + rng.Intn(7) {
				if len(next[to]) > 0 {
					to = next[to][rng.Intn(len(next[to]))]
				}
			}
		}
		if from == to {
			continue
		}
		want := reachable(g, objects, from, to)
		m := load(t, g, from)
		m.batched, m.budget = true, 100000
		m.pairTo(m.goalOf(t, g.States[to]))
		step := &trace.Step{Events: make([]trace.Event, 1)}
		found, applied, err := m.judgeBatched(step, nil)
		if err != nil {
			t.Errorf("from state %d to %d: %v", from, to, err)
			exhausted++
			continue
		}
		if got := len(found) == 0; got != want {
			t.Fatalf("from state %d to %d: accepted %v, want %v\nfrom %v\nto   %v\n%+v", from, to, got, want, g.States[from], g.States[to], found)
		}
		if want {
			accepted++
			if !applied {
				t.Fatalf("from %d to %d: explained but not taken", from, to)
			}
		}
	}
	t.Logf("%d cases, %d accepted", cases, accepted)
	if accepted < cases/10 || accepted > cases*9/10 {
		t.Errorf("%d of %d accepted: too one-sided to show anything", accepted, cases)
	}
}
