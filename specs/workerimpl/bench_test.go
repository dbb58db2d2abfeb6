package workerimpl

import (
	"fmt"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

// BenchmarkStep: the cost of a step does not depend on how much exists.
func BenchmarkStep(b *testing.B) {
	for _, tasks := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(tasks), func(b *testing.B) {
			snapshots, _ := cluster(50, tasks, func(string, int, string) []string { return nil })
			m := machineOf(b, validators.Config{Steps: validators.Atomic, Ledger: validators.NewLedger(len(waits))}, snapshots)
			list := events(b, []string{
				`{"kind":"task","op":"update","id":"t1","object":{"desired_state":"shutdown"}}`,
				`{"kind":"task","op":"update","id":"t1","object":{"desired_state":"running"}}`,
				`{"kind":"node","op":"update","id":"n2","object":{"state":"down"}}`,
				`{"kind":"node","op":"update","id":"n2","object":{"state":"up"}}`,
			})
			one := trace.Step{Events: make([]trace.Event, 1)}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				one.Events[0] = list[i%len(list)]
				if found, _, err := m.Step(&one); len(found) > 0 || err != nil {
					b.Fatal(found, err)
				}
			}
		})
	}
}

// BenchmarkLargeBatch: that of a batched step grows with what it changes, no
// faster.
func BenchmarkLargeBatch(b *testing.B) {
	for _, tasks := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(tasks), func(b *testing.B) {
			snapshots, lines := cluster(tasks/20, tasks, func(id string, _ int, _ string) []string {
				return []string{
					fmt.Sprintf(`{"kind":"task","op":"delete","id":%q}`, id),
					fmt.Sprintf(`{"kind":"container","op":"delete","id":%q}`, id),
				}
			})
			list := events(b, lines)
			for range b.N {
				b.StopTimer()
				m := machineOf(b, validators.Config{Steps: validators.Batched, Budget: validators.DefaultBudget}, snapshots)
				b.StartTimer()
				if found, _, err := m.Step(&trace.Step{Events: list}); len(found) > 0 || err != nil {
					b.Fatal(found, err)
				}
			}
		})
	}
}

// BenchmarkSmallBatch: a step of a few actions.
func BenchmarkSmallBatch(b *testing.B) {
	snapshots, _ := cluster(20, 1000, func(string, int, string) []string { return nil })
	m := machineOf(b, validators.Config{Steps: validators.Batched, Budget: validators.DefaultBudget}, snapshots)
	list := events(b, []string{
		`{"kind":"task","op":"create","id":"new","object":{"service":"web","slot":1,"node":"n1","state":"running","desired_state":"running"}}`,
		`{"kind":"container","op":"create","id":"new","object":{"node":"n1","state":"running"}}`,
		`{"kind":"task","op":"delete","id":"new"}`,
		`{"kind":"container","op":"delete","id":"new"}`,
	})
	b.ReportAllocs()
	for i := range b.N {
		from := 2 * (i % 2)
		if found, _, err := m.Step(&trace.Step{Events: list[from : from+2]}); len(found) > 0 || err != nil {
			b.Fatal(found, err)
		}
	}
}
