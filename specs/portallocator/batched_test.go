package portallocator

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

// endpointLine writes a line; ports are "NAME SPEC PORT", tcp and ingress.
func endpointLine(op, id string, ports ...string) string {
	var spec, got []string
	for _, p := range ports {
		w := strings.Fields(p)
		entry := fmt.Sprintf(`{"name":%q,"protocol":"tcp","mode":"ingress","published_port":%%s}`, w[0])
		spec, got = append(spec, fmt.Sprintf(entry, w[1])), append(got, fmt.Sprintf(entry, w[2]))
	}
	return fmt.Sprintf(`{"kind":"endpoint","op":%q,"id":%q,"object":{"spec":[%s],"ports":[%s]}}`, op, id, strings.Join(spec, ","), strings.Join(got, ","))
}

// existing is a machine for batched steps on which these endpoints exist.
func existing(t testing.TB, dynamicPorts string, lines ...string) *machine {
	t.Helper()
	m := newTestMachine(t, validators.Config{Steps: validators.Batched, Budget: validators.DefaultBudget,
		Constants: map[string]string{"dynamic_ports": dynamicPorts, "protocols": `["tcp"]`}})
	for _, line := range lines {
		ev := decode(t, line)
		m.Snapshot(&ev)
	}
	if found := m.SnapshotsEnd(); len(found) > 0 {
		t.Fatal(found)
	}
	return m
}

// TestNoStaticNumberToGoAround: where others have all dynamic numbers, ports
// that are held change places only if some static number is free.
func TestNoStaticNumberToGoAround(t *testing.T) {
	full := map[int]string{} // all dynamic numbers, from the first on
	for _, first := range []int{3, 4} {
		var ports []string
		for n := first; n <= maxPort; n++ {
			ports = append(ports, fmt.Sprintf("p %d %d", n, n))
		}
		full[first] = endpointLine("snapshot", "full", ports...)
	}
	for _, c := range []struct {
		name  string
		first int // of the dynamic numbers, all of them in use
		step  []string
		want  bool
	}{
		{"two of two swap", 3, []string{endpointLine("update", "a", "x 0 2"), endpointLine("update", "b", "y 0 1")}, false},
		{"two of three swap", 4, []string{endpointLine("update", "a", "x 0 2"), endpointLine("update", "b", "y 0 1")}, true},
		{"one of three moves", 4, []string{endpointLine("update", "a", "x 0 3")}, true},
		{"the only free number, and back for another", 4, []string{endpointLine("update", "a", "x 0 3", "z 1 1")}, true},
		{"one of them moves once the other holds nothing", 3, []string{endpointLine("update", "a", "x 0 2"), endpointLine("update", "b")}, true},
		{"what the other gives up", 3, []string{endpointLine("update", "a", "x 0 2"), `{"kind":"endpoint","op":"delete","id":"b"}`}, true},
	} {
		m := existing(t, fmt.Sprintf("[%d,%d]", c.first, maxPort), full[c.first],
			endpointLine("snapshot", "a", "x 0 1"), endpointLine("snapshot", "b", "y 0 2"))
		step := stepsOf(t, strings.Join(c.step, "\n"))
		found, _, err := m.Step(&step[0])
		if got := len(found) == 0; got != c.want || err != nil {
			t.Errorf("%s: accepted %v, want %v: %v %v", c.name, got, c.want, found, err)
		}
	}
}

// TestNoAddressToAllocate: an allocator's line claims an action that changes
// allocated, which takes an address that is free at some moment.
func TestNoAddressToAllocate(t *testing.T) {
	full := []string{}
	for n := 1; n < maxPort; n++ {
		full = append(full, fmt.Sprintf("p %d %d", n, n))
	}
	const last = "p 65535 65535"
	for _, c := range []struct {
		name string
		full []string
		want bool
	}{{"one is free", full, true}, {"none is", append(full[:len(full):len(full)], last), false}} {
		m := existing(t, "[7,8]", endpointLine("snapshot", "full", c.full...))
		step := stepsOf(t, endpointLine("create", "a")+"\n"+`{"kind":"allocator","op":"update","action":"NewEndpoint","object":{}}`)
		for i := range step[0].Events {
			step[0].Events[i].Pos.Line = i + 2
		}
		found, _, err := m.Step(&step[0])
		if got := len(found) == 0; got != c.want || err != nil || !got && found[0].Kind != validators.OfClaim {
			t.Errorf("%s: met %v, want %v: %v %v", c.name, got, c.want, found, err)
		}
	}
}

// ring is a step in which each of n endpoints takes the port of the next one.
func ring(t testing.TB, n int, spec string) (*machine, trace.Step) {
	t.Helper()
	var lines, step []string
	for i := range n {
		was, is := fmt.Sprint(1000+i), fmt.Sprint(1000+(i+1)%n)
		if spec != "" {
			lines = append(lines, endpointLine("snapshot", fmt.Sprint("e", i), "x 0 "+was))
			step = append(step, endpointLine("update", fmt.Sprint("e", i), "x 0 "+is))
		} else {
			lines = append(lines, endpointLine("snapshot", fmt.Sprint("e", i), "x "+was+" "+was))
			step = append(step, endpointLine("update", fmt.Sprint("e", i), "x "+is+" "+is))
		}
	}
	m := existing(t, "[60000,60001]", append(lines, endpointLine("snapshot", "full", "f 0 60000", "g 0 60001"))...)
	return m, stepsOf(t, strings.Join(step, "\n"))[0]
}

// TestLargeBatchedSteps: each action of the sequence is one that the clauses
// accept, and there are no more than a few for each endpoint.
func TestLargeBatchedSteps(t *testing.T) {
	const n = 2000
	for _, c := range []struct {
		spec    string // "0": dynamic ports that are held while others have all numbers
		actions int    // for each endpoint
	}{{"", 2}, {"0", 2}} {
		m, step := ring(t, n, c.spec)
		take(t, m, &step)
		if got := len(m.Explanation()); got < n || got > c.actions*n+2 {
			t.Errorf("spec %q: %d actions for %d endpoints", c.spec, got, n)
		}
	}
}

func BenchmarkBatchedRing(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		for _, spec := range []string{"", "0"} {
			b.Run(fmt.Sprint(n, " endpoints ", spec), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					m, step := ring(b, n, spec)
					b.StartTimer()
					take(b, m, &step)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/endpoint")
			})
		}
	}
}

// TestBatchedBudget: a step may take as many actions as it is asked for, and
// each costs as many ports as the endpoint has. What is over the budget is not
// judged.
func TestBatchedBudget(t *testing.T) {
	ports := make([]string, 500) // dynamic ports with static numbers
	for i := range ports {
		ports[i] = fmt.Sprintf("p%d 0 %d", i, i+1)
	}
	for _, c := range []struct {
		budget, ports int
		want          bool
	}{
		{validators.DefaultBudget, len(ports), true},
		{10, 5, true},
		{9, 5, false},
		{5000, len(ports), false},
	} {
		m := newTestMachine(t, validators.Config{Steps: validators.Batched, Budget: c.budget})
		step := stepsOf(t, endpointLine("create", "a", ports[:c.ports]...))
		found, _, err := m.Step(&step[0])
		var unjudged *trace.Error
		if errors.As(err, &unjudged) == c.want || len(found) > 0 {
			t.Errorf("%d ports, budget %d: judged %v, want %v: %v %v", c.ports, c.budget, err == nil, c.want, found, err)
		}
		if !c.want && (unjudged.Pos != step[0].First() || !strings.Contains(unjudged.Reason, "--budget")) {
			t.Errorf("%v says neither where nor what to do", unjudged)
		}
	}
}
