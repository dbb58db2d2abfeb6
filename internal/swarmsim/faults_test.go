package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestMain lets a run start this program again.
func TestMain(m *testing.M) {
	if !child(os.Args) {
		os.Exit(m.Run())
	}
}

// tracecheckCommand builds the command of the module that this one is part of.
func tracecheckCommand(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tracecheck")
	build := exec.Command("go", "build", "-o", path, "./cmd/tracecheck")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	return path
}

// Each recording shows one fault, or none.
func TestKnownFaults(t *testing.T) {
	tracecheck := tracecheckCommand(t)
	for _, test := range []struct {
		file, deadline string
		want           fault
		count          int
		// spoil takes away what makes the fault, so that it is not known any more.
		spoil func(e *event)
	}{
		{"swarms/none-updown", "10s", removedCount, 1, func(e *event) { replace(e, "restart_condition", "none", "any") }},
		{"swarms/none-overremoval", "", removedCount, 1, func(e *event) { replace(e, "restart_condition", "none", "any") }},
		{"swarms/none-updated", "", removedCount, 2, func(e *event) { replace(e, "restart_condition", "none", "any") }},
		{"swarms/removed-fills", "", removedCount, 1, func(e *event) {
			replace(e, "restart_condition", "none", "any")
			delete(e.Object, "max_attempts")
		}},
		{"swarms/scale-race-212", "15s", lostScaleDown, 1, func(e *event) {
			if e.Kind == "task" && e.Op == "update" && e.Object["desired_state"] == nil {
				e.Kind = "other" // no reports
			}
		}},
		{"swarms/half-slot", "", lostScaleDown, 1, func(e *event) {
			if e.Kind == "task" && e.Op == "update" && e.Object["desired_state"] == nil {
				e.Kind = "other" // no reports
			}
		}},
		{"swarms/half-slot-released", "", lostScaleDown, 1, func(e *event) {
			if e.Kind == "task" && e.Op == "update" && e.text("desired_state") != "remove" {
				e.Kind = "other" // no other writes
			}
		}},
		{"swarms/rf4-two-operations", "", twoOperations, 1, func(e *event) { delete(e.Object, "err") }},
		{"swarms/rf5-global-twice", "", globalTwice, 4, func(e *event) { delete(e.Object, "update_state") }},
		{"swarms/global-twice-again", "", globalTwice, 1, func(e *event) {
			if e.Kind == "node" && e.Op == "update" {
				e.Kind = "other"
			}
		}},
		{"swarms/rf6-reaper-forgets", "60s", reaperForgets, 1, func(e *event) { replace(e, "status", "unknown", "down") }},
		{"swarms/jobs-twice", "", jobsTwice, 1, func(e *event) { replace(e, "status", "unknown", "down") }},
		{"swarms/jobs-twice-replicated", "", jobsTwice, 3, func(e *event) { replace(e, "status", "unknown", "down") }},
		{"swarms/rollback-fills", "", rollbackFills, 5, func(e *event) { replace(e, "update_state", "rollback_started", "updating") }},
		{"swarms/stays-down", "", staysDown, 5, func(e *event) { replace(e, "message", "heartbeat failure", "") }},
		{"swarms/removed-reports", "", removedReports, 1, func(e *event) { replace(e, "role", "manager", "worker") }},
		{"swarms/minutes-wait", "30s", minutesWait, 1, func(e *event) {
			if e.Kind == "task" && e.Op == "delete" {
				e.Kind = "other"
			}
		}},
		{"traces/jobbug", "", endedRejected, 1, func(e *event) { replace(e, "message", "task rejected by constraint enforcer", "no space left") }},
	} {
		t.Run(test.file, func(t *testing.T) {
			path := filepath.Join("..", "..", "testdata", test.file+".jsonl.gz")
			args := []string{"--profile", "moby"}
			if test.deadline != "" {
				args = append(args, "--deadline", test.deadline)
			}
			v, err := judge(tracecheck, path, args...)
			if err != nil {
				t.Fatal(err)
			}
			list, err := readRecording(path)
			if err != nil {
				t.Fatal(err)
			}
			faults, others := list.explain(v.Violations, nil)
			if want := map[fault]int{test.want: test.count}; !maps.Equal(faults, want) || len(others) > 0 {
				t.Errorf("got %v, want %v; others %v", faults, want, others)
			}
			spoilt := spoil(t, list, test.spoil)
			if faults, others = spoilt.explain(v.Violations, nil); len(faults) > 0 || len(others) != len(v.Violations) {
				t.Errorf("without its cause: got %v, others %v", faults, others)
			}
		})
	}
}

func replace(e *event, field, was, is string) {
	if e.text(field) == was {
		e.Object[field] = is
	}
}

// spoil changes each event of a copy.
func spoil(t *testing.T, list recording, f func(*event)) (spoilt recording) {
	t.Helper()
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &spoilt); err != nil {
		t.Fatal(err)
	}
	for i := range spoilt {
		f(&spoilt[i])
	}
	return spoilt
}

// A healthy step is not taken for a fault, whatever rule it is said to break.
func TestHealthyStepsAreNoFaults(t *testing.T) {
	for _, name := range []string{"swarms/rf5-global-twice", "swarms/none-overremoval", "swarms/rf4-two-operations"} {
		list, err := readRecording(filepath.Join("..", "..", "testdata", name+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		faulty := []int{126, 1105, 1373, 1703, 1708, 2967}
		for line := range min(len(list), 400) {
			line++
			if e := list[line-1]; e.Kind != "task" || slices.Contains(faulty, line) {
				continue
			}
			if f := list.known(&violation{Kind: "transition", Rule: "Next", Line: line, FirstLine: line, LastLine: line}); f != unknown {
				t.Errorf("%s:%d: %s", name, line, f)
			}
		}
	}
}

// The constraint enforcer's doing is no second operation, though the task had an
// operation that was tried again.
func TestEnforcerAfterRetry(t *testing.T) {
	update := func(object map[string]any) event { return event{Kind: "task", Op: "update", ID: "t", Object: object} }
	list := recording{
		{Kind: "task", Op: "create", ID: "t", Object: map[string]any{"state": "assigned", "desired_state": "running"}},
		update(map[string]any{"state": "preparing", "err": "registry busy"}),
		update(map[string]any{"state": "complete"}),
		update(map[string]any{"state": "rejected", "message": byEnforcer}),
	}
	v := &violation{Kind: "transition", Line: 4, FirstLine: 4, LastLine: 4}
	if f := list.known(v); f != endedRejected {
		t.Errorf("%q, want %q", f, endedRejected)
	}
	list[3].Object["message"] = "finished"
	if f := list.known(v); f != twoOperations {
		t.Errorf("%q, want %q", f, twoOperations)
	}
}

// A slot at rest is removed, because one that is being removed counts.
func TestOverRemovalOfASlotAtRest(t *testing.T) {
	task := func(id string, slot int, state, desired string) event {
		return event{Kind: "task", Op: "create", ID: id, Object: map[string]any{"service": "web", "slot": slot, "state": state, "desired_state": desired}}
	}
	for _, test := range []struct {
		condition string
		replicas  float64
		want      fault
	}{
		{"none", 2, removedCount},
		{"any", 2, unknown},
		{"none", 3, unknown}, // with the slot that is being removed there are not too many
		{"none", 1, unknown}, // without it there are too many
	} {
		list := recording{
			{Kind: "service", Op: "create", ID: "web", Object: map[string]any{"replicas": test.replicas, "restart_condition": test.condition}},
			task("a", 1, "running", "running"),
			task("b", 2, "complete", "shutdown"),
			task("c", 3, "running", "remove"),
			{Kind: "task", Op: "update", ID: "b", Object: map[string]any{"desired_state": "remove"}},
		}
		if f := list.known(&violation{Kind: "transition", Line: 5, FirstLine: 5, LastLine: 5}); f != test.want {
			t.Errorf("%+v: %q", test, f)
		}
		// A snapshot may list an earlier task of the slot behind it.
		for i := range list[:4] {
			list[i].Op, list[i].Object["spec_version"] = "snapshot", 2.0
		}
		old := task("d", 2, "shutdown", "shutdown")
		old.Op, old.Object["spec_version"] = "snapshot", 1.0
		list = slices.Insert(list, 4, old)
		if f := list.known(&violation{Kind: "transition", Line: 6, FirstLine: 6, LastLine: 6}); f != test.want {
			t.Errorf("%+v, from a snapshot: %q", test, f)
		}
	}
}

// A removal too many marks a slot but for a task that a report has changed since the scale-down.
func TestOverRemovalThatLosesToAReport(t *testing.T) {
	task := func(id string, slot int, desired string) event {
		return event{Kind: "task", Op: "create", ID: id, Object: map[string]any{"service": "web", "slot": slot, "state": "starting", "desired_state": desired}}
	}
	update := func(kind, id, field string, to any) event {
		return event{Kind: kind, Op: "update", ID: id, Object: map[string]any{field: to}}
	}
	for _, test := range []struct {
		reported, condition string
		want                fault
	}{
		{"b", "none", removedCount},
		{"a", "none", unknown},
		{"b", "any", unknown},
	} {
		list := recording{
			{Kind: "service", Op: "create", ID: "web", Object: map[string]any{"replicas": 3.0, "restart_condition": test.condition}},
			task("a", 1, "running"),
			task("b", 2, "running"),
			task("c", 2, "running"),
			task("d", 3, "remove"),
			update("service", "web", "replicas", 2.0),
			update("task", test.reported, "state", "running"),
			update("task", "c", "desired_state", "remove"),
		}
		if f := list.known(&violation{Kind: "transition", Line: 8, FirstLine: 8, LastLine: 8}); f != test.want {
			t.Errorf("%+v: %q", test, f)
		}
	}
}

// Whether a task restarts goes by the spec that made it, not by the service's latest.
func TestOverRemovalByTheTasksOwnSpec(t *testing.T) {
	task := func(id string, slot int, state, desired string) event {
		return event{Kind: "task", Op: "create", ID: id, Object: map[string]any{"service": "web", "slot": slot, "state": state, "desired_state": desired, "spec_version": 1.0}}
	}
	for _, test := range []struct {
		own, latest string
		want        fault
	}{
		{"none", "any", removedCount},
		{"any", "none", unknown},
	} {
		list := recording{
			{Kind: "service", Op: "create", ID: "web", Object: map[string]any{"replicas": 1.0, "restart_condition": test.own, "spec_version": 1.0}},
			task("a", 1, "running", "running"),
			task("b", 2, "running", "remove"),
			{Kind: "service", Op: "update", ID: "web", Object: map[string]any{"restart_condition": test.latest, "spec_version": 2.0}},
			{Kind: "task", Op: "update", ID: "a", Object: map[string]any{"desired_state": "remove"}},
		}
		if f := list.known(&violation{Kind: "transition", Line: 5, FirstLine: 5, LastLine: 5}); f != test.want {
			t.Errorf("%+v: %q", test, f)
		}
	}
}

// A spec of before the recording restarts tasks as the first one does that it shows.
func TestPolicyOfASpecThatIsNotShown(t *testing.T) {
	list := recording{
		{Kind: "service", Op: "snapshot", ID: "web", Object: map[string]any{"restart_condition": "none", "spec_version": 5.0}},
		{Kind: "service", Op: "update", ID: "web", Object: map[string]any{"restart_condition": "any", "spec_version": 7.0}},
	}
	web := list.before(3).service("web")
	for version, want := range map[any]string{3.0: "none", 5.0: "none", 6.0: "any", 7.0: "any", 9.0: "any", nil: "any"} {
		task := &record{event: event{Object: map[string]any{"spec_version": version}}}
		if p := web.policyOf(task); p.condition != want {
			t.Errorf("spec_version %v: %q, want %q", version, p.condition, want)
		}
	}
}

// The second operation may reject a task that the first one has started.
func TestRejectedWhileRunning(t *testing.T) {
	update := func(object map[string]any) event { return event{Kind: "task", Op: "update", ID: "t", Object: object} }
	for _, test := range []struct {
		retried, message string
		want             fault
	}{
		{"registry busy", "preparing", twoOperations},
		{"", "preparing", unknown},
		{"registry busy", byEnforcer, unknown},
	} {
		list := recording{
			{Kind: "task", Op: "create", ID: "t", Object: map[string]any{"state": "assigned", "desired_state": "running"}},
			update(map[string]any{"state": "preparing", "err": test.retried}),
			update(map[string]any{"state": "running", "err": nil}),
			update(map[string]any{"state": "rejected", "message": test.message, "err": "the image does not exist"}),
		}
		if f := list.known(&violation{Kind: "transition", Line: 4, FirstLine: 4, LastLine: 4}); f != test.want {
			t.Errorf("%+v: %q", test, f)
		}
	}
}

// A change of the desired state cancels the operation that waits for the container. It is tried
// again a second later, beside what the next change has started.
func TestMarkedTwiceWhileRunning(t *testing.T) {
	for between, want := range map[time.Duration]fault{time.Second: twoOperations, time.Minute: unknown} {
		at := time.Unix(1, 0)
		update := func(field, value string) event {
			return event{Time: at, Kind: "task", Op: "update", ID: "t", Object: map[string]any{field: value}}
		}
		list := recording{
			{Time: at, Kind: "task", Op: "create", ID: "t", Object: map[string]any{"state": "running", "desired_state": "running"}},
			update("desired_state", "shutdown"),
		}
		at = at.Add(between)
		list = append(list, update("desired_state", "remove"), update("state", "shutdown"), update("state", "failed"))
		if f := list.known(&violation{Kind: "transition", Line: 5, FirstLine: 5, LastLine: 5}); f != want {
			t.Errorf("%s: %q, want %q", between, f, want)
		}
	}
}

// An update continues if the same spec is sent again, which clears its state. It also
// continues until another spec is read.
func TestGlobalTwiceOfOneSpec(t *testing.T) {
	at := func(seconds int) time.Time { return time.Date(2026, 11, 20, 10, 0, seconds, 0, time.UTC) }
	for _, test := range []struct {
		begin  string         // the service's first line
		change map[string]any // of the service, in the update
		spec   float64        // of the task that exists
		image  string         // of this task
		want   fault
	}{
		{"create", map[string]any{"spec_version": 7.0, "update_state": nil, "update_message": nil}, 7, "two", globalTwice},
		{"create", map[string]any{"spec_version": 7.0, "update_state": nil}, 7, "one", unknown},
		{"create", map[string]any{"spec_version": 7.0, "update_state": nil, "image": "two"}, 7, "two", unknown},
		{"create", map[string]any{"spec_version": 7.0, "update_state": nil, "image": "one"}, 5, "two", globalTwice},
		{"create", map[string]any{"update_state": "completed"}, 7, "two", unknown},
		{"snapshot", map[string]any{}, 7, "two", globalTwice},
		{"snapshot", map[string]any{"update_state": "completed"}, 7, "two", unknown},
	} {
		web := map[string]any{"replicas": "global", "spec_version": 5.0, "update_state": "updating"}
		if test.begin == "snapshot" {
			web = map[string]any{"replicas": "global", "spec_version": 7.0}
		}
		task := func(version float64, image string) map[string]any {
			return map[string]any{"service": "web", "slot": "global", "node": "n", "state": "new", "desired_state": "ready", "spec_version": version, "image": image}
		}
		list := recording{
			{at(1), "service", test.begin, "web", web},
			{at(2), "service", "update", "web", test.change},
			{at(3), "node", "update", "n", map[string]any{}},
			{at(3), "task", "create", "a", task(test.spec, test.image)},
			{at(9), "task", "create", "b", task(5, "two")},
		}
		if f := list.known(&violation{Kind: "transition", Line: 5, FirstLine: 5, LastLine: 5}); f != test.want {
			t.Errorf("%+v: %q", test, f)
		}
	}
}

// An update may be in the middle of a slot when it ends.
func TestGlobalTwiceAsTheUpdateEnds(t *testing.T) {
	at := func(milliseconds int) time.Time { return time.UnixMilli(int64(1e12 + milliseconds)) }
	task := map[string]any{"service": "web", "slot": "global", "node": "n", "state": "new", "desired_state": "ready", "spec_version": 5.0}
	for after, want := range map[int]fault{900: globalTwice, 1100: unknown} {
		list := recording{
			{at(0), "service", "create", "web", map[string]any{"replicas": "global", "spec_version": 5.0, "update_state": "updating"}},
			{at(0), "node", "update", "n", map[string]any{}},
			{at(0), "task", "create", "a", task},
			{at(0), "service", "update", "web", map[string]any{"update_state": "paused"}},
			{at(after), "task", "create", "b", task},
		}
		if f := list.known(&violation{Kind: "transition", Line: 5, FirstLine: 5, LastLine: 5}); f != want {
			t.Errorf("%d ms: %q", after, f)
		}
	}
}

// A run with more tasks than the job needs gets another one in its first slot.
func TestJobsTwiceBeyondTheReplicas(t *testing.T) {
	task := func(slot int, state string) map[string]any {
		return map[string]any{"service": "job", "slot": float64(slot), "state": state, "desired_state": "complete", "job_iteration": 0.0}
	}
	for _, test := range []struct {
		leads, last string
		slot        int
		want        fault
	}{
		{"unknown", "running", 1, jobsTwice},
		{"ready", "running", 1, unknown},
		{"unknown", "failed", 1, jobsTwice}, // it is wanted, so it counts
		{"unknown", "running", 2, jobsTwice},
		{"unknown", "complete", 2, unknown},
	} {
		list := recording{
			{Kind: "service", Op: "create", ID: "job", Object: map[string]any{"replicas": 2.0, "mode": "replicated-job", "job_iteration": 0.0}},
			{Kind: "node", Op: "update", ID: "n", Object: map[string]any{"status": test.leads}},
			{Kind: "task", Op: "create", ID: "a", Object: task(1, "complete")},
			{Kind: "task", Op: "create", ID: "b", Object: task(1, "complete")},
			{Kind: "task", Op: "create", ID: "c", Object: task(2, test.last)},
			{Kind: "task", Op: "create", ID: "d", Object: task(test.slot, "new")},
		}
		if f := list.known(&violation{Kind: "transition", Line: 6, FirstLine: 6, LastLine: 6}); f != test.want {
			t.Errorf("%+v: %q", test, f)
		}
	}
	list := recording{
		{Kind: "service", Op: "create", ID: "job", Object: map[string]any{"replicas": 2.0, "mode": "replicated-job", "job_iteration": 0.0}},
		{Kind: "node", Op: "update", ID: "n", Object: map[string]any{"status": "unknown"}},
		{Kind: "task", Op: "create", ID: "a", Object: task(1, "complete")},
		{Kind: "task", Op: "create", ID: "b", Object: task(2, "running")},
		{Kind: "task", Op: "create", ID: "c", Object: task(1, "new")},
	}
	if f := list.known(&violation{Kind: "transition", Line: 5, FirstLine: 5, LastLine: 5}); f != unknown {
		t.Errorf("no more tasks than the job needs: %q", f)
	}
}

// A task that the play has removed is known, and no other deletion is.
func TestRemovedTasks(t *testing.T) {
	play := filepath.Join(t.TempDir(), playFile)
	if err := os.WriteFile(play, []byte("12:00:00.000 "+removesTask+" t1\n12:00:01.000 removetask: t2 not found\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	removed, err := removedTasks(play)
	if err != nil {
		t.Fatal(err)
	}
	list := recording{
		{Kind: "task", Op: "delete", ID: "t1"}, {Kind: "task", Op: "delete", ID: "t2"},
		{Kind: "task", Op: "update", ID: "t1"}, {Kind: "service", Op: "delete", ID: "t1"},
	}
	var all []violation
	for i := range list {
		all = append(all, violation{Kind: "transition", Rule: "Next", Line: i + 1, FirstLine: i + 1, LastLine: i + 1})
	}
	faults, others := list.explain(all, removed)
	if want := map[fault]int{removedByAPI: 1}; !maps.Equal(faults, want) || len(others) != 3 {
		t.Errorf("got %v, want %v; others %v", faults, want, others)
	}
}

func TestObligation(t *testing.T) {
	for message, want := range map[string]obligation{
		"service s1 waits for RequestRemoval since a/rec.jsonl.gz:7, 31s: longer":                             {"s1", "", "RequestRemoval", 7},
		"service s1, slot 21, waits for CleanupTerminated since rec.jsonl.gz:8, 31s: longer":                  {"s1", "21", "CleanupTerminated", 8},
		"service s1, the slot of node n1, waits for CleanupTerminated since rec.jsonl.gz:9, 31s: longer than": {"s1", "n1", "CleanupTerminated", 9},
	} {
		v := violation{Kind: "liveness", Message: message}
		if o := v.obligation(); o == nil || *o != want {
			t.Errorf("%q: %v, want %v", message, o, want)
		}
	}
}
