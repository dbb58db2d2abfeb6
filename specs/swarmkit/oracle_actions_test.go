package swarmkit_test

import "slices"

// universe bounds what the actions may choose. The nodes are the state's.
type universe struct {
	services      []string // ServiceId
	replicas      []int    // of a ServiceSpec, globalMode included if listed
	slots         []int    // Slot
	taskIDs       []string
	maxTerminated int

	// owns says which vslot may use a task id; nil: any.
	owns func(id, service string, vslot any) bool
	// exits bounds the subsets of ContainerExit to these tasks; nil: all.
	exits func(id string) bool
}

// specs is ServiceSpec.
func (u universe) specs() []oracleService {
	var specs []oracleService
	for _, n := range u.replicas {
		for _, spec := range []oracleService{{n, false}, {n, true}} {
			if spec.typed() {
				specs = append(specs, spec)
			}
		}
	}
	return specs
}

// unusedIDs is UnusedId. A trace's ids are unique by themselves, so an id in
// use anywhere is used.
func (u universe) unusedIDs(s oracleState, sid string, vslot any) []string {
	var ids []string
	for _, id := range u.taskIDs {
		if _, used := s.tasks[id]; !used && (u.owns == nil || u.owns(id, sid, vslot)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// unusedVSlots is UnusedVSlot.
func (u universe) unusedVSlots(s oracleState, sid string) []any {
	var all []any
	if s.services[sid].replicas == globalMode {
		for _, n := range s.presentNodes() {
			all = append(all, n)
		}
	} else {
		for _, slot := range u.slots {
			if slot >= 1 {
				all = append(all, slot)
			}
		}
	}
	used := s.vslotsOf(sid)
	return slices.DeleteFunc(all, func(v any) bool { return slices.Contains(used, v) })
}

func newTask(sid string, vslot any, desired string) oracleTask {
	t := oracleTask{service: sid, slot: globalMode, state: "new", desired: desired}
	switch v := vslot.(type) {
	case int:
		t.slot = v
	case string:
		t.node = v
	}
	return t
}

// withTask is tasks' = tasks \union {t}.
func (s oracleState) withTask(id string, t oracleTask) oracleState {
	next := s.clone()
	next.tasks[id] = t
	return next
}

// desire updates the tasks of the set to the desired state.
func (s oracleState) desire(set taskSet, desired string) []oracleState {
	f := map[string]oracleTask{}
	for _, id := range set {
		t := s.tasks[id]
		t.desired = desired
		f[id] = t
	}
	return s.updated(f)
}

// updated is the successor of an UpdateTasks, or none.
func (s oracleState) updated(f map[string]oracleTask) []oracleState {
	if next, ok := s.updateTasks(f); ok {
		return []oracleState{next}
	}
	return nil
}

// each is what becomes of one task each: do changes it, and says whether it may.
func (s oracleState) each(do func(*oracleTask) bool) (out []oracleState) {
	for _, id := range s.allTasks() {
		if t := s.tasks[id]; do(&t) {
			out = append(out, s.updated(map[string]oracleTask{id: t})...)
		}
	}
	return out
}

// User

func createService(u universe, s oracleState) (out []oracleState) {
	for _, sid := range u.services {
		if _, used := s.services[sid]; used {
			continue
		}
		for _, spec := range u.specs() {
			if !spec.remove {
				next := s.clone()
				next.services[sid] = spec
				out = append(out, next)
			}
		}
	}
	return out
}

func updateService(u universe, s oracleState) (out []oracleState) {
	for _, sid := range sortedKeys(s.services) {
		old := s.services[sid]
		for _, spec := range u.specs() {
			sameMode := (old.replicas == globalMode) == (spec.replicas == globalMode)
			if !old.remove && !spec.remove && sameMode {
				next := s.clone()
				next.services[sid] = spec
				out = append(out, next)
			}
		}
	}
	return out
}

func removeService(_ universe, s oracleState) (out []oracleState) {
	for _, sid := range sortedKeys(s.services) {
		for _, next := range s.desire(s.tasksOf(sid), "remove") {
			svc := next.services[sid]
			svc.remove = true
			next.services[sid] = svc
			out = append(out, next)
		}
	}
	return out
}

// Orchestrator

func createSlot(u universe, s oracleState) (out []oracleState) {
	for _, sid := range sortedKeys(s.services) {
		svc := s.services[sid]
		if svc.remove || svc.replicas != globalMode && svc.replicas <= len(s.vslotsOf(sid)) {
			continue
		}
		for _, vslot := range u.unusedVSlots(s, sid) {
			for _, id := range u.unusedIDs(s, sid, vslot) {
				out = append(out, s.withTask(id, newTask(sid, vslot, "running")))
			}
		}
	}
	return out
}

func replaceTask(u universe, s oracleState) (out []oracleState) {
	for _, sid := range sortedKeys(s.services) {
		for _, vslot := range s.vslotsOf(sid) {
			inSlot := s.tasksOfVSlot(sid, vslot)
			alive := s.where(inSlot, oracleTask.runnable)
			kept := s.where(inSlot, func(t oracleTask) bool { return t.desired != "remove" })
			if len(alive) > 0 || len(kept) == 0 {
				continue
			}
			for _, id := range u.unusedIDs(s, sid, vslot) {
				out = append(out, s.withTask(id, newTask(sid, vslot, "running")))
			}
		}
	}
	return out
}

// requestRemoval chooses t.slot, not VSlot(t): where that is `global' no task
// of the vslot `global' exists, and the step changes nothing.
func requestRemoval(_ universe, s oracleState) (out []oracleState) {
	for _, sid := range sortedKeys(s.services) {
		current := s.where(s.tasksOf(sid), func(t oracleTask) bool {
			return t.runnable() && precedesEq(t.desired, "running")
		})
		replicas := s.services[sid].replicas
		if replicas == globalMode || replicas >= len(current) {
			continue
		}
		for _, id := range current {
			out = append(out, s.desire(s.tasksOfVSlot(sid, s.tasks[id].slot), "remove")...)
		}
	}
	return out
}

func cleanupTerminated(u universe, s oracleState) (out []oracleState) {
	for _, sid := range sortedKeys(s.services) {
		for _, vslot := range s.vslotsOf(sid) {
			terminated := s.where(s.tasksOfVSlot(sid, vslot), func(t oracleTask) bool {
				return slices.Contains([]string{"complete", "shutdown", "failed", "rejected"}, t.state)
			})
			if len(terminated) <= u.maxTerminated {
				continue
			}
			for _, id := range terminated {
				out = append(out, s.desire(taskSet{id}, "remove")...)
			}
		}
	}
	return out
}

func restartTask(u universe, s oracleState) (out []oracleState) {
	for _, oldID := range s.allTasks() {
		old := s.tasks[oldID]
		if !old.runnable() || !precedes(old.desired, "shutdown") {
			continue
		}
		for _, newID := range u.unusedIDs(s, old.service, old.vslot()) {
			next := s.withTask(newID, newTask(old.service, old.vslot(), "ready"))
			stopped := old
			stopped.desired = "shutdown"
			next.tasks[oldID] = stopped
			out = append(out, next)
		}
	}
	return out
}

func releaseReady(_ universe, s oracleState) (out []oracleState) {
	for _, id := range s.allTasks() {
		t := s.tasks[id]
		alive := s.where(s.tasksOfVSlot(t.service, t.vslot()), oracleTask.runnable)
		others := slices.DeleteFunc(alive, func(other string) bool { return other == id })
		if t.desired == "ready" && t.state == "ready" && len(others) == 0 {
			out = append(out, s.desire(taskSet{id}, "running")...)
		}
	}
	return out
}

func cleanupService(_ universe, s oracleState) (out []oracleState) {
	for _, sid := range sortedKeys(s.services) {
		if s.services[sid].remove && len(s.tasksOf(sid)) == 0 {
			next := s.clone()
			delete(next.services, sid)
			out = append(out, next)
		}
	}
	return out
}

// Allocator, Scheduler, Reaper

func allocateTask(_ universe, s oracleState) []oracleState {
	return s.each(func(t *oracleTask) bool {
		from := t.state
		t.state = "pending"
		return from == "new"
	})
}

func scheduler(_ universe, s oracleState) (out []oracleState) {
	for _, id := range s.allTasks() {
		t := s.tasks[id]
		if t.state != "pending" {
			continue
		}
		candidates := []string{t.node}
		if t.node == "" {
			candidates = s.presentNodes()
		}
		for _, n := range candidates {
			t.state, t.node = "assigned", n
			out = append(out, s.updated(map[string]oracleTask{id: t})...)
		}
	}
	return out
}

func reaper(_ universe, s oracleState) (out []oracleState) {
	for _, id := range s.allTasks() {
		t := s.tasks[id]
		unowned := precedes(t.state, "assigned") || !t.runnable()
		if t.desired == "remove" && unowned || t.state == "orphaned" {
			next := s.clone()
			delete(next.tasks, id)
			out = append(out, next)
		}
	}
	return out
}
