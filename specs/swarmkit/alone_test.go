package swarmkit

import (
	"fmt"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
)

// A step that is judged alone has the same effect as in the general way, which coverage takes.
// The steps are all changes of a task's state, without a node, and with each of some; without
// TRACECHECK_EXHAUSTIVE a share of them.
func TestStepsAlone(t *testing.T) {
	event := func(format string, args ...any) *trace.Event {
		ev := new(trace.Event)
		if err := new(trace.Decoder).Decode(fmt.Appendf(nil, format, args...), trace.Pos{File: "f", Line: 1}, ev); err != nil {
			t.Fatal(err)
		}
		return ev
	}
	before := []*trace.Event{
		event(`{"kind":"node","op":"snapshot","id":"up","object":{"state":"up"}}`),
		event(`{"kind":"node","op":"snapshot","id":"down","object":{"state":"down"}}`),
		event(`{"kind":"service","op":"snapshot","id":"s","object":{"replicas":1,"remove":false}}`),
	}
	judge := func(cover *validators.Cover, task, update *trace.Event) (m *machine, effect string) {
		made, err := newMachine(validators.Config{Steps: validators.Atomic, Ledger: validators.NewLedger(len(waits)), Cover: cover})
		if err != nil {
			t.Fatal(err)
		}
		m = made.(*machine)
		for _, ev := range before {
			m.Snapshot(ev)
		}
		if task.Op == trace.OpSnapshot {
			m.Snapshot(task)
		}
		m.SnapshotsEnd()
		if task.Op != trace.OpSnapshot {
			m.Step(&trace.Step{Events: []trace.Event{*task}})
		}
		found, judged, err := m.Step(&trace.Step{Events: []trace.Event{*update}})
		effect = fmt.Sprint(found, judged, err, m.Explanation(), m.setbacks, m.s.totals)
		m.Objects(func(_ trace.Kind, id string, object []byte) { effect += " " + id + string(object) })
		after := m.s.tasks.Get("t")
		for _, w := range []held{after.waits, after.in.waits, after.in.service.waits, m.s.nodes.Get("up").waits, m.s.nodes.Get("down").waits} {
			for _, o := range w {
				if o != nil {
					effect += fmt.Sprint(" ", waits[o.For], o.Stage, o.Gate != nil)
				}
			}
		}
		return m, effect
	}
	var updates []*trace.Event
	for to := New; to <= Orphaned; to++ {
		for _, node := range []string{"", `"node":"up",`, `"node":"down",`, `"node":"other",`, `"node":null,`} {
			updates = append(updates, event(`{"kind":"task","op":"update","id":"t","object":{%s"state":%q}}`, node, to))
		}
	}
	alone := map[string]int{}
	n := 0
	compare := func(task *trace.Event) {
		for _, update := range updates {
			if n++; n%exhaustive.Or(3, 1) != 0 {
				continue
			}
			m, got := judge(nil, task, update)
			if m.by != nil && len(m.tasks) == 0 {
				alone[m.by.Name]++
			}
			if _, want := judge(validators.NewCover(), task, update); got != want {
				t.Errorf("%s\n%s:\ngot  %s\nwant %s", task.Raw, update.Raw, got, want)
			}
		}
	}
	for from := New; from <= Orphaned; from++ {
		for _, desired := range []State{Ready, Running, Shutdown, Remove} {
			for _, place := range []string{`1,"node":""`, `1,"node":"up"`, `1,"node":"down"`, `"global","node":""`, `"global","node":"up"`} {
				compare(event(`{"kind":"task","op":"snapshot","id":"t","object":{"service":"s","slot":%s,"state":%q,"desired_state":%q}}`, place, from, desired))
			}
		}
		compare(event(`{"kind":"task","op":"update","id":"t","object":{"state":%q}}`, from)) // of which nothing else is known
	}
	for _, a := range []*action{allocateTask, scheduler, progressTask, rejectTask, shutdownComplete, containerExit} {
		if alone[a.Name] == 0 {
			t.Errorf("no step of %s was judged alone", a.Name)
		}
	}
}
