package swarmkit

import (
	"fmt"
	"testing"

	"tracecheck/validators"
)

// TestMixedSteps: steps in which some vslots hinder others unless each takes
// the way that the others leave it. Each is a run of actions that the comment
// gives, and is found without a search over all vslots at once: that would need
// far more than the budget.
func TestMixedSteps(t *testing.T) {
	const budget = 5_000
	node := func(op, id, state string) string {
		return fmt.Sprintf(`{"kind":"node","op":%q,"id":%q,"object":{"state":%q}}`, op, id, state)
	}
	service := func(op, id string, replicas int) string {
		return fmt.Sprintf(`{"kind":"service","op":%q,"id":%q,"object":{"replicas":%d,"remove":false}}`, op, id, replicas)
	}
	task := func(op, id string, slot int, node, state, desired string) string {
		return taskLine(op, id, fmt.Sprintf(`"service":"web","slot":%d,"node":%q,"state":%q,"desired_state":%q`, slot, node, state, desired))
	}
	gone := func(id string) string { return fmt.Sprintf(`{"kind":"task","op":"delete","id":%q}`, id) }
	by := func(action, line string) string { return fmt.Sprintf(`{"action":%q,%s`, action, line[1:]) }
	// Others of another service, which run on: so many that no search over all finds an end.
	begin := []string{service("snapshot", "other", 6)}
	var others []string
	for i := range 6 {
		begin = append(begin, taskLine("snapshot", fmt.Sprintf("o%d", i), fmt.Sprintf(
			`"service":"other","slot":%d,"node":"n9","state":"assigned","desired_state":"running"`, i+1)))
		others = append(others, taskLine("update", fmt.Sprintf("o%d", i), `"state":"running"`))
	}
	begin = append(begin, node("snapshot", "n9", "up"))

	for name, c := range map[string]struct{ begin, step []string }{
		// ReplaceTask t3, RequestRemoval of t2's slot, which needs one more that is
		// wanted, Reaper t1; ShutdownComplete and Reaper t2.
		"replaced before it is reaped": {
			[]string{node("snapshot", "n1", "up"), service("snapshot", "web", 1),
				task("snapshot", "t1", 1, "n1", "orphaned", "running"), task("snapshot", "t2", 2, "n1", "running", "running")},
			[]string{task("create", "t3", 1, "", "pending", "running"), gone("t1"), gone("t2")},
		},
		// Scheduler t1, OrphanTasks (t1, t2), then Scheduler t3.
		"one comes to be orphaned, one after that": {
			[]string{node("snapshot", "n1", "down"), service("snapshot", "web", 3),
				task("snapshot", "t3", 3, "", "pending", "running"), task("snapshot", "t1", 1, "", "pending", "running"),
				task("snapshot", "t2", 2, "n1", "running", "running"), task("snapshot", "t4", 4, "", "pending", "running")},
			[]string{taskLine("update", "t3", `"state":"assigned","node":"n1"`), taskLine("update", "t1", `"state":"orphaned","node":"n1"`),
				taskLine("update", "t2", `"state":"orphaned"`), taskLine("update", "t4", `"state":"orphaned","node":"n1"`)},
		},
		// WorkerDown, OrphanTasks (t1, t2, t3), ReplaceTask t5, t6, Reaper t1, t2.
		"a node goes down with all that it has": {
			[]string{node("snapshot", "n1", "up"), service("snapshot", "web", 3),
				task("snapshot", "t1", 1, "n1", "running", "running"), task("snapshot", "t2", 2, "n1", "starting", "running"),
				task("snapshot", "t3", 3, "n1", "running", "running")},
			[]string{node("update", "n1", "down"), gone("t1"), gone("t2"), taskLine("update", "t3", `"state":"orphaned"`),
				task("create", "t5", 2, "", "pending", "running"), task("create", "t6", 3, "", "new", "running")},
		},
		// Scheduler t1, OrphanTasks t1, Reaper t1, WorkerUp; Scheduler t2.
		"a node comes up without what was orphaned": {
			[]string{node("snapshot", "n1", "down"), service("snapshot", "web", 2),
				task("snapshot", "t1", 1, "", "pending", "running"), task("snapshot", "t2", 2, "", "pending", "running")},
			[]string{gone("t1"), taskLine("update", "t2", `"state":"assigned","node":"n1"`), node("update", "n1", "up")},
		},
		// WorkerDown, OrphanTasks (t2, t6), RemoveService, Reaper t3, t4, t5.
		"orphaned and flagged": {
			[]string{node("snapshot", "n1", "up"), service("snapshot", "web", 2), task("snapshot", "t1", 1, "n9", "complete", "running"),
				task("snapshot", "t2", 1, "n1", "running", "running"), task("snapshot", "t3", 1, "n9", "failed", "running"),
				task("snapshot", "t4", 1, "n9", "failed", "running"), task("snapshot", "t5", 1, "n9", "failed", "running"),
				task("snapshot", "t6", 2, "n1", "running", "running"), task("snapshot", "t7", 3, "n9", "running", "running")},
			[]string{node("update", "n1", "down"), by("RemoveService", taskLine("update", "t1", `"desired_state":"remove"`)),
				by("OrphanTasks", taskLine("update", "t2", `"desired_state":"remove","state":"orphaned"`)),
				by("Reaper", gone("t3")), by("Reaper", gone("t4")), by("Reaper", gone("t5")),
				by("RemoveService", taskLine("update", "t6", `"desired_state":"remove","state":"orphaned"`)),
				by("RemoveService", taskLine("update", "t7", `"desired_state":"remove"`)),
				`{"kind":"service","op":"update","id":"web","object":{"remove":true}}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if found := judgeAll(t, budget, append(c.begin, begin...), append(c.step, others...)); len(found) > 0 {
				t.Errorf("%+v", found)
			}
		})
	}

	// The same with one task left out of the orphaned is not a step.
	t.Run("one left out", func(t *testing.T) {
		found := judgeAll(t, validators.DefaultBudget, []string{node("snapshot", "n1", "up"), service("snapshot", "web", 3),
			task("snapshot", "t1", 1, "n1", "running", "running"), task("snapshot", "t2", 2, "n1", "starting", "running"),
			task("snapshot", "t3", 3, "n1", "running", "running")},
			[]string{node("update", "n1", "down"), gone("t1"), taskLine("update", "t3", `"state":"orphaned"`)})
		if len(found) != 1 || found[0].Kind != validators.OfTransition {
			t.Errorf("%+v", found)
		}
	})
}
