package swarmkit_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
)

// tlcGraph is the whole reachable state graph of a small model, as TLC wrote
// it (testdata/tlc/README.md).
type tlcGraph struct {
	states []oracleState
	index  map[string]int     // by oracleState.key
	edges  []map[int][]string // the actions of each step, stuttering left out
	header struct{ States, Edges int }
	model  universe
	init   oracleState
}

var loadTLCGraph = sync.OnceValues(func() (*tlcGraph, error) {
	file, err := os.Open("../../testdata/tlc/SwarmKit.graph.jsonl.gz")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	g := &tlcGraph{index: map[string]int{}, init: newOracleState()}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for first := true; lines.Scan(); first = false {
		read := g.readLine
		if first {
			read = g.readHeader
		}
		if err := read(lines.Bytes()); err != nil {
			return nil, err
		}
	}
	return g, lines.Err()
})

func tlc(t testing.TB) *tlcGraph {
	t.Helper()
	g, err := loadTLCGraph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// readHeader builds the model of the header's constants. Its tasks share ids
// between slots, so a trace id there is "service/vslot/id".
func (g *tlcGraph) readHeader(line []byte) error {
	var h struct {
		States, Edges int
		Constants     struct {
			TaskID        []string `json:"TaskId"`
			ServiceID     []string `json:"ServiceId"`
			Node          []string
			MaxReplicas   int `json:"maxReplicas"`
			MaxTerminated int `json:"maxTerminated"`
		}
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return err
	}
	g.header.States, g.header.Edges = h.States, h.Edges
	g.states = make([]oracleState, h.States)
	g.edges = make([]map[int][]string, h.States)
	g.model = universe{services: h.Constants.ServiceID, replicas: []int{globalMode, 0}, maxTerminated: h.Constants.MaxTerminated}
	vslots := []string{}
	for i := 1; i <= h.Constants.MaxReplicas; i++ {
		g.model.replicas = append(g.model.replicas, i)
		g.model.slots = append(g.model.slots, i)
		vslots = append(vslots, fmt.Sprint(i))
	}
	for _, n := range h.Constants.Node {
		g.init.nodes[n] = nodeUp
		vslots = append(vslots, n)
	}
	for _, sid := range h.Constants.ServiceID {
		for _, vslot := range vslots {
			for _, id := range h.Constants.TaskID {
				g.model.taskIDs = append(g.model.taskIDs, sid+"/"+vslot+"/"+id)
			}
		}
	}
	g.model.owns = func(id, sid string, vslot any) bool {
		return strings.HasPrefix(id, fmt.Sprintf("%s/%v/", sid, vslot))
	}
	return nil
}

func (g *tlcGraph) readLine(line []byte) error {
	var l struct {
		State   *int
		Objects []oracle.Event
		From    int
		To      [][2]json.RawMessage
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	if l.State != nil {
		c := change{before: newOracleState(), after: newOracleState()}
		for _, e := range l.Objects {
			e.Op = "snapshot"
			c.apply(e, false)
		}
		if c.badValue || c.badOp {
			return fmt.Errorf("state %d is no SwarmKit state", *l.State)
		}
		g.states[*l.State] = c.after
		g.index[c.after.key()] = *l.State
		return nil
	}
	g.edges[l.From] = map[int][]string{}
	for _, e := range l.To {
		var to int
		var actions []string
		if err := json.Unmarshal(e[0], &to); err != nil {
			return err
		}
		if err := json.Unmarshal(e[1], &actions); err != nil {
			return err
		}
		slices.Sort(actions)
		g.edges[l.From][to] = actions
	}
	return nil
}

// A walk of the oracle from Init finds TLC's states and TLC's steps, each with
// the actions that TLC found for it, and no more.
func TestOracleFindsTLCsGraph(t *testing.T) {
	g := tlc(t)
	start, ok := g.index[g.init.key()]
	if !ok {
		t.Fatal("Init is not in the graph")
	}
	edges := 0
	found := map[int]bool{start: true}
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		if s := g.states[from]; !s.typeOK() || !s.inv() {
			t.Fatalf("state %d breaks an invariant", from)
		}
		steps := map[int][]string{}
		for _, step := range g.model.successors(g.states[from]) {
			to, ok := g.index[step.next.key()]
			if !ok {
				t.Fatalf("%s leads out of the graph, from state %d to %+v", step.action, from, step.next)
			}
			if to != from && !slices.Contains(steps[to], step.action) {
				steps[to] = append(steps[to], step.action)
			}
			if !found[to] {
				found[to] = true
				queue = append(queue, to)
			}
		}
		for to, actions := range steps {
			slices.Sort(actions)
			if !slices.Equal(actions, g.edges[from][to]) {
				t.Fatalf("step %d -> %d is %v, in the graph %v", from, to, actions, g.edges[from][to])
			}
		}
		if len(steps) != len(g.edges[from]) {
			t.Fatalf("%d steps leave state %d, in the graph %d", len(steps), from, len(g.edges[from]))
		}
		edges += len(steps)
	}
	if len(found) != g.header.States || len(g.index) != g.header.States || edges != g.header.Edges {
		t.Errorf("found %d states and %d edges, the header says %d and %d",
			len(found), edges, g.header.States, g.header.Edges)
	}
}

// explains, which does not know the model, agrees: on every edge, on pairs two
// steps apart, and on any pairs.
func TestExplainsAgreesWithTLC(t *testing.T) {
	g := tlc(t)
	rng := oracle.NewRand(1)
	check := func(from, to int) {
		var actions []string
		for _, l := range explains(g.states[from], g.states[to], g.model.maxTerminated) {
			actions = append(actions, l.action)
		}
		slices.Sort(actions)
		if from != to && !slices.Equal(actions, g.edges[from][to]) {
			t.Fatalf("%d -> %d is explained by %v, in the graph %v", from, to, actions, g.edges[from][to])
		}
	}
	for from := range g.states {
		if !exhaustive.Asked() && from%40 > 0 {
			continue
		}
		for _, to := range slices.Sorted(maps.Keys(g.edges[from])) {
			check(from, to)
			for _, further := range slices.Sorted(maps.Keys(g.edges[to])) {
				if oracle.Chance(rng, 0.2) {
					check(from, further)
				}
			}
		}
		check(from, rng.IntN(len(g.states)))
	}
}
