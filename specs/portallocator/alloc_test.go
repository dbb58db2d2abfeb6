package portallocator

import (
	"fmt"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
)

// stepsOf makes a step of each line.
func stepsOf(t testing.TB, lines ...string) []trace.Step {
	t.Helper()
	steps := make([]trace.Step, len(lines))
	for i, line := range lines {
		for _, part := range strings.Split(line, "\n") {
			steps[i].Events = append(steps[i].Events, decode(t, part))
		}
	}
	return steps
}

// machine is one of a test, with its state.
type machine struct {
	validators.Machine
	s *State
}

func newTestMachine(t testing.TB, c validators.Config) *machine {
	t.Helper()
	m := &machine{}
	own := *text
	own.New = func(c validators.Config) (s *State, err error) {
		m.s, err = newState(c)
		return m.s, err
	}
	var err error
	if m.Machine, err = own.Spec().New(c); err != nil {
		t.Fatal(err)
	}
	return m
}

// take has the machine judge a step that is to conform.
func take(t testing.TB, m *machine, step *trace.Step) {
	found, judged, err := m.Step(step)
	if len(found) > 0 || !judged || err != nil {
		t.Fatalf("%s: %v, judged %v, error %v", step.Events[0].Raw, found, judged, err)
	}
}

const (
	create = `{"kind":"endpoint","op":"create","id":"web","object":{"spec":[{"name":"a","protocol":"tcp","mode":"ingress","published_port":0}],"ports":[{"name":"a","protocol":"tcp","mode":"ingress","published_port":30000}]}}`
	remove = `{"kind":"endpoint","op":"delete","id":"web"}`
)

func update(spec, port int) string {
	return fmt.Sprintf(`{"kind":"endpoint","op":"update","id":"web","object":{"spec":[{"name":"a","protocol":"tcp","mode":"ingress","published_port":%d}],"ports":[{"name":"a","protocol":"tcp","mode":"ingress","published_port":%d}]}}`, spec, port)
}

// TestConformingStepsDoNotAllocate: beyond what the state keeps, which is one
// list where ports change, and where an endpoint is created its record, its id
// and its name.
func TestConformingStepsDoNotAllocate(t *testing.T) {
	if exhaustive.Race {
		t.Skip("allocations mean nothing under the race detector")
	}
	logged := func(address string) string {
		return "\n" + fmt.Sprintf(`{"kind":"allocator","op":"update","object":{"allocated":[%q]}}`, address)
	}
	refused := `{"kind":"endpoint","op":"reject","id":"db","object":{"spec":[{"name":"a","protocol":"tcp","mode":"ingress","published_port":%s}]}}`
	for _, c := range []struct {
		name  string
		lines []string // the last two are repeated
		keeps float64
	}{
		{"stuttering", []string{create, update(0, 30000), update(0, 30000)}, 0},
		{"stuttering, with a claim", []string{create, strings.Replace(update(0, 30000), `"id"`, `"action":"UpdateEndpoint","id"`, 1), update(0, 30000)}, 0},
		{"UpdateEndpoint", []string{create, update(80, 80), update(81, 81)}, 2},
		{"UpdateEndpoint with allocated", []string{create, update(80, 80) + logged("tcp/80"), update(81, 81) + logged("tcp/81")}, 2},
		{"NewEndpoint and RemoveEndpoint", []string{create, remove}, 4},
		{"a justified refusal", []string{create, strings.Replace(refused, "%s", "30000", 1), strings.Replace(refused, "%s", "30000", 1)}, 0},
	} {
		m := newTestMachine(t, validators.Config{Steps: validators.Atomic})
		steps := stepsOf(t, c.lines...)
		again := steps[len(steps)-2:]
		for i := range steps[:len(steps)-2] {
			take(t, m, &steps[i])
		}
		got := testing.AllocsPerRun(100, func() {
			take(t, m, &again[0])
			take(t, m, &again[1])
		})
		if got > c.keeps {
			t.Errorf("%s: %v allocations, want at most %v", c.name, got, c.keeps)
		}
	}
}

// dynamicLine is a line of an endpoint with n dynamic tcp ports, PREFIX0 and so
// on, which have the numbers from first on.
func dynamicLine(op, id, prefix string, n, first int) string {
	ports := make([]string, n)
	for i := range ports {
		ports[i] = fmt.Sprintf("%s%d 0 %d", prefix, i, first+i)
	}
	return endpointLine(op, id, ports...)
}

// filled is a machine on which endpoints f0 and so on, of n ports each, have all
// dynamic tcp numbers, and others 10,000 static ones.
func filled(t testing.TB, steps validators.Steps, n int) *machine {
	t.Helper()
	m := newTestMachine(t, validators.Config{Steps: steps, Budget: validators.DefaultBudget})
	lines := []string{}
	for first := 30000; first <= 32767; first += n {
		lines = append(lines, dynamicLine("create", fmt.Sprint("f", len(lines)), "p", min(n, 32768-first), first))
	}
	for i := range 10000 {
		lines = append(lines, endpointLine("create", fmt.Sprint("s", i), fmt.Sprintf("p %d %d", i+1, i+1)))
	}
	for _, step := range stepsOf(t, lines...) {
		take(t, m, &step)
	}
	return m
}

// TestAllocateIsDecided: with all dynamic numbers in use by endpoints of 200
// ports, beside 10,000 others. To list the proposals would never end: there are
// 200! ways to give 200 ports the numbers of an endpoint.
func TestAllocateIsDecided(t *testing.T) {
	for _, mode := range []validators.Steps{validators.Atomic, validators.Batched} {
		m := filled(t, mode, 200)
		for _, step := range stepsOf(t,
			dynamicLine("update", "f0", "q", 200, 30000),  // the numbers that it had
			dynamicLine("update", "f1", "p", 199, 30200),  // one is free
			dynamicLine("reject", "new", "q", 2, 1),       // two are not
			dynamicLine("update", "f2", "p", 200, 30400),  // recovered
			dynamicLine("create", "new", "q", 1, 30399),   // the one
			dynamicLine("reject", "f2", "q", 201, 1),      // one more than it has
			endpointLine("reject", "f2", "x 30000 1"),     // another has it
			`{"kind":"endpoint","op":"delete","id":"f3"}`, // 200 are free
			dynamicLine("create", "all", "q", 200, 30600), // and are taken
			dynamicLine("reject", "none", "q", 1, 1),      // none is
		) {
			take(t, m, &step)
		}
	}
}

func BenchmarkUpdateEndpoint(b *testing.B) {
	m := newTestMachine(b, validators.Config{Steps: validators.Atomic})
	steps := stepsOf(b, create, update(80, 80), update(81, 81))
	take(b, m, &steps[0])
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		take(b, m, &steps[1+i%2])
	}
}

// BenchmarkEndpointsInUse shows that a step's cost does not follow how much is
// in use: an endpoint is created and removed beside so many others.
func BenchmarkEndpointsInUse(b *testing.B) {
	for _, n := range []int{10, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := newTestMachine(b, validators.Config{Steps: validators.Atomic})
			for i := range n {
				line := strings.ReplaceAll(strings.ReplaceAll(create, "30000", fmt.Sprint(1+i)), `"published_port":0`, fmt.Sprintf(`"published_port":%d`, 1+i))
				step := stepsOf(b, strings.Replace(line, `"web"`, fmt.Sprintf(`"e%d"`, i), 1))
				take(b, m, &step[0])
			}
			steps := stepsOf(b, create, remove)
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				take(b, m, &steps[i%2])
			}
		})
	}
}

// BenchmarkManyPorts updates an endpoint of so many ports while the dynamic
// range is full.
func BenchmarkManyPorts(b *testing.B) {
	for _, n := range []int{1, 10, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := filled(b, validators.Atomic, n)
			steps := stepsOf(b, dynamicLine("update", "f0", "q", n, 30000), dynamicLine("update", "f0", "p", n, 30000))
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				take(b, m, &steps[i%2])
			}
		})
	}
}
