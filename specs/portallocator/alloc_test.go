package portallocator

import (
	"fmt"
	"strings"
	"testing"

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

func newTestMachine(t testing.TB, c validators.Config) *machine {
	t.Helper()
	m, err := newMachine(c)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*machine)
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

// filled is a machine whose dynamic range is in use but for one number, by
// endpoints of so many ports each, and what the last endpoint's lines are.
func filled(t testing.TB, steps validators.Steps, protocol string, ports int) (*machine, func(number int) string) {
	t.Helper()
	m := newTestMachine(t, validators.Config{Steps: steps})
	line := func(op string, endpoint, first int) string {
		var spec, got []string
		for i := range ports {
			spec = append(spec, fmt.Sprintf(`{"name":"p%d","protocol":%q,"mode":"ingress","published_port":0}`, i, protocol))
			got = append(got, fmt.Sprintf(`{"name":"p%d","protocol":%q,"mode":"ingress","published_port":%d}`, i, protocol, first+i))
		}
		return fmt.Sprintf(`{"kind":"endpoint","op":%q,"id":"e%d","object":{"spec":[%s],"ports":[%s]}}`,
			op, endpoint, strings.Join(spec, ","), strings.Join(got, ","))
	}
	n := 0
	for first := 30000; first+ports <= 32767; first += ports {
		step := stepsOf(t, line("create", n, first))
		take(t, m, &step[0])
		n++
	}
	return m, func(number int) string { return line("update", n-1, number) }
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
			m, line := filled(b, validators.Atomic, "tcp", n)
			last := 30000 + (2767/n-1)*n
			other := strings.Replace(strings.ReplaceAll(line(last), `"name":"p0"`, `"name":"q0"`), "", "", 1)
			steps := stepsOf(b, other, line(last))
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				take(b, m, &steps[i%2])
			}
		})
	}
}
