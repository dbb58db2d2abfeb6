package swarmkit

import (
	"fmt"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// judgeAll judges one batched step from a snapshot.
func judgeAll(t *testing.T, budget int, begin []string, step []string) []validators.Finding {
	t.Helper()
	m, err := newMachine(validators.Config{Steps: validators.Batched, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	snapshots := validatorstest.Events(t, begin...)
	for i := range snapshots {
		m.Snapshot(&snapshots[i])
	}
	if found := m.SnapshotsEnd(); len(found) > 0 {
		t.Fatal(found)
	}
	found, _, err := m.Step(&trace.Step{Events: validatorstest.Events(t, step...)})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func taskLine(op, id, object string) string {
	return fmt.Sprintf(`{"kind":"task","op":%q,"id":%q,"object":{%s}}`, op, id, object)
}

func times(n int, f func(i int) string) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = f(i + 1)
	}
	return lines
}

// TestLargeBatchedSteps: steps of thousands of objects are decided within a
// budget of a few actions tried for each, far below one of its square.
func TestLargeBatchedSteps(t *testing.T) {
	const n = 5000
	const budget = 40 * n
	node := `{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`
	service := func(op string, replicas int, remove bool) string {
		return fmt.Sprintf(`{"kind":"service","op":%q,"id":"web","object":{"replicas":%d,"remove":%v}}`, op, replicas, remove)
	}
	task := func(op, state, desired string) func(int) string {
		return func(i int) string {
			node := `"n1"`
			if state == "new" {
				node = `""`
			}
			return taskLine(op, fmt.Sprintf("t%d", i), fmt.Sprintf(
				`"service":"web","slot":%d,"node":%s,"state":%q,"desired_state":%q`, i, node, state, desired))
		}
	}
	update := func(object string) func(int) string {
		return func(i int) string { return taskLine("update", fmt.Sprintf("t%d", i), object) }
	}
	running := append([]string{node, service("snapshot", n, false)}, times(n, task("snapshot", "running", "running"))...)
	empty := func(replicas int) []string { return []string{node, service("snapshot", replicas, false)} }
	flagged := append([]string{node, service("snapshot", n, true)}, times(n, task("snapshot", "failed", "remove"))...)

	for _, c := range []struct {
		name   string
		begin  []string
		step   []string
		wanted bool
	}{
		{"scaled up", empty(n), times(n, task("create", "new", "running")), true},
		{"scaled up in the same step", empty(1), append(times(n, task("create", "new", "running")), service("update", n, false)), true},
		{"scaled up and started", empty(n), times(n, task("create", "running", "running")), true},
		{"one more than wanted", empty(n - 1), times(n, task("create", "new", "running")), false},
		{"scaled down in the same step", running, append(times(n-3, update(`"desired_state":"remove"`)), service("update", 3, false)), true},
		{"one less than wanted", append(append([]string(nil), running...), service("snapshot", 3, false)), times(n-2, update(`"desired_state":"remove"`)), false},
		{"all restarted", running, append(times(n, update(`"desired_state":"shutdown"`)), times(n, func(i int) string {
			return taskLine("create", fmt.Sprintf("u%d", i), fmt.Sprintf(`"service":"web","slot":%d,"node":"","state":"new","desired_state":"ready"`, i))
		})...), true},
		{"one restarted without a successor", running, append(times(n, update(`"desired_state":"shutdown"`)), times(n-1, func(i int) string {
			return taskLine("create", fmt.Sprintf("u%d", i), fmt.Sprintf(`"service":"web","slot":%d,"node":"","state":"new","desired_state":"ready"`, i))
		})...), false},
		{"orphaned", running, append(times(n, update(`"state":"orphaned"`)), `{"kind":"node","op":"update","id":"n1","object":{"state":"down"}}`), true},
		{"one left out of the orphaned", running, append(times(n-1, update(`"state":"orphaned"`)), `{"kind":"node","op":"update","id":"n1","object":{"state":"down"}}`), false},
		{"service removed", running, append(times(n, update(`"desired_state":"remove"`)), service("update", n, true)), true},
		{"one left out of the removed", running, append(times(n-1, update(`"desired_state":"remove"`)), service("update", n, true)), false},
		{"service gone", flagged, append(times(n, func(i int) string {
			return fmt.Sprintf(`{"kind":"task","op":"delete","id":"t%d"}`, i)
		}), `{"kind":"service","op":"delete","id":"web"}`), true},
		{"service gone before its last task", flagged, append(times(n-1, func(i int) string {
			return fmt.Sprintf(`{"kind":"task","op":"delete","id":"t%d"}`, i)
		}), `{"kind":"service","op":"delete","id":"web"}`), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := judgeAll(t, budget, c.begin, c.step)
			if got := len(found) == 0; got != c.wanted {
				t.Errorf("accepted %v, want %v: %.300v", got, c.wanted, found)
			}
			if !c.wanted && found[0].Kind != validators.OfTransition {
				t.Errorf("got %s, want transition", found[0].Kind)
			}
		})
	}
}

// TestSpareNode: a task that is given up on the way is put on a node that no other task
// of the step is on, whichever node comes first.
func TestSpareNode(t *testing.T) {
	begin := []string{
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"down"}}`,
		`{"kind":"node","op":"snapshot","id":"n2","object":{"state":"down"}}`,
		`{"kind":"service","op":"snapshot","id":"web","object":{"replicas":2,"remove":false}}`,
		taskLine("snapshot", "stays", `"service":"web","slot":1,"node":"n1","state":"ready","desired_state":"ready"`),
		taskLine("snapshot", "goes", `"service":"web","slot":2,"node":"","state":"pending","desired_state":"running"`),
	}
	step := []string{taskLine("update", "stays", `"desired_state":"running"`), `{"kind":"task","op":"delete","id":"goes"}`}
	for range 20 { // the order of the nodes differs
		if found := judgeAll(t, 10_000, begin, step); len(found) > 0 {
			t.Fatal(found)
		}
	}
}

// TestBudget: a search that runs out of its budget is no verdict.
func TestBudget(t *testing.T) {
	m, err := newMachine(validators.Config{Steps: validators.Batched, Budget: 3})
	if err != nil {
		t.Fatal(err)
	}
	begin := validatorstest.Events(t,
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		`{"kind":"service","op":"snapshot","id":"web","object":{"replicas":1,"remove":false}}`)
	for i := range begin {
		m.Snapshot(&begin[i])
	}
	m.SnapshotsEnd()
	step := &trace.Step{Events: validatorstest.Events(t,
		taskLine("create", "t1", `"service":"web","slot":1,"node":"n1","state":"running","desired_state":"running"`))}
	if found, _, err := m.Step(step); err == nil {
		t.Errorf("got %v, want an error that names the budget", found)
	}
}

// TestPlacesOfOneSlot: tasks of one slot may be on more nodes than are searched one by one.
func TestPlacesOfOneSlot(t *testing.T) {
	const n = 2 * few
	begin := append([]string{`{"kind":"service","op":"snapshot","id":"web","object":{"replicas":1,"remove":false}}`}, times(n, func(i int) string {
		return fmt.Sprintf(`{"kind":"node","op":"snapshot","id":"n%d","object":{"state":"up"}}`, i)
	})...)
	begin = append(begin, times(n, func(i int) string {
		return taskLine("snapshot", fmt.Sprintf("t%d", i), fmt.Sprintf(`"service":"web","slot":1,"node":"n%d","state":"running","desired_state":"running"`, i))
	})...)
	service := `{"kind":"service","op":"update","id":"web","object":{"replicas":2}}` // else each task goes its way by itself
	exits := func(more string) []string {
		return append([]string{service}, times(n, func(i int) string {
			return taskLine("update", fmt.Sprintf("t%d", i), `"state":"complete"`+more)
		})...)
	}
	if found := judgeAll(t, 10_000, begin, exits("")); len(found) > 0 {
		t.Error(found)
	}
	if found := judgeAll(t, 10_000, begin, exits(`,"node":"n1"`)); len(found) == 0 {
		t.Error("tasks that run go to another node, and no violation is found")
	}
}

// TestBudgetOfOneSlot: the search ends at its budget, also where one state has more moves
// than that.
func TestBudgetOfOneSlot(t *testing.T) {
	const n = 1000
	const budget = 1000
	m, err := newMachine(validators.Config{Steps: validators.Batched, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	begin := validatorstest.Events(t, append([]string{
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		`{"kind":"service","op":"snapshot","id":"web","object":{"replicas":1,"remove":false}}`,
	}, times(n, func(i int) string {
		return taskLine("snapshot", fmt.Sprintf("t%d", i), `"service":"web","slot":1,"node":"n1","state":"running","desired_state":"running"`)
	})...)...)
	for i := range begin {
		m.Snapshot(&begin[i])
	}
	m.SnapshotsEnd()
	step := &trace.Step{Events: validatorstest.Events(t, times(n, func(i int) string {
		return fmt.Sprintf(`{"kind":"task","op":"delete","id":"t%d"}`, i)
	})...)}
	if found, _, err := m.Step(step); err == nil {
		t.Errorf("got %v, want an error that names the budget", found)
	}
	if over := -m.(*machine).batch.left; over > n/10 {
		t.Errorf("the search went on for %d tries after its budget of %d", over, budget)
	}
}
