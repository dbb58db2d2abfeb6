package updatecluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

const graphFile = "../../testdata/tlc/UpdateCluster.graph.jsonl.gz"

// load makes a machine in the given state.
func load(t testing.TB, objects []validatorstest.Object, c validators.Config) validators.Machine {
	t.Helper()
	m, err := Spec.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, o := range objects {
		lines = append(lines, o.Line("snapshot"))
	}
	for _, ev := range validatorstest.Events(t, lines...) {
		m.Snapshot(&ev)
	}
	if found := m.SnapshotsEnd(); len(found) > 0 {
		t.Errorf("%v: %+v; want every reachable state to keep the invariants", objects, found[0])
	}
	return m
}

// graph is TLC's, with each state as the step that leads there from any other.
func graph(t testing.TB) (*validatorstest.Graph, []*trace.Step) {
	t.Helper()
	g := validatorstest.ReadGraph(t, graphFile)
	steps := make([]*trace.Step, len(g.States))
	for i := range g.States {
		var lines []string
		for _, o := range g.States[i] {
			lines = append(lines, o.Line("update"))
		}
		steps[i] = &trace.Step{Events: validatorstest.Events(t, lines...)}
	}
	return g, steps
}

// TestGraphPairs: of every ordered pair of TLC's states, the actions that
// explain it are exactly TLC's; each state stutters.
func TestGraphPairs(t *testing.T) {
	g, steps := graph(t)
	edges := 0
	for from := range g.States {
		m := load(t, g.States[from], validators.Config{})
		for to := range g.States {
			parts := m.(validators.Prober).Probe(steps[to])
			if stutters := len(parts) == 0; stutters != (from == to) {
				t.Fatalf("state %d to %d: stutters %v", from, to, stutters)
			}
			var got []string
			for i := range parts {
				for k := range parts[i].Attempts {
					if failed, _ := parts[i].Attempts[k].Failed(); failed == 0 {
						got = append(got, parts[i].Attempts[k].Action)
					}
				}
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(g.Edges[from][to]))
			if !slices.Equal(got, want) {
				t.Fatalf("from state %d to %d: explained by [%s], want [%s]\nfrom %s\nto   %s", from, to,
					strings.Join(got, " "), strings.Join(want, " "), g.States[from], g.States[to])
			}
			edges += len(want)
		}
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
	g, steps := graph(t)
	objects := make([]map[string]string, len(g.States))
	for i := range g.States {
		objects[i] = objectsOf(t, g.States[i])
	}
	reach := func(from, to int) bool {
		allowed := func(at int) bool {
			for id, v := range objects[at] {
				if objects[from][id] == objects[to][id] && v != objects[from][id] {
					return false
				}
			}
			return true
		}
		seen, todo := map[int]bool{from: true}, []int{from}
		for len(todo) > 0 {
			at := todo[0]
			todo = todo[1:]
			for next := range g.Edges[at] {
				if next == to {
					return true
				}
				if !seen[next] && allowed(next) {
					seen[next] = true
					todo = append(todo, next)
				}
			}
		}
		return from == to
	}
	pairs, accepted := 0, 0
	for from := range g.States {
		for to := range g.States {
			if !exhaustive.Asked() && (from+to)%7 != 0 {
				continue
			}
			m := load(t, g.States[from], validators.Config{Steps: validators.Batched, Budget: 10000})
			found, _, err := m.Step(steps[to])
			if err != nil {
				t.Fatalf("state %d to %d: %v", from, to, err)
			}
			want := reach(from, to)
			if got := len(found) == 0; got != want {
				t.Fatalf("from state %d to %d: accepted %v, want %v\nfrom %s\nto   %s\n%+v", from, to, got, want, g.States[from], g.States[to], found)
			}
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
