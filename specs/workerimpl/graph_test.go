package workerimpl

import (
	"math/rand"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

const graphFile = "../../testdata/tlc/WorkerImpl.graph.jsonl.gz"

// load makes a machine in the given state, in which n1 is the worker.
func load(t testing.TB, g *validatorstest.Graph, state int) *machine {
	t.Helper()
	m := g.Load(t, Spec, g.Config(validators.Atomic, 0), state).(*machine)
	m.s.hire(m.s.node("n1"), true)
	return m
}

// goal is a state's objects as values against one machine's records.
type goal struct {
	tasks map[string]taskValue
	conts map[string]containerValue
	nodes map[string]nodeValue
}

// pairTo makes the machine's pair one to the goal.
func (m *machine) pairTo(g *goal) {
	m.reset()
	for id, new := range g.tasks {
		u := m.s.unit(id)
		m.tasks = append(m.tasks, taskChange{id: id, unit: u, old: u.task, new: new, span: span{was: u.hasTask, is: true, kept: true}})
	}
	for id, new := range g.conts {
		u := m.s.unit(id)
		m.conts = append(m.conts, containerChange{id: id, unit: u, old: u.cont, new: new, span: span{was: u.hasCont, is: true, kept: true}})
	}
	for id, u := range m.s.units.All() {
		if _, ok := g.tasks[id]; !ok && u.hasTask {
			m.tasks = append(m.tasks, taskChange{id: id, unit: u, old: u.task, span: span{was: true}})
		}
		if _, ok := g.conts[id]; !ok && u.hasCont {
			m.conts = append(m.conts, containerChange{id: id, unit: u, old: u.cont, span: span{was: true}})
		}
	}
	for id, new := range g.nodes {
		n := m.s.nodes.Get(id)
		m.nodes = append(m.nodes, nodeChange{id: id, old: nodeValue{up: n.up}, new: new, span: span{was: true, is: true, kept: true}})
	}
	m.drop()
	m.group()
}

func (m *machine) goalOf(t testing.TB, objects []validatorstest.Object) *goal {
	g := &goal{map[string]taskValue{}, map[string]containerValue{}, map[string]nodeValue{}}
	for i := range objects {
		ev := &validatorstest.Events(t, objects[i].Line("snapshot"))[0]
		switch ev.Kind {
		case kindTask:
			taskTable.snapshot(m, &m.tasks, ev, nil, func(v *taskValue) { g.tasks[ev.ID] = *v })
		case kindContainer:
			containerTable.snapshot(m, &m.conts, ev, nil, func(v *containerValue) { g.conts[ev.ID] = *v })
		case kindNode:
			nodeTable.snapshot(m, &m.nodes, ev, nil, func(v *nodeValue) { g.nodes[ev.ID] = *v })
		}
	}
	return g
}

func (m *machine) explainers() []string {
	p := m.at(m.s.nodes.Get("n1"))
	var names []string
	for _, a := range next {
		if a.match.Match(p) {
			names = append(names, a.Name)
		}
	}
	return names
}

// set makes the goal the state. Its records stay: no sweep follows.
func (m *machine) set(g *goal) {
	for _, u := range m.s.units.All() {
		if u.hasTask {
			m.s.setTask(u, nil)
		}
	}
	for _, u := range m.s.units.All() {
		m.s.setContainer(u, nil)
	}
	for id, v := range g.tasks {
		m.s.setTask(m.s.unit(id), &v)
	}
	for id, v := range g.conts {
		m.s.setContainer(m.s.unit(id), &v)
	}
	for id, v := range g.nodes {
		m.s.setNode(id, &v)
	}
}

// TestGraphStates: each of TLC's states keeps the invariants.
func TestGraphStates(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	for state := range g.States {
		load(t, g, state)
	}
}

// TestGraphPairs: of every ordered pair of TLC's states, the actions that
// explain it are exactly TLC's, and those that do refine WorkerSpec.
func TestGraphPairs(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	m := load(t, g, g.Init)
	goals := make([]*goal, len(g.States))
	for i := range goals {
		goals[i] = m.goalOf(t, g.States[i])
	}
	order := rand.New(rand.NewSource(1))
	pairs, edges, unrefined := 0, 0, 0
	for from := range g.States {
		m.set(goals[from])
		for to := range g.States {
			want := g.Edges[from][to]
			if !exhaustive.Asked() && len(want) == 0 && order.Intn(50) > 0 {
				continue
			}
			m.pairTo(goals[to])
			g.CheckEdge(t, from, to, m.explainers())
			pairs++
			refines := m.at(m.s.nodes.Get("n1")).refines()
			if len(want) > 0 {
				edges++
				if !refines {
					t.Fatalf("from state %d to %d: a step of Impl is none of WSSpec\nfrom %v\nto   %v", from, to, g.States[from], g.States[to])
				}
			} else if !refines {
				unrefined++
			}
		}
	}
	if edges != g.NEdges || unrefined == 0 {
		t.Errorf("checked %d edges, want %d; %d other pairs break WSSpec", edges, g.NEdges, unrefined)
	}
	t.Logf("%d pairs, %d of them edges", pairs, edges)
}
