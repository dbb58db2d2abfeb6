package swarmkit

import (
	"math/rand"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

const graphFile = "../../testdata/tlc/SwarmKit.graph.jsonl.gz"

// goal is a state's objects as values, in terms of one machine's records.
type goal struct {
	tasks    map[string]taskValue
	services map[string]serviceValue
	nodes    map[string]nodeValue
}

func (m *machine) goalOf(t testing.TB, objects []validatorstest.Object) *goal {
	g := &goal{map[string]taskValue{}, map[string]serviceValue{}, map[string]nodeValue{}}
	for i := range objects {
		ev := &validatorstest.Events(t, objects[i].Line("snapshot"))[0]
		switch ev.Kind {
		case kindTask:
			var v taskValue
			taskTable.begin(m.s, &v, true)
			taskTable.merge(m.s, &v, ev.Fields)
			g.tasks[ev.ID] = v
		case kindService:
			var v serviceValue
			serviceTable.begin(m.s, &v, true)
			serviceTable.merge(m.s, &v, ev.Fields)
			g.services[ev.ID] = v
		case kindNode:
			var v nodeValue
			nodeTable.begin(m.s, &v, true)
			nodeTable.merge(m.s, &v, ev.Fields)
			g.nodes[ev.ID] = v
		}
	}
	return g
}

// pairTo makes the machine's pair one to the goal.
func (m *machine) pairTo(g *goal) {
	m.reset()
	m.pair.s = m.s
	for id, new := range g.tasks {
		c := taskChange{id: id, new: new, span: span{is: true}}
		if t := m.s.tasks.Get(id); t != nil {
			c.old, c.was = t.value(), true
		}
		m.tasks = append(m.tasks, c)
	}
	for id, t := range m.s.tasks.All() {
		if _, ok := g.tasks[id]; !ok {
			m.tasks = append(m.tasks, taskChange{id: id, old: t.value(), span: span{was: true}})
		}
	}
	for id, new := range g.services {
		c := serviceChange{id: id, new: new, span: span{is: true}}
		if sv := m.s.services.Get(id); sv != nil && sv.exists {
			c.old, c.was = sv.serviceValue, true
		}
		m.services = append(m.services, c)
	}
	for id, sv := range m.s.services.All() {
		if _, ok := g.services[id]; !ok && sv.exists {
			m.services = append(m.services, serviceChange{id: id, old: sv.serviceValue, span: span{was: true}})
		}
	}
	for id, new := range g.nodes {
		n := m.s.nodes.Get(id)
		m.nodes = append(m.nodes, nodeChange{id: id, old: nodeValue{up: n.up}, new: new})
	}
	m.drop()
}

// take makes the goal the machine's state.
func (m *machine) take(g *goal) {
	m.pairTo(g)
	m.commit()
}

// TestGraphPairs: of every ordered pair of TLC's states, the actions that
// explain it are exactly TLC's; and each state keeps the invariants and may
// stutter.
func TestGraphPairs(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	config := g.Config(validators.Atomic, validators.DefaultBudget)
	m := g.Load(t, Spec, config, g.Init).(*machine)
	goals := make([]*goal, len(g.States))
	for i := range g.States {
		g.Load(t, Spec, config, i) // keeps the invariants
		goals[i] = m.goalOf(t, g.States[i])
	}
	sample := exhaustive.Or(20, len(g.States))
	order := rand.New(rand.NewSource(1))
	pairs, edges := 0, 0
	for from := range goals {
		m.take(goals[from])
		for k := range sample {
			to := k
			if sample < len(goals) {
				to = order.Intn(len(goals))
			}
			m.pairTo(goals[to])
			pairs++
			if g.Edges[from][to] != nil {
				edges++
				m.checkEdge(t, g, from, to)
			} else if m.stutters() != (from == to) {
				t.Fatalf("from state %d to %d: stutters %v", from, to, m.stutters())
			} else if a := m.pair.match(); a != nil {
				t.Fatalf("from state %d to %d: explained by %s, want none\nfrom %v\nto   %v", from, to, a.Name, g.States[from], g.States[to])
			}
		}
		if sample < len(goals) {
			for to := range g.Edges[from] {
				m.pairTo(goals[to])
				m.checkEdge(t, g, from, to)
				edges++
			}
		}
	}
	if edges < g.NEdges {
		t.Errorf("checked %d edges, want %d", edges, g.NEdges)
	}
	t.Logf("%d pairs, %d edges", pairs, edges)
}

func (m *machine) checkEdge(t *testing.T, g *validatorstest.Graph, from, to int) {
	t.Helper()
	var got []string
	for _, a := range next {
		if a.Match(&m.pair) {
			got = append(got, a.Name)
		}
	}
	if a := m.pair.match(); a != next.Match(&m.pair) {
		t.Fatalf("from state %d to %d: match says %v, not Next's first", from, to, a)
	}
	g.CheckEdge(t, from, to, got)
}
