package workerimpl

import (
	"fmt"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

// events decodes lines, numbered from 1.
func events(t testing.TB, lines []string) []trace.Event {
	t.Helper()
	var d trace.Decoder
	list := make([]trace.Event, len(lines))
	for i, line := range lines {
		if err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &list[i]); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return list
}

func machineOf(t testing.TB, c validators.Config, snapshots []string) *machine {
	t.Helper()
	v, err := newMachine(c)
	if err != nil {
		t.Fatal(err)
	}
	list := events(t, snapshots)
	for i := range list {
		v.Snapshot(&list[i])
	}
	if found := v.SnapshotsEnd(); len(found) > 0 {
		t.Fatal(found)
	}
	return v.(*machine)
}

const (
	nodeLine      = `{"kind":"node","op":%q,"id":%q,"object":{"state":%q}}`
	containerLine = `{"kind":"container","op":%q,"id":%q,"object":{"node":%q,"state":%q}}`
	taskLine      = `{"kind":"task","op":%q,"id":%q,"object":{"service":"web","slot":%d,"node":%q,"state":%q,"desired_state":%q}}`
)

// cluster is a snapshot of nodes with tasks that run on them, and of the steps
// in which all of them are to change at once.
func cluster(nodes, tasks int, step func(id string, i int, node string) []string) (snapshots, lines []string) {
	for n := range nodes {
		snapshots = append(snapshots, fmt.Sprintf(nodeLine, "snapshot", fmt.Sprint("n", n), "up"))
	}
	for i := range tasks {
		id, node := fmt.Sprint("t", i), fmt.Sprint("n", i%nodes)
		snapshots = append(snapshots,
			fmt.Sprintf(taskLine, "snapshot", id, i+1, node, "running", "running"),
			fmt.Sprintf(containerLine, "snapshot", id, node, "running"))
		lines = append(lines, step(id, i, node)...)
	}
	return snapshots, lines
}

// TestLargeBatches: the search tries a bounded number of actions for each
// object of a step, however many there are, whether or not it is explained.
func TestLargeBatches(t *testing.T) {
	update := func(kind, id, claims, fields string) string {
		return fmt.Sprintf(`{"kind":%q,"op":"update","id":%q,%s"object":{%s}}`, kind, id, claims, fields)
	}
	for _, c := range []struct {
		name string
		ok   bool
		step func(id string, i int, node string) []string
	}{
		{"stopped", true, func(id string, i int, node string) []string {
			return []string{update("task", id, "", `"state":"shutdown","desired_state":"shutdown"`), update("container", id, "", `"state":"failed"`)}
		}},
		{"claimed", true, func(id string, i int, node string) []string {
			return []string{update("task", id, `"action":"SyncWithManager",`, `"state":"failed"`), update("container", id, `"action":"WorkerReboot",`, `"state":"failed"`)}
		}},
		{"claimed in vain", false, func(id string, i int, node string) []string {
			claim := ""
			if i > 3 && i%1000 == 3 {
				claim = `"action":"RejectTask",`
			}
			return []string{update("task", id, claim, `"state":"failed"`), update("container", id, "", `"state":"failed"`)}
		}},
		{"removed", true, func(id string, i int, node string) []string {
			return []string{fmt.Sprintf(`{"kind":"task","op":"delete","id":%q}`, id), fmt.Sprintf(`{"kind":"container","op":"delete","id":%q}`, id)}
		}},
		{"other mode", true, func(id string, i int, node string) []string {
			return []string{
				fmt.Sprintf(`{"kind":"task","op":"delete","id":%q}`, id), fmt.Sprintf(`{"kind":"container","op":"delete","id":%q}`, id),
				fmt.Sprintf(`{"kind":"task","op":"create","id":"g%d","object":{"service":"web","slot":"global","node":%q,"state":"ready","desired_state":"running"}}`, i, node),
			}
		}},
		{"both modes", false, func(id string, i int, node string) []string {
			return []string{
				fmt.Sprintf(taskLine, "create", fmt.Sprint("s", i), i+1, "", "new", "running"),
				fmt.Sprintf(`{"kind":"task","op":"create","id":"g%d","object":{"service":"web","slot":"global","node":%q,"state":"ready","desired_state":"running"}}`, i, node),
			}
		}},
		{"one runs again", false, func(id string, i int, node string) []string {
			if i == 1000 {
				return []string{update("task", id, "", `"state":"starting"`)}
			}
			return []string{update("task", id, "", `"state":"complete"`), update("container", id, "", `"state":"complete"`)}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			const nodes, tasks = 60, 3000
			snapshots, lines := cluster(nodes, tasks, c.step)
			m := machineOf(t, validators.Config{Steps: validators.Batched, Budget: 100 * tasks}, snapshots)
			found, judged, err := m.Step(&trace.Step{Events: events(t, lines)})
			if err != nil || !judged {
				t.Fatalf("judged %v: %v", judged, err)
			}
			if ok := len(found) == 0; ok != c.ok {
				t.Fatalf("conforms %v, want %v: %+v", ok, c.ok, found)
			}
			// One action of the worker that tells may be many tasks'; the others'
			// tasks change one by one.
			if names := m.Explanation(); c.ok && len(names) < tasks-tasks/nodes {
				t.Errorf("%d tasks change by %d actions", tasks, len(names))
			}
		})
	}
}

// TestBudget: a search that runs out says so, and what to do.
func TestBudget(t *testing.T) {
	snapshots, lines := cluster(2, 4, func(id string, i int, node string) []string {
		return []string{fmt.Sprintf(`{"kind":"task","op":"delete","id":%q}`, id), fmt.Sprintf(`{"kind":"container","op":"delete","id":%q}`, id)}
	})
	m := machineOf(t, validators.Config{Steps: validators.Batched, Budget: 10}, snapshots)
	_, _, err := m.Step(&trace.Step{Events: events(t, lines)})
	unfit, ok := err.(*trace.Error)
	if !ok || unfit.Pos.Line != 1 {
		t.Fatalf("got %v, want the step to be unusable", err)
	}
	const want = "line 1: the step of lines 1 to 8 changes 8 objects, and the search for a sequence of actions ended after 10 tries: raise --budget"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

// TestConformingStepsDoNotAllocate: nor does their cost grow with what exists.
func TestConformingStepsDoNotAllocate(t *testing.T) {
	snapshots, _ := cluster(3, 300, func(string, int, string) []string { return nil })
	for _, steps := range []validators.Steps{validators.Atomic, validators.Batched} {
		m := machineOf(t, validators.Config{Steps: steps, Budget: 1000}, snapshots)
		list := events(t, []string{
			`{"kind":"task","op":"update","id":"t1","object":{"desired_state":"shutdown"}}`,
			`{"kind":"container","op":"update","id":"t1","object":{"state":"terminating"}}`,
			`{"kind":"container","op":"update","id":"t1","object":{"state":"failed"}}`,
			`{"kind":"task","op":"update","id":"t1","object":{"state":"shutdown"}}`,
			`{"kind":"node","op":"update","id":"n2","object":{"state":"down"}}`,
			`{"kind":"node","op":"update","id":"n2","object":{"state":"up"}}`,
			`{"kind":"task","op":"update","id":"t2","object":{"state":"running"}}`,
		})
		back := events(t, []string{
			fmt.Sprintf(taskLine, "snapshot", "t1", 2, "n1", "running", "running"),
			fmt.Sprintf(containerLine, "snapshot", "t1", "n1", "running"),
		})
		one := trace.Step{Events: make([]trace.Event, 1)}
		round := func() {
			for i := range list {
				one.Events[0] = list[i]
				if found, judged, err := m.Step(&one); len(found) > 0 || !judged || err != nil {
					t.Fatalf("line %d: %+v %v %v", i+1, found, judged, err)
				}
			}
			for i := range back {
				m.Snapshot(&back[i])
			}
		}
		if n := testing.AllocsPerRun(100, round); n > 0 {
			t.Errorf("%s: %d conforming steps allocate %.1f times", steps, len(list), n)
		}
	}
}
