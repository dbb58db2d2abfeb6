package validatorstest

import (
	"iter"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Lines are the objects of a state as lines of a trace.
func (g *Graph) Lines(state int, op string) []string {
	lines := make([]string, len(g.States[state]))
	for i := range lines {
		lines[i] = g.States[state][i].Line(op)
	}
	return lines
}

// Config has the constants of the graph's model.
func (g *Graph) Config(steps validators.Steps, budget int) validators.Config {
	c := validators.Config{Steps: steps, Budget: budget, Constants: map[string]string{}}
	for name, raw := range g.Meta.Constants {
		c.Constants[name] = string(raw)
	}
	return c
}

// Load makes a machine in the state, which has to keep the invariants.
func (g *Graph) Load(t testing.TB, spec *validators.Spec, c validators.Config, state int) validators.Machine {
	t.Helper()
	m, found := Machine(t, spec, c, g.Lines(state, "snapshot")...)
	if len(found) > 0 {
		t.Errorf("state %d: %+v; want every reachable state to keep the invariants", state, found[0])
	}
	return m
}

// Steps are, for each state, the updates that lead there from any other.
func (g *Graph) Steps(t testing.TB) []*trace.Step {
	t.Helper()
	steps := make([]*trace.Step, len(g.States))
	for i := range g.States {
		steps[i] = &trace.Step{Events: Events(t, g.Lines(i, "update")...)}
	}
	return steps
}

// CheckEdge: the actions, which explain the step between two states, are TLC's.
func (g *Graph) CheckEdge(t testing.TB, from, to int, got []string) {
	t.Helper()
	slices.Sort(got)
	if want := slices.Sorted(slices.Values(g.Edges[from][to])); !slices.Equal(got, want) {
		t.Fatalf("from state %d to %d: explained by [%s], want [%s]\nfrom %s\nto   %s", from, to,
			strings.Join(got, " "), strings.Join(want, " "), g.States[from], g.States[to])
	}
}

// CheckProbes checks the steps from a state to all states. The actions that the machine finds
// to explain them are TLC's. Only the step to the state itself stutters. It returns how many
// edges the state has.
func (g *Graph) CheckProbes(t testing.TB, m validators.Machine, from int, steps []*trace.Step) (edges int) {
	t.Helper()
	for to := range g.States {
		if !exhaustive.Asked() && from != to && len(g.Edges[from][to]) == 0 && (from+to)%5 > 0 {
			continue
		}
		parts := m.(validators.Prober).Probe(steps[to])
		if stutters := len(parts) == 0; stutters != (from == to) || len(parts) > 1 {
			t.Fatalf("state %d to %d: stutters %v, %d parts", from, to, stutters, len(parts))
		}
		var got []string
		for i := range parts {
			for _, a := range parts[i].Attempts {
				if failed, _ := a.Failed(); failed == 0 {
					got = append(got, a.Action)
				}
			}
		}
		g.CheckEdge(t, from, to, got)
		edges += len(got)
	}
	return edges
}

// Texts are each state's objects as text, by kind and id.
func (g *Graph) Texts() []map[string]string {
	texts := make([]map[string]string, len(g.States))
	for i := range g.States {
		texts[i] = map[string]string{}
		for _, o := range g.States[i] {
			texts[i][o.Kind+" "+o.ID] = string(o.Object)
		}
	}
	return texts
}

// Between is what a batched step may pass: it changes only objects that differ between
// two states, and keeps those that both have.
func Between(texts []map[string]string, from, to int) (may func(at int) bool) {
	differs, stays := map[string]bool{}, map[string]bool{}
	for id, v := range texts[from] {
		if w, ok := texts[to][id]; v != w {
			differs[id], stays[id] = true, ok
		}
	}
	for id := range texts[to] {
		if _, ok := texts[from][id]; !ok {
			differs[id] = true
		}
	}
	return func(at int) bool {
		for id, v := range texts[from] {
			if w, ok := texts[at][id]; !differs[id] && v != w || stays[id] && !ok {
				return false
			}
		}
		for id := range texts[at] {
			if _, ok := texts[from][id]; !ok && !differs[id] {
				return false
			}
		}
		return true
	}
}

// Reaches is what a batched step means, read off TLC's graph: there is a path.
func (g *Graph) Reaches(texts []map[string]string, from, to int) bool {
	may := Between(texts, from, to)
	seen, todo := map[int]bool{from: true}, []int{from}
	for ; len(todo) > 0; todo = todo[1:] {
		if todo[0] == to {
			return true
		}
		for next := range g.Edges[todo[0]] {
			if !seen[next] && may(next) {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

// CheckReached checks a batched step between two states, of which the machine has found
// something or nothing. It is accepted exactly if it may be.
func (g *Graph) CheckReached(t testing.TB, from, to int, want bool, found []validators.Finding) {
	t.Helper()
	if got := len(found) == 0; got != want {
		t.Fatalf("from state %d to %d: accepted %v, want %v\nfrom %s\nto   %s\n%+v", from, to, got, want, g.States[from], g.States[to], found)
	}
}

// RandomPairs yields pairs of states that differ. One in three is any two states. In the
// others, a path of 2 to most edges connects the two. In the end, at least a tenth of the
// cases has to be accepted, and at most nine.
func (g *Graph) RandomPairs(t testing.TB, cases, most int, accepted *int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		rng := rand.New(rand.NewSource(2))
		next := make([][]int, len(g.States))
		for i := range next {
			next[i] = slices.Sorted(maps.Keys(g.Edges[i]))
		}
		for n := range cases {
			from := rng.Intn(len(g.States))
			to := from
			if n%3 == 0 {
				to = rng.Intn(len(g.States))
			} else {
				for range 2 + rng.Intn(most-1) {
					if len(next[to]) > 0 {
						to = next[to][rng.Intn(len(next[to]))]
					}
				}
			}
			if from != to && !yield(from, to) {
				return
			}
		}
		t.Logf("%d cases, %d accepted", cases, *accepted)
		if *accepted < cases/10 || *accepted > cases*9/10 {
			t.Errorf("%d of %d accepted: too one-sided to show anything", *accepted, cases)
		}
	}
}
