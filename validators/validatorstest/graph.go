// Package validatorstest has helpers for the tests of specs: case files, state graphs of
// TLC, random traces and restarts.
package validatorstest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// Object is a snapshot object of a state.
type Object struct {
	Kind   string          `json:"kind"`
	ID     string          `json:"id"`
	Object json.RawMessage `json:"object"`
}

// Line is the object as a line of a trace.
func (o *Object) Line(op string) string {
	return fmt.Sprintf(`{"kind":%q,"op":%q,"id":%q,"object":%s}`, o.Kind, op, o.ID, o.Object)
}

// Graph is the whole reachable state graph of a small model.
type Graph struct {
	Module string `json:"module"`
	Meta   struct {
		Spec      []string                   `json:"spec"`
		Constants map[string]json.RawMessage `json:"constants"`
	} `json:"meta"`
	NStates int `json:"states"`
	NEdges  int `json:"edges"`

	States [][]Object         // by number
	Init   int                // an initial state
	Edges  []map[int][]string // for each state, by successor: the actions that explain the step
}

// ReadGraph reads a graph in the format of testdata/tlc/README.md. The test fails if the
// contents of the file differ from its header.
func ReadGraph(t testing.TB, path string) *Graph {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	g := &Graph{Init: -1}
	lines.Scan()
	if err := json.Unmarshal(lines.Bytes(), g); err != nil {
		t.Fatalf("%s: header: %v", path, err)
	}
	g.States, g.Edges = make([][]Object, g.NStates), make([]map[int][]string, g.NStates)
	edges := 0
	for n := 2; lines.Scan(); n++ {
		var line struct {
			State   *int
			Init    bool
			Objects []Object
			From    int
			To      [][2]json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%s:%d: %v", path, n, err)
		}
		if line.State != nil {
			g.States[*line.State] = line.Objects
			if line.Init {
				g.Init = *line.State
			}
			continue
		}
		to := map[int][]string{}
		for _, e := range line.To {
			var state int
			var actions []string
			if err := json.Unmarshal(e[0], &state); err != nil {
				t.Fatalf("%s:%d: %v", path, n, err)
			}
			if err := json.Unmarshal(e[1], &actions); err != nil {
				t.Fatalf("%s:%d: %v", path, n, err)
			}
			to[state] = actions
			edges++
		}
		g.Edges[line.From] = to
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if edges != g.NEdges || g.Init < 0 {
		t.Fatalf("%s: has %d edges, the header has %d; initial state %d", path, edges, g.NEdges, g.Init)
	}
	return g
}
