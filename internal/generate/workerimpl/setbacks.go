package workerimpl

import "tracecheck/internal/generate/walk"

// setBack does what nothing has to do.
func (w *Walk) setBack(s *walk.Step, room int) bool {
	if lacks := w.objects - w.standing.Len(); lacks > 0 && w.r.N(w.objects) < 4*lacks {
		w.createTask(s)
		return true
	}
	switch k := w.r.N(50); {
	case k < 20:
		if w.wanted.Len() == 0 {
			return false
		}
		u := w.wanted.Pick(w.r)
		to := shutdown
		if w.r.Chance(300) {
			to = remove
		}
		w.updateTask(s, u, u.task.state, to, u.task.node)
	case k < 27: // another worker's container ends
		if w.wanted.Len() == 0 {
			return false
		}
		u := w.wanted.Pick(w.r)
		if u.task.node == w.worker() || !u.task.node.up {
			return false
		}
		w.updateTask(s, u, [...]state{complete, failed}[w.r.N(2)], u.task.desired, u.task.node)
	case k < 35:
		if w.early.Len() == 0 || !w.worker().up {
			return false
		}
		w.rejectTask(s, w.early.Pick(w.r))
	case k < 45:
		if w.exec.Len() == 0 {
			return false
		}
		w.containerExit(s, w.exec.Pick(w.r))
	case k < 46:
		if len(s.Lines) > 0 || w.wired || w.r.Chance(700) || w.live.Len() == 0 || w.live.Len() > room {
			return false
		}
		s.Full = true
		w.workerReboot(s)
	default:
		n := w.nodes[w.r.N(len(w.nodes))]
		if !n.up || w.down.Len() > len(w.nodes)/4 || s.Large || s.Has(n) || w.wired && n == w.nodes[1] {
			return false
		}
		w.setUp(s, workerDown, n, false)
	}
	return true
}
