package portallocator

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// objectsOf maps a state's objects to their text, by id; "" is the allocator's.
func objectsOf(objects []validatorstest.Object) map[string]string {
	m := map[string]string{}
	for _, o := range objects {
		m[o.ID] = string(o.Object)
	}
	return m
}

// flatGraph is TLC's graph, quick to search.
type flatGraph struct {
	values [][3]int // of each state, the values of e1, e2 and allocated, as numbers; 0: it does not exist
	edges  [][]flatEdge
}

type flatEdge struct {
	to     int
	action string
}

func flatten(g *validatorstest.Graph, objects []map[string]string) *flatGraph {
	f := &flatGraph{}
	numbers := map[string]int{"": 0}
	for i := range g.States {
		var values [3]int
		for k, id := range []string{"e1", "e2", ""} {
			text := objects[i][id]
			if _, ok := numbers[text]; !ok {
				numbers[text] = len(numbers)
			}
			values[k] = numbers[text]
		}
		f.values = append(f.values, values)
		var edges []flatEdge
		for _, to := range slices.Sorted(maps.Keys(g.Edges[i])) {
			edges = append(edges, flatEdge{to, g.Edges[i][to][0]}) // the graph has one for each
		}
		f.edges = append(f.edges, edges)
	}
	return f
}

// milestone is an edge that a path has to take.
type milestone func(from int, e flatEdge) bool

// path is what a batched step means, read off TLC's graph: from one state to
// the other there is a path that changes no endpoints but those that differ,
// keeps those that exist throughout, and has the milestones, each.
func (f *flatGraph) path(from, goal int, exists [2]bool, wanted []milestone) bool {
	allowed := func(at int) bool {
		for k, v := range f.values[from][:2] {
			now := f.values[at][k]
			if v == f.values[goal][k] && now != v || exists[k] && now == 0 {
				return false
			}
		}
		return true
	}
	type place struct{ state, met int }
	all := 1<<len(wanted) - 1
	seen, todo := make([]bool, len(f.values)<<len(wanted)), []place{{from, 0}}
	for ; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if at.state == goal && at.met == all {
			return true
		}
		for _, e := range f.edges[at.state] {
			if !allowed(e.to) {
				continue
			}
			next := place{e.to, at.met}
			for i, m := range wanted {
				if m(at.state, e) {
					next.met |= 1 << i
				}
			}
			if at := next.state<<len(wanted) | next.met; !seen[at] {
				seen[at] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

// TestGraphBatched: between TLC's states a batched step, with claims and with
// endpoints that are recreated, is accepted exactly if TLC's graph has a path
// for it. (A path without claims there always is: an endpoint may be emptied.)
func TestGraphBatched(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	objects := make([]map[string]string, len(g.States))
	for i := range g.States {
		objects[i] = objectsOf(g.States[i])
	}
	flat := flatten(g, objects)
	rng := rand.New(rand.NewSource(2))
	cases := exhaustive.Or(100, 500)
	accepted, claimed, atOnce := 0, 0, 0
	for range cases {
		from, to := rng.Intn(len(g.States)), rng.Intn(len(g.States))
		if rng.Intn(3) == 0 {
			to = flat.edges[from][rng.Intn(len(flat.edges[from]))].to
		}
		if from == to {
			continue
		}
		var lines []string
		var wanted []milestone
		var exists [2]bool
		add := func(line string, k int) {
			if rng.Intn(3) == 0 {
				name := text.Next[rng.Intn(len(text.Next))].Name
				line = strings.Replace(line, `"op"`, fmt.Sprintf(`"action":%q,"op"`, name), 1)
				wanted = append(wanted, func(from int, e flatEdge) bool {
					return e.action == name && flat.values[from][k] != flat.values[e.to][k]
				})
			}
			lines = append(lines, line)
		}
		for k, id := range []string{"e1", "e2"} {
			was, is := objects[from][id], objects[to][id]
			if was == is {
				continue
			}
			remade := was != "" && is != "" && rng.Intn(4) == 0
			exists[k] = was != "" && is != "" && !remade
			if remade {
				wanted = append(wanted, func(_ int, e flatEdge) bool { return flat.values[e.to][k] == 0 })
			}
			op := "create"
			if exists[k] {
				op = "update"
			}
			if is == "" || remade {
				add(fmt.Sprintf(`{"kind":"endpoint","op":"delete","id":%q}`, id), k)
			}
			if is != "" {
				add(fmt.Sprintf(`{"kind":"endpoint","op":%q,"id":%q,"object":%s}`, op, id, is), k)
			}
		}
		if rng.Intn(2) == 0 {
			add(fmt.Sprintf(`{"kind":"allocator","op":"update","object":%s}`, objects[to][""]), 2)
		}
		m := load(t, g, validators.Batched, g.States[from])
		step := trace.Step{}
		for _, line := range lines {
			step.Events = append(step.Events, decode(t, line))
		}
		found, _, err := m.Step(&step)
		want := flat.path(from, to, exists, wanted)
		if got := !validators.HasRule(found, validators.NextRule) && !validators.HasRule(found, "action"); err != nil || got != want {
			t.Fatalf("from state %d to %d: accepted %v, want %v\nfrom %v\n%s\n%+v %v", from, to, got, want, g.States[from], strings.Join(lines, "\n"), found, err)
		}
		if validators.HasRule(found, validators.NextRule) {
			t.Fatalf("from state %d to %d: without claims there is a path\n%+v", from, to, found)
		}
		switch {
		case !want:
			claimed++
		case len(m.Explanation()) > 1:
			accepted++
		default:
			atOnce++
		}
	}
	t.Logf("%d by a sequence, %d by one action, %d with a claim that no path meets", accepted, atOnce, claimed)
	if min(accepted, claimed, atOnce) < cases/20 {
		t.Errorf("too one-sided to show anything")
	}
}
