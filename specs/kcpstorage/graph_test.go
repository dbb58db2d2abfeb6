package kcpstorage

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

const graphFile = "../../testdata/tlc/kcpStorage.graph.jsonl.gz"

// machineOf makes a machine that has taken the snapshot lines, and what it says
// of them.
func machineOf(t testing.TB, c validators.Config, lines ...string) (validators.Machine, []validators.Finding) {
	t.Helper()
	v, err := Spec.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range validatorstest.Events(t, lines...) {
		v.Snapshot(&ev)
	}
	var found []validators.Finding
	if len(lines) > 0 {
		found = v.SnapshotsEnd()
	}
	return v, found
}

// graph is TLC's, with each state as snapshots and as the step that leads
// there from any other.
type graph struct {
	*validatorstest.Graph
	constants map[string]string
	snapshots [][]string
	steps     []*trace.Step
}

func readGraph(t testing.TB) *graph {
	t.Helper()
	m := &graph{Graph: validatorstest.ReadGraph(t, graphFile), constants: map[string]string{}}
	for name, raw := range m.Meta.Constants {
		m.constants[name] = string(raw)
	}
	for i := range m.States {
		var snapshots, updates []string
		for _, o := range m.States[i] {
			snapshots, updates = append(snapshots, o.Line("snapshot")), append(updates, o.Line("update"))
		}
		m.snapshots = append(m.snapshots, snapshots)
		m.steps = append(m.steps, &trace.Step{Events: validatorstest.Events(t, updates...)})
	}
	return m
}

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
	g := readGraph(t)
	edges, broken := 0, 0
	for from := range g.States {
		m, found := machineOf(t, validators.Config{Constants: g.constants}, g.snapshots[from]...)
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
		for to := range g.States {
			parts := m.(validators.Prober).Probe(g.steps[to])
			if stutters := len(parts) == 0; stutters != (from == to) || len(parts) > 1 {
				t.Fatalf("state %d to %d: stutters %v, %d namespaces", from, to, stutters, len(parts))
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
	if broken*2 != g.NStates {
		t.Errorf("%d of %d states break Inv_UsableByAtMostOne, want half", broken, g.NStates)
	}
}

// TestGraphBatched: a pair of TLC's states is accepted as a batched step
// exactly if TLC's graph has a path for it that changes no object beyond those
// that differ.
func TestGraphBatched(t *testing.T) {
	g := readGraph(t)
	objects := make([]map[string]string, len(g.States))
	for i := range g.States {
		objects[i] = map[string]string{}
		for _, o := range g.States[i] {
			objects[i][o.Kind+o.ID] = string(o.Object)
		}
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
		for ; len(todo) > 0; todo = todo[1:] {
			if todo[0] == to {
				return true
			}
			for next := range g.Edges[todo[0]] {
				if !seen[next] && allowed(next) {
					seen[next] = true
					todo = append(todo, next)
				}
			}
		}
		return false
	}
	accepted := 0
	for from := range g.States {
		for to := range g.States {
			m, _ := machineOf(t, validators.Config{Steps: validators.Batched, Constants: g.constants}, g.snapshots[from]...)
			all, _, err := m.Step(g.steps[to])
			if err != nil {
				t.Fatal(err)
			}
			found := slices.DeleteFunc(all, func(f validators.Finding) bool { return f.Rule != validators.NextRule })
			want := reach(from, to)
			if got := len(found) == 0; got != want {
				t.Fatalf("from state %d to %d: accepted %v, want %v\nfrom %s\nto   %s\n%+v", from, to, got, want, g.States[from], g.States[to], found)
			}
			if want && from != to {
				accepted++
			}
		}
	}
	t.Logf("%d pairs accepted", accepted)
	if accepted < 1000 {
		t.Errorf("only %d pairs accepted", accepted)
	}
}
