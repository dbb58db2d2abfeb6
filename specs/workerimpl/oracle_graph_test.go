package workerimpl_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tracecheck/validators/validatorstest"
)

// The graph's model has one task id in one slot and on one node: ids t1 and t2
// here.
var graphIDs = []string{"s1/1/t1", "s1/n1/t1"}

func graphState(t *testing.T, objects []validatorstest.Object) oState {
	t.Helper()
	var s oState
	for _, o := range objects {
		var f struct {
			Slot          any
			Node, State   string
			Desired_state string
		}
		if err := json.Unmarshal(o.Object, &f); err != nil {
			t.Fatal(err)
		}
		i := slices.Index(graphIDs, o.ID)
		switch o.Kind {
		case "node":
			s.nodes[0] = map[string]uint8{"up": isUp, "down": isDown}[f.State]
		case "container":
			s.conts[i] = oCont{true, 0, ct(f.State)}
		case "task":
			slot, _ := whole(f.Slot)
			s.tasks[i] = oTask{true, 0, slot, int8(slices.Index(oNodes, f.Node)), st(f.State), st(f.Desired_state)}
		}
	}
	return s
}

// A walk of the oracle from Init finds TLC's states and TLC's steps, each with
// the actions that TLC found for it, and no more.
func TestOracleFindsTLCsGraph(t *testing.T) {
	g := validatorstest.ReadGraph(t, "../../testdata/tlc/WorkerImpl.graph.jsonl.gz")
	index := map[oState]int{}
	states := make([]oState, len(g.States))
	for i, objects := range g.States {
		states[i] = graphState(t, objects)
		index[states[i]] = i
	}
	if len(index) != g.NStates {
		t.Fatalf("TLC's %d states are %d of the oracle's", g.NStates, len(index))
	}
	u := universe{identities: []oIdentity{{0, 0, 1, nobody}, {1, 0, globalMode, 0}}}
	init := oState{nodes: [maxNodes]uint8{isUp}}
	edges := 0
	seen := map[oState]bool{init: true}
	for todo := []oState{init}; len(todo) > 0; todo = todo[1:] {
		from := todo[0]
		at, ok := index[from]
		if !ok {
			t.Fatalf("TLC's graph has no state %+v", from)
		}
		if !from.typeOK() {
			t.Fatalf("state %d breaks TypeOK", at)
		}
		by := map[oState][]string{}
		for _, step := range successors(from, 0, u) {
			if step.next == from {
				continue
			}
			if !slices.Contains(by[step.next], step.action) {
				by[step.next] = append(by[step.next], step.action)
			}
			if !seen[step.next] {
				seen[step.next] = true
				todo = append(todo, step.next)
			}
		}
		if len(by) != len(g.Edges[at]) {
			t.Fatalf("state %d has %d steps, TLC finds %d", at, len(by), len(g.Edges[at]))
		}
		for to, want := range g.Edges[at] {
			got := by[states[to]]
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("from %d to %d: %s, TLC finds %s", at, to, strings.Join(got, " "), strings.Join(want, " "))
			}
			if !refinesWorkerSpec(from, states[to], 0) {
				t.Fatalf("from %d to %d: a step of Impl is none of WSSpec", at, to)
			}
			edges++
		}
	}
	if len(seen) != g.NStates || edges != g.NEdges {
		t.Errorf("found %d states and %d edges, TLC finds %d and %d", len(seen), edges, g.NStates, g.NEdges)
	}
}
