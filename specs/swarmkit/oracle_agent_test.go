package swarmkit_test

import "slices"

// The agent's actions, from WorkerSpec.

// progress holds ProgressTask's five transitions.
var progress = map[string]string{
	"assigned":  "accepted",
	"accepted":  "preparing",
	"preparing": "ready",
	"ready":     "starting",
	"starting":  "running",
}

func progressTask(_ universe, s oracleState) []oracleState {
	return s.each(func(t *oracleTask) bool {
		to, ok := progress[t.state]
		t.state = to
		return ok && precedesEq(to, t.desired) && s.isUp(t.node)
	})
}

func shutdownComplete(_ universe, s oracleState) []oracleState {
	return s.each(func(t *oracleTask) bool {
		from := t.state
		t.state = "shutdown"
		return (t.desired == "shutdown" || t.desired == "remove") && from == "running" && s.isUp(t.node)
	})
}

func rejectTask(_ universe, s oracleState) []oracleState {
	return s.each(func(t *oracleTask) bool {
		_, before := progress[t.state]
		t.state = "rejected"
		return before && s.isUp(t.node)
	})
}

// containerExit includes the empty subset: on any node that is up it may
// change nothing.
func containerExit(u universe, s oracleState) (out []oracleState) {
	for _, n := range s.presentNodes() {
		if !s.isUp(n) {
			continue
		}
		outcomes := []map[string]oracleTask{{}}
		for _, id := range s.allTasks() {
			t := s.tasks[id]
			if t.node != n || t.state != "running" || u.exits != nil && !u.exits(id) {
				continue
			}
			failed := "failed"
			if t.desired == "shutdown" {
				failed = "shutdown"
			}
			for _, f := range slices.Clone(outcomes) {
				for _, end := range []string{"complete", failed} {
					ended := map[string]oracleTask{}
					for k, v := range f {
						ended[k] = v
					}
					t.state = end
					ended[id] = t
					outcomes = append(outcomes, ended)
				}
			}
		}
		for _, f := range outcomes {
			out = append(out, s.updated(f)...)
		}
	}
	return out
}

func orphanTasks(_ universe, s oracleState) (out []oracleState) {
	for _, n := range s.presentNodes() {
		if s.isUp(n) {
			continue
		}
		f := map[string]oracleTask{}
		for _, id := range s.allTasks() {
			t := s.tasks[id]
			if t.node == n && precedesEq("assigned", t.state) && precedes(t.state, "remove") && t.runnable() {
				t.state = "orphaned"
				f[id] = t
			}
		}
		out = append(out, s.updated(f)...)
	}
	return out
}

func (s oracleState) withNode(n, v string) oracleState {
	next := s.clone()
	next.nodes[n] = v
	return next
}

func workerUp(_ universe, s oracleState) (out []oracleState) {
	for _, n := range s.presentNodes() {
		if !s.isUp(n) {
			out = append(out, s.withNode(n, nodeUp))
		}
	}
	return out
}

func workerDown(_ universe, s oracleState) (out []oracleState) {
	for _, n := range s.presentNodes() {
		if s.isUp(n) {
			out = append(out, s.withNode(n, nodeDown))
		}
	}
	return out
}

// label is an action and the component that performs it.
type label struct{ actor, action string }

var oracleActions = []struct {
	label
	next func(universe, oracleState) []oracleState
}{
	{label{"user", "CreateService"}, createService},
	{label{"user", "UpdateService"}, updateService},
	{label{"user", "RemoveService"}, removeService},
	{label{"orchestrator", "CreateSlot"}, createSlot},
	{label{"orchestrator", "ReplaceTask"}, replaceTask},
	{label{"orchestrator", "RequestRemoval"}, requestRemoval},
	{label{"orchestrator", "CleanupTerminated"}, cleanupTerminated},
	{label{"orchestrator", "RestartTask"}, restartTask},
	{label{"orchestrator", "ReleaseReady"}, releaseReady},
	{label{"orchestrator", "CleanupService"}, cleanupService},
	{label{"allocator", "AllocateTask"}, allocateTask},
	{label{"scheduler", "Scheduler"}, scheduler},
	{label{"agent", "ProgressTask"}, progressTask},
	{label{"agent", "ShutdownComplete"}, shutdownComplete},
	{label{"agent", "OrphanTasks"}, orphanTasks},
	{label{"agent", "WorkerUp"}, workerUp},
	{label{"agent", "RejectTask"}, rejectTask},
	{label{"agent", "ContainerExit"}, containerExit},
	{label{"agent", "WorkerDown"}, workerDown},
	{label{"reaper", "Reaper"}, reaper},
}

type successor struct {
	label
	next oracleState
}

// successors are all steps of Next within the universe, stuttering included.
func (u universe) successors(s oracleState) []successor {
	var all []successor
	for _, a := range oracleActions {
		for _, next := range a.next(u, s) {
			all = append(all, successor{a.label, next})
		}
	}
	return all
}

// reachingUniverse is enough to decide any action from s to s2: whatever an
// action chooses again shows in s2, and only tasks that differ may have exited.
func reachingUniverse(s, s2 oracleState, maxTerminated int) universe {
	u := universe{
		services:      sortedKeys(s2.services),
		taskIDs:       sortedKeys(s2.tasks),
		maxTerminated: maxTerminated,
		exits:         func(id string) bool { return s.tasks[id] != s2.tasks[id] },
	}
	for _, svc := range s2.services {
		u.replicas = append(u.replicas, svc.replicas)
	}
	for _, t := range s2.tasks {
		u.slots = append(u.slots, t.slot)
	}
	slices.Sort(u.replicas)
	slices.Sort(u.slots)
	u.replicas, u.slots = slices.Compact(u.replicas), slices.Compact(u.slots)
	return u
}

// explains returns every action A with A(s, s2), in the order of oracleActions.
func explains(s, s2 oracleState, maxTerminated int) []label {
	var labels []label
	for _, step := range reachingUniverse(s, s2, maxTerminated).successors(s) {
		if step.next.equal(s2) && !slices.Contains(labels, step.label) {
			labels = append(labels, step.label)
		}
	}
	return labels
}
