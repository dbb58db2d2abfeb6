package workerimpl

import "tracecheck/internal/generate/walk"

// The actions, as WorkerImpl.tla has them. The guard holds of what each is
// called with.

var (
	containerExit    = &walk.Action{Name: "ContainerExit", Actor: "agent"}
	shutdownComplete = &walk.Action{Name: "ShutdownComplete", Actor: "agent"}
	progressTask     = &walk.Action{Name: "ProgressTask", Actor: "agent"}
	syncWithManager  = &walk.Action{Name: "SyncWithManager", Actor: "agent"}
	rejectTask       = &walk.Action{Name: "RejectTask", Actor: "agent"}
	workerDown       = &walk.Action{Name: "WorkerDown", Actor: "agent"}
	workerUp         = &walk.Action{Name: "WorkerUp", Actor: "agent"}
	orphanTasks      = &walk.Action{Name: "OrphanTasks", Actor: "agent"}
	workerReboot     = &walk.Action{Name: "WorkerReboot", Actor: "agent"}
	createTask       = &walk.Action{Name: "CreateTask"}
	updateTask       = &walk.Action{Name: "UpdateTask"}
	removeTask       = &walk.Action{Name: "RemoveTask"}
)

func (w *Walk) containerExit(s *walk.Step, u *unit) {
	to := isComplete
	if w.r.Chance(500) {
		to = isFailed
	}
	w.setContainer(s, containerExit, u, to)
}

func (w *Walk) shutdownComplete(s *walk.Step, u *unit) {
	w.setContainer(s, shutdownComplete, u, isFailed)
}

// wantShutdown is WantShutdown(id).
func (u *unit) wantShutdown() bool { return !u.task.is || running < u.task.desired }

// desiredContainer is DesiredContainers[id], gone where it has none.
func (u *unit) desiredContainer() containerState {
	switch {
	case u.cont.state >= isComplete && !u.task.is:
		return gone
	case u.cont.state == isRunning && u.wantShutdown():
		return terminating
	}
	return u.cont.state
}

// reportFor is ReportFor(t), of a task of the worker that is recorded as
// running.
func (u *unit) reportFor() state {
	if u.cont.state == isFailed && u.task.desired == shutdown {
		return shutdown
	}
	return u.cont.state.report()
}

// isReported says that the task is in oldTasks of RequiredTaskUpdates.
func (w *Walk) isReported(u *unit) bool {
	return u.task.is && u.task.node == w.worker() && u.task.state == running
}

// syncWithManager is DoSync: containers' = DesiredContainers, and
// UpdateTasks(RequiredTaskUpdates), where either changes something.
func (w *Walk) syncWithManager(s *walk.Step) {
	for w.stale.Len() > 0 {
		u := w.stale.At(0)
		state, report := u.desiredContainer(), u.task.state
		if w.isReported(u) {
			report = u.reportFor()
		}
		if state != u.cont.state {
			w.setContainer(s, syncWithManager, u, state)
		}
		if report != u.task.state {
			w.setState(s, syncWithManager, u, report)
		}
		w.stale.Put(u, false)
		w.synced = append(w.synced, u)
	}
	for i, u := range w.synced { // what is stale again is for the next time
		w.file(u)
		w.synced[i] = nil
	}
	w.synced = w.synced[:0]
}

func (w *Walk) progressTask(s *walk.Step, u *unit) {
	w.setState(s, progressTask, u, u.task.state+1)
	if u.task.state == running {
		w.setContainer(s, progressTask, u, isRunning)
	}
}

func (w *Walk) rejectTask(s *walk.Step, u *unit) { w.setState(s, rejectTask, u, rejected) }

func (w *Walk) setUp(s *walk.Step, by *walk.Action, n *node, up bool) {
	n.up = up
	w.down.Put(n, !up)
	s.Update(by, n, fieldState)
}

func (w *Walk) orphanTasks(s *walk.Step) {
	for w.owned.Len() > 0 {
		w.setState(s, orphanTasks, w.owned.At(0), orphaned)
	}
}

func (w *Walk) workerReboot(s *walk.Step) {
	for w.live.Len() > 0 {
		w.setContainer(s, workerReboot, w.live.At(0), isFailed)
	}
}

// createTask makes a task of one of two services: one has slots, the other
// wants its tasks on every node.
func (w *Walk) createTask(s *walk.Step) {
	u := w.newUnit()
	u.task.state = stNew
	if u.task.desired = running; w.r.Chance(200) {
		u.task.desired = ready
	}
	w.file(u)
	s.Create(createTask, &u.task)
}

// updateTask gives the task a state, desired state or node by another
// component than the worker.
func (w *Walk) updateTask(s *walk.Step, u *unit, state, desired state, n *node) {
	t := &u.task
	fields := walk.Fields(0)
	if t.state != state {
		fields |= fieldState
	}
	if t.desired != desired {
		fields |= fieldDesired
	}
	if t.node != n {
		fields |= fieldNode
	}
	t.state, t.desired, t.node = state, desired, n
	w.file(u)
	s.Update(updateTask, t, fields)
}

func (w *Walk) removeTask(s *walk.Step, u *unit) {
	u.task.is = false
	w.file(u)
	s.Delete(removeTask, &u.task)
}

func (w *Walk) setState(s *walk.Step, by *walk.Action, u *unit, to state) {
	u.task.state = to
	w.file(u)
	s.Update(by, &u.task, fieldState)
}

func (w *Walk) setContainer(s *walk.Step, by *walk.Action, u *unit, to containerState) {
	was := u.cont.state
	u.cont.state, u.cont.node = to, w.worker()
	w.file(u)
	switch {
	case was == gone:
		s.Create(by, &u.cont)
	case to == gone:
		s.Delete(by, &u.cont)
	default:
		s.Update(by, &u.cont, fieldState)
	}
}
