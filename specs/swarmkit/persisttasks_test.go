package swarmkit

import (
	"bytes"
	"testing"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// TestHistoryInParts: of a task that is deleted while tasks are written in parts,
// its own history and that of the task that replaced it are written as they were.
func TestHistoryInParts(t *testing.T) {
	made := func() *machine {
		m, err := newMachine(validators.Config{Steps: validators.Batched, Profile: swarm.Moby})
		if err != nil {
			t.Fatal(err)
		}
		return m.(*machine)
	}
	written := func(m *machine) []byte {
		c := codec.Writer(nil)
		m.Persist(c)
		return bytes.Clone(c.Data())
	}
	m := made()
	s := m.s
	s.putService("web", serviceValue{replicas: 2})
	put := func(id string, slot int64) *task {
		return s.putTask(id, taskValue{s.services.Get("web"), slot, taskRest{taskStates: taskStates{state: Running, desired: Shutdown}}})
	}
	a, b := put("a", 1), put("b", 2)
	a.past.replaced, b.past.replaced = []*task{b}, []*task{a}
	s.sweep()
	want := written(m)

	c := codec.Writer(nil)
	c.Divide()
	m.Persist(c)
	m.tasks = []taskChange{{id: "a", record: a, old: a.value(), span: span{was: true}}}
	m.remember(&trace.Step{Events: make([]trace.Event, 1)})
	s.dropTask("a")
	s.sweep()
	if !c.Rest(func() bool { return false }) {
		t.Fatal("it is not all there")
	}
	again, r := made(), codec.Reader(c.Data())
	if again.Persist(r); r.Close() != nil {
		t.Fatal(r.Err())
	}
	if got := written(again); !bytes.Equal(got, want) {
		t.Errorf("%q is restored, not\n%q", got, want)
	}
}
