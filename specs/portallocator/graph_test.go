package portallocator

import (
	"slices"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

const graphFile = "../../testdata/tlc/PortAllocator.graph.jsonl.gz"

func graphConfig(g *validatorstest.Graph, steps validators.Steps) validators.Config {
	c := validators.Config{Steps: steps, Constants: map[string]string{}, Budget: validators.DefaultBudget}
	for name, raw := range g.Meta.Constants {
		c.Constants[name] = string(raw)
	}
	return c
}

// load makes a machine in the given state, which must keep the invariants.
func load(t testing.TB, g *validatorstest.Graph, steps validators.Steps, objects []validatorstest.Object) *machine {
	t.Helper()
	v, err := newMachine(graphConfig(g, steps))
	if err != nil {
		t.Fatal(err)
	}
	m := v.(*machine)
	for i := range objects {
		ev := decode(t, objects[i].Line("snapshot"))
		m.Snapshot(&ev)
	}
	if found := m.SnapshotsEnd(); len(found) > 0 {
		t.Errorf("%v: %+v; want every reachable state to keep the invariants", objects, found[0])
	}
	m.bind(&trace.Step{})
	return m
}

func decode(t testing.TB, line string) trace.Event {
	t.Helper()
	var d trace.Decoder
	var ev trace.Event
	if err := d.Decode([]byte(line), trace.Pos{Line: 1}, &ev); err != nil {
		t.Fatal(err)
	}
	return ev
}

// goal is a state's objects as values.
type goal struct {
	endpoints map[string]value
	allocated []address
}

func goalOf(t testing.TB, m *machine, objects []validatorstest.Object) *goal {
	g := &goal{endpoints: map[string]value{}}
	for i := range objects {
		ev := decode(t, objects[i].Line("snapshot"))
		if ev.Kind == trace.KindAllocator {
			g.allocated, _ = m.s.parseAllocated(ev.Fields.Get(trace.FieldAllocated), nil)
			continue
		}
		v := unknown(false)
		v.spec, _ = m.s.parsePorts(ev.Fields.Get(trace.FieldSpec), nil)
		v.ports, _ = m.s.parsePorts(ev.Fields.Get(trace.FieldPorts), nil)
		g.endpoints[ev.ID] = v
	}
	return g
}

// pairTo makes the machine's pair one to the goal.
func (m *machine) pairTo(g *goal, logAllocated bool) {
	m.reset()
	for _, id := range []string{"e1", "e2"} {
		c := change{id: id}
		if e := m.s.endpoints.Get(id); e != nil {
			c.old, c.was = e.value, true
		}
		c.new, c.is = g.endpoints[id]
		m.endpoints = append(m.endpoints, c)
	}
	m.drop()
	if logAllocated {
		m.allocator = logged{is: true, seen: true, set: g.allocated}
	}
}

// TestGraphPairs: of every ordered pair of TLC's states, the actions that
// explain it are exactly TLC's, whether allocated is logged or inferred.
func TestGraphPairs(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	goals := make([]*goal, len(g.States))
	pairs, edges := 0, 0
	for from := range g.States {
		m := load(t, g, validators.Atomic, g.States[from])
		for to := range g.States {
			want := g.Edges[from][to]
			if to == from || !exhaustive.Asked() && len(want) == 0 && (from+to)%10 > 0 {
				continue
			}
			if goals[to] == nil {
				goals[to] = goalOf(t, m, g.States[to])
			}
			for _, logs := range []bool{true, false} {
				m.pairTo(goals[to], logs)
				var got []string
				for _, a := range next {
					if a.Match(&m.pair) {
						got = append(got, a.Name)
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("from state %d to %d, allocated logged %v: explained by %v, want %v\nfrom %v\nto   %v",
						from, to, logs, got, want, g.States[from], g.States[to])
				}
			}
			pairs++
			edges += len(want)
		}
		m.pairTo(goalOf(t, m, g.States[from]), true)
		if !m.stutters() {
			t.Errorf("state %d does not stutter", from)
		}
	}
	if edges != g.NEdges {
		t.Errorf("checked %d edges, want %d", edges, g.NEdges)
	}
	t.Logf("%d pairs, %d of them edges", pairs, edges)
}
