package swarmkit

import "tracecheck/internal/generate/walk"

// setBack takes an action that nothing has to take: one of the user, of a
// worker that fails, of a container that ends, or a restart. It keeps the
// number of tasks near what it is to be.
func (w *Walk) setBack(s *walk.Step, room int) bool {
	switch n := w.r.N(34); {
	case n < 3:
		if w.tasks > w.objects || w.services > w.objects {
			return false
		}
		w.createService(s, w.size())
	case n < 11:
		return w.scale(s)
	case n < 12:
		return w.retire(s, room)
	case n < 20:
		if w.restart.Len() == 0 || room < 2 {
			return false
		}
		t := w.restart.Pick(w.r)
		if !turns(s, t.in.service, onwards) {
			return false
		}
		w.restartTask(s, t)
	case n < 24:
		if w.early.Len() == 0 {
			return false
		}
		t := w.early.Pick(w.r)
		if !t.node.up || !turns(s, t.in.service, onwards) {
			return false
		}
		w.rejectTask(s, t)
	case n < 31:
		return w.exit(s, room)
	default:
		if w.down >= max(1, len(w.nodes)/4) {
			return false
		}
		n := w.ups.Pick(w.r)
		if n.pinned || s.Has(n) || s.Huge {
			return false
		}
		w.down++
		w.workerDown(s, n)
	}
	return true
}

// scale updates a service: more replicas where there are too few tasks, fewer
// where there are too many.
func (w *Walk) scale(s *walk.Step) bool {
	if w.living.Len() == 0 {
		return false
	}
	sv := w.living.Pick(w.r)
	if sv.isGlobal() || s.Has(sv) || s.Large && sv.turned == s.Number() {
		return false
	}
	to := sv.replicas + int64(w.r.In(1, 3+int(sv.replicas)/4))
	if w.tasks > w.objects {
		to = max(0, 2*sv.replicas-to)
	}
	if to == sv.replicas {
		return false
	}
	toward := onwards
	if to < sv.replicas {
		toward = downwards
	}
	turns(s, sv, toward)
	w.updateService(s, sv, to)
	return true
}

// retire removes a service, rarely the last ones.
func (w *Walk) retire(s *walk.Step, room int) bool {
	if w.living.Len() < 3 {
		return false
	}
	sv := w.living.Pick(w.r)
	lines := 1
	for i := range sv.slots.Len() {
		lines += len(sv.slots.At(i).tasks)
	}
	if lines > room || s.Creates(sv) || !turns(s, sv, downwards) {
		return false
	}
	w.removeService(s, sv)
	return true
}

// exit lets some of the tasks that run on a node end.
func (w *Walk) exit(s *walk.Step, room int) bool {
	if w.active.Len() == 0 {
		return false
	}
	first := w.active.Pick(w.r)
	if !first.node.up || !turns(s, first.in.service, onwards) {
		return false
	}
	affected := []*task{first}
	for range w.r.N(min(4, room)) {
		t := first.node.owned.Pick(w.r)
		if w.active.Has(t) && t != first && affected[len(affected)-1] != t && turns(s, t.in.service, onwards) {
			affected = append(affected, t)
		}
	}
	for i, t := range affected { // each once
		for _, other := range affected[:i] {
			if other == t {
				return false
			}
		}
	}
	w.containerExit(s, affected)
	return true
}
