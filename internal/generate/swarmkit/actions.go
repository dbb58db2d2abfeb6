package swarmkit

import "tracecheck/internal/generate/walk"

// The actions, module by module, as SwarmKit.tla has them. Each does what it
// says and adds it to the step; its guard holds of what it is called with.

var (
	createService     = &walk.Action{Name: "CreateService", Actor: "user"}
	updateService     = &walk.Action{Name: "UpdateService", Actor: "user"}
	removeService     = &walk.Action{Name: "RemoveService", Actor: "user"}
	createSlot        = &walk.Action{Name: "CreateSlot", Actor: "orchestrator"}
	replaceTask       = &walk.Action{Name: "ReplaceTask", Actor: "orchestrator"}
	requestRemoval    = &walk.Action{Name: "RequestRemoval", Actor: "orchestrator"}
	cleanupTerminated = &walk.Action{Name: "CleanupTerminated", Actor: "orchestrator"}
	releaseReady      = &walk.Action{Name: "ReleaseReady", Actor: "orchestrator"}
	cleanupService    = &walk.Action{Name: "CleanupService", Actor: "orchestrator"}
	restartTask       = &walk.Action{Name: "RestartTask", Actor: "orchestrator"}
	allocateTask      = &walk.Action{Name: "AllocateTask", Actor: "allocator"}
	scheduler         = &walk.Action{Name: "Scheduler", Actor: "scheduler"}
	progressTask      = &walk.Action{Name: "ProgressTask", Actor: "agent"}
	shutdownComplete  = &walk.Action{Name: "ShutdownComplete", Actor: "agent"}
	orphanTasks       = &walk.Action{Name: "OrphanTasks", Actor: "agent"}
	workerUp          = &walk.Action{Name: "WorkerUp", Actor: "agent"}
	rejectTask        = &walk.Action{Name: "RejectTask", Actor: "agent"}
	containerExit     = &walk.Action{Name: "ContainerExit", Actor: "agent"}
	workerDown        = &walk.Action{Name: "WorkerDown", Actor: "agent"}
	reaper            = &walk.Action{Name: "Reaper", Actor: "reaper"}
)

// User

func (w *Walk) createService(s *walk.Step, replicas int64) *service {
	sv := w.newService(replicas)
	w.fileService(sv, true)
	s.Create(createService, sv)
	return sv
}

func (w *Walk) updateService(s *walk.Step, sv *service, replicas int64) {
	sv.replicas = replicas
	w.fileService(sv, true)
	s.Update(updateService, sv, fieldReplicas)
}

func (w *Walk) removeService(s *walk.Step, sv *service) {
	sv.remove = true
	w.fileService(sv, true)
	s.Update(removeService, sv, fieldRemove)
	for i := range sv.slots.Len() {
		w.markRemove(s, removeService, sv.slots.At(i))
	}
}

// markRemove sets desired_state = remove of every task of the vslot.
func (w *Walk) markRemove(s *walk.Step, by *walk.Action, v *vslot) {
	for _, t := range v.tasks {
		if t.desired != remove {
			w.setDesired(s, by, t, remove)
		}
	}
}

// Orchestrator

// newTask is NewTask, added to tasks.
func (w *Walk) newTask(v *vslot, desired state) *task {
	w.lastTask++
	t := &task{id: w.lastTask, in: v, state: stNew, desired: desired}
	if v.service.isGlobal() {
		t.node = w.nodes[v.key]
	}
	w.enter(t)
	return t
}

func (w *Walk) createSlot(s *walk.Step, sv *service) *task {
	t := w.newTask(w.open(sv), running)
	s.Create(createSlot, t)
	return t
}

func (w *Walk) replaceTask(s *walk.Step, v *vslot) { s.Create(replaceTask, w.newTask(v, running)) }

func (w *Walk) requestRemoval(s *walk.Step, v *vslot) { w.markRemove(s, requestRemoval, v) }

func (w *Walk) cleanupTerminated(s *walk.Step, t *task) {
	w.setDesired(s, cleanupTerminated, t, remove)
}

func (w *Walk) releaseReady(s *walk.Step, t *task) { w.setDesired(s, releaseReady, t, running) }

func (w *Walk) cleanupService(s *walk.Step, sv *service) {
	w.fileService(sv, false)
	s.Delete(cleanupService, sv)
	w.services--
}

func (w *Walk) restartTask(s *walk.Step, t *task) {
	w.setDesired(s, restartTask, t, shutdown)
	s.Create(restartTask, w.newTask(t.in, ready))
}

// Allocator and Scheduler

func (w *Walk) allocateTask(s *walk.Step, t *task) { w.setState(s, allocateTask, t, pending) }

func (w *Walk) scheduler(s *walk.Step, t *task, n *node) {
	t.state = assigned
	fields := fieldState
	if t.node == nil {
		t.node = n
		fields |= fieldNode
	}
	w.file(t)
	s.Update(scheduler, t, fields)
}

// Agent

func (w *Walk) progressTask(s *walk.Step, t *task) { w.setState(s, progressTask, t, t.state+1) }

func (w *Walk) shutdownComplete(s *walk.Step, t *task) { w.setState(s, shutdownComplete, t, shutdown) }

func (w *Walk) orphanTasks(s *walk.Step, n *node) {
	for n.owned.Len() > 0 {
		w.setState(s, orphanTasks, n.owned.At(0), orphaned)
	}
}

func (w *Walk) workerUp(s *walk.Step, n *node) { w.setUp(s, workerUp, n, true) }

func (w *Walk) rejectTask(s *walk.Step, t *task) { w.setState(s, rejectTask, t, rejected) }

// containerExit lets the tasks, which run on one node, end.
func (w *Walk) containerExit(s *walk.Step, affected []*task) {
	for _, t := range affected {
		s2 := complete
		if w.r.Chance(500) {
			if s2 = failed; t.desired == shutdown {
				s2 = shutdown
			}
		}
		w.setState(s, containerExit, t, s2)
	}
}

func (w *Walk) workerDown(s *walk.Step, n *node) { w.setUp(s, workerDown, n, false) }

// Reaper

func (w *Walk) reaper(s *walk.Step, t *task) {
	w.leave(t)
	s.Delete(reaper, t)
}

func (w *Walk) setState(s *walk.Step, by *walk.Action, t *task, to state) {
	t.state = to
	w.file(t)
	s.Update(by, t, fieldState)
}

func (w *Walk) setDesired(s *walk.Step, by *walk.Action, t *task, to state) {
	t.desired = to
	w.file(t)
	s.Update(by, t, fieldDesired)
}

func (w *Walk) setUp(s *walk.Step, by *walk.Action, n *node, up bool) {
	n.up = up
	w.fileNode(n)
	s.Update(by, n, fieldState)
}
