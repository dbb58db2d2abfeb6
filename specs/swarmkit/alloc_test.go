package swarmkit

import (
	"fmt"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

var counted = make([]int, len(next))

// take steps one event, and counts what explained it, which must conform.
func take(t testing.TB, m validators.Machine, step *trace.Step, ev *trace.Event) {
	step.Events = append(step.Events[:0], *ev)
	if found, _, err := m.Step(step); err != nil || len(found) > 0 {
		t.Fatalf("%s: %+v, %v", ev.Raw, found, err)
	}
	m.Count(counted)
}

// A conforming step allocates nothing beyond what the state keeps.
func TestConformingStepsDoNotAllocate(t *testing.T) {
	m, err := newMachine(validators.Config{Ledger: validators.NewLedger(len(waits))})
	if err != nil {
		t.Fatal(err)
	}
	var step trace.Step
	begin := validatorstest.Events(t,
		`{"kind":"node","op":"create","id":"n1","object":{"state":"up"}}`,
		`{"kind":"service","op":"create","id":"web","object":{"replicas":3,"remove":false}}`,
		`{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}`)
	for i := range begin {
		take(t, m, &step, &begin[i])
	}
	round := validatorstest.Events(t,
		`{"kind":"node","op":"update","id":"n1","object":{"state":"down"}}`,
		`{"kind":"service","op":"update","id":"web","object":{"replicas":2}}`,
		`{"kind":"service","op":"update","id":"web","object":{"replicas":2}}`,
		`{"kind":"node","op":"update","id":"n1","object":{"state":"up"}}`,
		`{"kind":"service","op":"update","id":"web","object":{"replicas":3}}`)
	if n := testing.AllocsPerRun(200, func() {
		for i := range round {
			take(t, m, &step, &round[i])
		}
	}); n > 0 {
		t.Errorf("a round of %d steps: %v allocations, want none", len(round), n)
	}
	life := []string{`"state":"pending"`, `"state":"assigned","node":"n1"`, `"state":"accepted"`, `"state":"preparing"`,
		`"state":"ready"`, `"state":"starting"`, `"state":"running"`, `"state":"failed"`}
	create := func(id, slot string) {
		take(t, m, &step, &validatorstest.Events(t, `{"kind":"task","op":"create","id":"`+id+`","object":{"service":"web","slot":`+slot+`,"node":"","state":"new","desired_state":"running"}}`)[0])
	}
	live := func(id string) {
		for _, change := range life {
			take(t, m, &step, &validatorstest.Events(t, `{"kind":"task","op":"update","id":"`+id+`","object":{`+change+`}}`)[0])
		}
	}
	live("t1") // the ledger has room for its like then
	create("t3", "2")
	live("t3")
	create("t4", "2")
	live("t4") // vslots with two such tasks share their counts then
	create("t2", "1")
	for _, change := range life {
		ev := validatorstest.Events(t, `{"kind":"task","op":"update","id":"t2","object":{`+change+`}}`)
		again := validatorstest.Events(t, `{"kind":"task","op":"update","id":"t2","object":{}}`)
		first := true
		if n := testing.AllocsPerRun(1, func() { // its first run is not counted: a stuttering step
			if first {
				take(t, m, &step, &again[0])
			} else {
				take(t, m, &step, &ev[0])
			}
			first = false
		}); n > 0 {
			t.Errorf("%s: %v allocations, want none", change, n)
		}
	}
}

// A large step allocates nothing, if one like it came before.
func TestLargeStepsDoNotAllocate(t *testing.T) {
	m, err := newMachine(validators.Config{Ledger: validators.NewLedger(len(waits)), Steps: validators.Batched, Budget: 1000})
	if err != nil {
		t.Fatal(err)
	}
	const large = 4 * maxChanges
	m.Snapshot(&validatorstest.Events(t, fmt.Sprintf(`{"kind":"service","op":"snapshot","id":"web","object":{"replicas":%d,"remove":false}}`, large))[0])
	var step trace.Step
	for i := range large {
		m.Snapshot(&validatorstest.Events(t, fmt.Sprintf(
			`{"kind":"task","op":"snapshot","id":"t%d","object":{"service":"web","slot":%d,"node":"","state":"new","desired_state":"running"}}`, i, i+1))[0])
		step.Events = append(step.Events, validatorstest.Events(t, fmt.Sprintf(`{"kind":"task","op":"update","id":"t%d","object":{}}`, i))...)
	}
	if found := m.SnapshotsEnd(); len(found) > 0 {
		t.Fatal(found)
	}
	if n := testing.AllocsPerRun(10, func() {
		if found, _, err := m.Step(&step); err != nil || len(found) > 0 {
			t.Fatal(found, err)
		}
	}); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// BenchmarkStep shows that the cost of a step does not grow with the number of
// live tasks.
func BenchmarkStep(b *testing.B) {
	for _, live := range []int{1000, 1000000} {
		b.Run(fmt.Sprintf("live=%d", live), func(b *testing.B) {
			m, err := newMachine(validators.Config{Ledger: validators.NewLedger(len(waits))})
			if err != nil {
				b.Fatal(err)
			}
			snapshots := validatorstest.Events(b, `{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`)
			for s := range live / 100 {
				snapshots = append(snapshots, validatorstest.Events(b, fmt.Sprintf(`{"kind":"service","op":"snapshot","id":"s%d","object":{"replicas":100,"remove":false}}`, s))...)
			}
			for t := range live {
				snapshots = append(snapshots, validatorstest.Events(b, fmt.Sprintf(
					`{"kind":"task","op":"snapshot","id":"t%d","object":{"service":"s%d","slot":%d,"node":"n1","state":"running","desired_state":"running"}}`, t, t/100, 1+t%100))...)
			}
			for i := range snapshots {
				m.Snapshot(&snapshots[i])
			}
			if found := m.SnapshotsEnd(); len(found) > 0 {
				b.Fatal(found)
			}
			round := validatorstest.Events(b,
				`{"kind":"node","op":"update","id":"n1","object":{"state":"down"}}`,
				`{"kind":"service","op":"update","id":"s1","object":{"replicas":101}}`,
				`{"kind":"task","op":"create","id":"x","object":{"service":"s1","slot":101,"node":"","state":"new","desired_state":"running"}}`,
				`{"kind":"task","op":"update","id":"x","object":{"state":"pending"}}`,
				`{"kind":"service","op":"update","id":"s1","object":{"replicas":100}}`,
				`{"kind":"task","op":"update","id":"x","object":{"desired_state":"remove"}}`,
				`{"kind":"task","op":"delete","id":"x"}`,
				`{"kind":"node","op":"update","id":"n1","object":{"state":"up"}}`)
			var step trace.Step
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				take(b, m, &step, &round[i%len(round)])
			}
		})
	}
}
