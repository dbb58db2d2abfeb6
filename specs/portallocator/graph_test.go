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
	m := newTestMachine(t, graphConfig(g, steps))
	for i := range objects {
		ev := decode(t, objects[i].Line("snapshot"))
		m.Snapshot(&ev)
	}
	if found := m.SnapshotsEnd(); len(found) > 0 {
		t.Errorf("%v: %+v; want every reachable state to keep the invariants", objects, found[0])
	}
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

// lines are the events that set an object, by op, "" the allocator's.
type lines map[string]map[trace.Op]trace.Event

func linesOf(t testing.TB, objects []validatorstest.Object) lines {
	all := lines{}
	for i := range objects {
		all[objects[i].ID] = map[trace.Op]trace.Event{}
		for _, op := range []string{"create", "update", "delete"} {
			ev := decode(t, objects[i].Line(op))
			all[objects[i].ID][ev.Op] = ev
		}
	}
	return all
}

// step leads from one state to another.
func step(from, to lines, logAllocated bool) *trace.Step {
	s := &trace.Step{}
	for _, id := range []string{"e1", "e2"} {
		was, is := from[id], to[id]
		switch {
		case was == nil && is != nil:
			s.Events = append(s.Events, is[trace.OpCreate])
		case was != nil && is == nil:
			s.Events = append(s.Events, was[trace.OpDelete])
		case is != nil:
			s.Events = append(s.Events, is[trace.OpUpdate])
		}
	}
	if logAllocated {
		s.Events = append(s.Events, to[""][trace.OpUpdate])
	}
	return s
}

// TestGraphPairs: of every ordered pair of TLC's states, the actions that
// explain it are exactly TLC's, whether allocated is logged or inferred.
func TestGraphPairs(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	states := make([]lines, len(g.States))
	for i := range g.States {
		states[i] = linesOf(t, g.States[i])
	}
	pairs, edges := 0, 0
	for from := range g.States {
		prober := load(t, g, validators.Atomic, g.States[from]).Machine.(validators.Prober)
		for to := range g.States {
			want := g.Edges[from][to]
			if to == from || !exhaustive.Asked() && len(want) == 0 && (from+to)%120 > 0 {
				continue
			}
			for _, logs := range exhaustive.Or([]bool{(from+to)%2 == 0}, []bool{true, false}) {
				var got []string
				for _, part := range prober.Probe(step(states[from], states[to], logs)) {
					for _, a := range part.Attempts {
						if failed, _ := a.Failed(); failed == 0 {
							got = append(got, a.Action)
						}
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
		if len(prober.Probe(step(states[from], states[from], true))) > 0 {
			t.Errorf("state %d does not stutter", from)
		}
	}
	if edges != g.NEdges {
		t.Errorf("checked %d edges, want %d", edges, g.NEdges)
	}
	t.Logf("%d pairs, %d of them edges", pairs, edges)
}
