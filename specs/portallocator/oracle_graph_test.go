package portallocator_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/validators/validatorstest"
)

const graphFile = "../../testdata/tlc/PortAllocator.graph.jsonl.gz"

// tlcGraph is TLC's graph in the oracle's terms.
type tlcGraph struct {
	*validatorstest.Graph
	model  oModel
	states []oState
	number map[string]int
}

// graphSpecs is the model's EndpointSpec.
func graphSpecs(max int) [][]oPort {
	var ports []oPort
	for _, name := range []string{"foo", "bar"} {
		for _, protocol := range []string{"tcp", "udp"} {
			for _, mode := range []string{"ingress", "host"} {
				for _, n := range []int{0, 80, 30000, 30001} {
					ports = append(ports, oPort{name, protocol, mode, n})
				}
			}
		}
	}
	return finiteSeq(ports, max)
}

var graphIDs = []string{"e1", "e2"}

func tlc(t testing.TB) *tlcGraph {
	g := &tlcGraph{Graph: validatorstest.ReadGraph(t, graphFile), model: oModel{[]string{"tcp", "udp"}, 30000, 30001}, number: map[string]int{}}
	for i, objects := range g.States {
		s := newOState()
		for _, o := range objects {
			var fields map[string]any
			if err := json.Unmarshal(o.Object, &fields); err != nil {
				t.Fatal(err)
			}
			if o.Kind == "allocator" {
				s.allocated, _ = readAllocated(g.model, fields["allocated"])
				continue
			}
			var e oEndpoint
			e.spec, _ = readPorts(fields["spec"])
			e.ports, _ = readPorts(fields["ports"])
			s.endpoints[o.ID] = e
		}
		g.states = append(g.states, s)
		g.number[s.key()] = i
	}
	return g
}

// A walk through the oracle's model from Init finds TLC's states, and from each
// TLC's edges with TLC's names.
func TestOracleFindsTLCsGraph(t *testing.T) {
	g := tlc(t)
	specs := graphSpecs(1)
	seen := map[int]bool{g.Init: true}
	edges := 0
	if !g.states[g.Init].equal(newOState()) {
		t.Fatalf("Init is %v", g.states[g.Init])
	}
	for todo := []int{g.Init}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		got := map[int]set{}
		for _, id := range graphIDs {
			for _, step := range g.model.actionsOn(g.states[at], id, specs) {
				to, ok := g.number[step.next.key()]
				if !ok {
					t.Fatalf("from state %d, %s leads to a state that TLC does not have: %v", at, step.action, step.next)
				}
				if to == at {
					continue
				}
				if got[to] == nil {
					got[to] = set{}
				}
				got[to][step.action] = true
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		if len(got) != len(g.Edges[at]) {
			t.Fatalf("state %d has %d successors, want %d", at, len(got), len(g.Edges[at]))
		}
		for to, names := range got {
			if !slices.Equal(names.sorted(), g.Edges[at][to]) {
				t.Fatalf("from state %d to %d: %v, want %v", at, to, names.sorted(), g.Edges[at][to])
			}
		}
		edges += len(got)
		if !g.states[at].allocationsOK() {
			t.Fatalf("state %d breaks AllocationsOK: %v", at, g.states[at])
		}
	}
	if len(seen) != g.NStates || edges != g.NEdges {
		t.Errorf("%d states and %d edges, want %d and %d", len(seen), edges, g.NStates, g.NEdges)
	}
}

// Of pairs of TLC's states, the oracle's explanation is TLC's edge or none.
func TestOracleExplainsAsTLC(t *testing.T) {
	g := tlc(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for range exhaustive.Or(4000, 20000) {
		from, to := rng.IntN(len(g.states)), rng.IntN(len(g.states))
		if rng.IntN(2) == 0 {
			to = oracle.Pick(rng, slices.Sorted(maps.Keys(g.Edges[from])))
		}
		if from == to {
			continue
		}
		want := g.Edges[from][to]
		hidden := g.states[to]
		if rng.IntN(2) == 0 {
			hidden.allocated = nil
		}
		if got := actionNames(g.model.explains(g.states[from], hidden)); !slices.Equal(got, want) {
			t.Fatalf("from state %d to %d: %v, want %v", from, to, got, want)
		}
	}
}
