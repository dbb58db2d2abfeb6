package swarmkit

import (
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

const graphFile = "../../testdata/tlc/SwarmKit.graph.jsonl.gz"

// snapshots decodes a state's objects.
func snapshots(t testing.TB, objects []validatorstest.Object) []trace.Event {
	t.Helper()
	var d trace.Decoder
	events := make([]trace.Event, len(objects))
	for i := range objects {
		if err := d.Decode([]byte(objects[i].Line("snapshot")), trace.Pos{Line: i + 1}, &events[i]); err != nil {
			t.Fatal(err)
		}
	}
	return events
}

// load makes a machine in the given state.
func load(t testing.TB, g *validatorstest.Graph, state int) *machine {
	t.Helper()
	constants := map[string]string{}
	for name, raw := range g.Meta.Constants {
		constants[name] = string(raw)
	}
	v, err := newMachine(validators.Config{Constants: constants})
	if err != nil {
		t.Fatal(err)
	}
	m := v.(*machine)
	events := snapshots(t, g.States[state])
	for i := range events {
		m.Snapshot(&events[i])
	}
	if found := m.SnapshotsEnd(); len(found) > 0 {
		t.Errorf("state %d: %+v; want every reachable state to keep the invariants", state, found[0])
	}
	return m
}

// goal is a state's objects as values against one machine's records.
type goal struct {
	tasks    map[string]taskValue
	services map[string]serviceValue
	nodes    map[string]nodeValue
}

// pairTo makes the machine's pair one to the goal.
func (m *machine) pairTo(g *goal) {
	m.reset()
	for id, new := range g.tasks {
		c := taskChange{id: id, new: new, is: true}
		if t := m.s.tasks[id]; t != nil {
			c.old, c.was = t.taskValue, true
		}
		m.tasks = append(m.tasks, c)
	}
	for id, t := range m.s.tasks {
		if _, ok := g.tasks[id]; !ok {
			m.tasks = append(m.tasks, taskChange{id: id, old: t.taskValue, was: true})
		}
	}
	for id, new := range g.services {
		c := serviceChange{id: id, new: new, is: true}
		if sv := m.s.services[id]; sv != nil && sv.exists {
			c.old, c.was = sv.serviceValue, true
		}
		m.services = append(m.services, c)
	}
	for id, sv := range m.s.services {
		if _, ok := g.services[id]; !ok && sv.exists {
			m.services = append(m.services, serviceChange{id: id, old: sv.serviceValue, was: true})
		}
	}
	for id, new := range g.nodes {
		n := m.s.nodes[id]
		m.nodes = append(m.nodes, nodeChange{id: id, old: nodeValue{up: n.up}, new: new, was: true, is: true})
	}
	m.drop()
}

func (m *machine) goalOf(t testing.TB, objects []validatorstest.Object) *goal {
	g := &goal{map[string]taskValue{}, map[string]serviceValue{}, map[string]nodeValue{}}
	events := snapshots(t, objects)
	for i := range events {
		ev := &events[i]
		switch ev.Kind {
		case trace.KindTask:
			v := m.s.blankTask(wholeTask, 0)
			m.s.mergeTask(&v, ev.Fields)
			g.tasks[ev.ID] = v
		case trace.KindService:
			v := serviceValue{bad: wholeService}
			mergeService(&v, ev.Fields)
			g.services[ev.ID] = v
		case trace.KindNode:
			var v nodeValue
			mergeNode(&v, ev.Fields, true)
			g.nodes[ev.ID] = v
		}
	}
	return g
}

func (m *machine) explainers() []string {
	var names []string
	for _, a := range next {
		if a.Match(&m.pair) {
			names = append(names, a.Name)
		}
	}
	sort.Strings(names)
	return names
}

// TestGraphPairs: of every ordered pair of TLC's states, the actions that
// explain it are exactly TLC's.
func TestGraphPairs(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	order := rand.New(rand.NewSource(1))
	pairs, edges := 0, 0
	for from := range g.States {
		m := load(t, g, from)
		check := func(to int) {
			m.pairTo(m.goalOf(t, g.States[to]))
			got := m.explainers()
			want := slices.Sorted(slices.Values(g.Edges[from][to]))
			if !slices.Equal(got, want) {
				t.Fatalf("from state %d to %d: explained by [%s], want [%s]\nfrom %v\nto   %v", from, to,
					strings.Join(got, " "), strings.Join(want, " "), g.States[from], g.States[to])
			}
			pairs++
		}
		for to := range g.Edges[from] {
			check(to)
			edges++
		}
		for range 20 {
			if to := order.Intn(len(g.States)); to != from {
				check(to)
			}
		}
	}
	if edges != g.NEdges {
		t.Errorf("checked %d edges, want %d", edges, g.NEdges)
	}
	t.Logf("%d pairs, %d of them edges", pairs, edges)
}
