package workerimpl

import "tracecheck/internal/generate/walk"

// Walk is one behaviour.
type Walk struct {
	walk.Start
	r        *walk.Rand
	objects  int
	grown    bool
	nodes    []*node
	lastTask int64
	wired    bool // the worker does not reboot any more
	script   *unit

	allocate, schedule, progress, elsewhere, release, dead, wanted walk.Set[*unit]
	early, stop, exec, stale, live, owned, standing                walk.Set[*unit]
	down                                                           walk.Set[*node]
	synced                                                         []*unit
}

// most is how many tasks the worker is to have at a time: its steps are about
// all of them.
const most = 500

// New returns a walk.
func New(c walk.Config) walk.Walk {
	w := &Walk{Start: walk.Start{Shown: c.Snapshot}, r: c.Rand, objects: c.Objects}
	for i, set := range []*walk.Set[*unit]{
		&w.allocate, &w.schedule, &w.progress, &w.elsewhere, &w.release, &w.dead, &w.wanted,
		&w.early, &w.stop, &w.exec, &w.stale, &w.live, &w.owned, &w.standing,
	} {
		set.Is = i // in the order of the constants
	}
	for i := range max(3, min(c.Objects/50, 1000)) {
		w.nodes = append(w.nodes, &node{index: i, up: true})
		w.Begin(w.nodes[i])
	}
	if w.Shown {
		w.grown = true
		for range w.objects {
			w.settle()
		}
	}
	return w
}

func (w *Walk) worker() *node { return w.nodes[0] }

// settle shows a task that runs, or is on its way.
func (w *Walk) settle() {
	u := w.newUnit()
	t := &u.task
	if t.desired, t.state = running, running; w.r.Chance(200) {
		t.state = state(w.r.N(int(complete)))
	}
	if t.state >= assigned && t.node == nil {
		t.node = w.place()
	}
	w.Begin(t)
	if t.state == running && t.node == w.worker() {
		u.cont.state, u.cont.node = isRunning, t.node
		w.Begin(&u.cont)
	}
	w.file(u)
}

func (w *Walk) newUnit() *unit {
	w.lastTask++
	u := &unit{}
	u.cont.of = u
	u.task.id, u.task.is = w.lastTask, true
	if u.task.slot = w.lastTask; w.r.Chance(200) {
		u.task.slot, u.task.node = 0, w.place()
	}
	return u
}

// place is a node for a task: the worker, most often, where it has room.
func (w *Walk) place() *node {
	if w.owned.Len() < min(most, w.objects/2) && w.r.Chance(800) {
		return w.worker()
	}
	return w.nodes[w.r.In(1, len(w.nodes)-1)]
}

// file puts the unit in the sets of those for which an action is enabled.
func (w *Walk) file(u *unit) {
	t, c := &u.task, u.cont.state
	on := t.is && u != w.script
	ours := t.node != nil && t.node == w.worker()
	advances := on && assigned <= t.state && t.state < running && t.state+1 <= t.desired
	w.standing.Put(u, t.is)
	w.allocate.Put(u, on && t.state == stNew)
	w.schedule.Put(u, on && t.state == pending)
	w.progress.Put(u, advances && ours)
	w.elsewhere.Put(u, !ours && (advances || on && t.state == running && t.desired > running))
	w.release.Put(u, on && t.desired == ready && t.state == ready)
	w.dead.Put(u, on && t.state > running)
	w.wanted.Put(u, on && t.state == running && t.desired == running)
	w.early.Put(u, on && ours && assigned <= t.state && t.state < running)
	w.stop.Put(u, u != w.script && c == terminating)
	w.exec.Put(u, u != w.script && c == isRunning)
	w.live.Put(u, c == isRunning || c == terminating)
	w.owned.Put(u, t.is && ours && assigned <= t.state && t.state <= running)
	w.stale.Put(u, u.desiredContainer() != c || w.isReported(u) && u.reportFor() != running)
}

// Take implements walk.Walk.
func (w *Walk) Take(s *walk.Step, room int) {
	for range 12 {
		if w.try(s, room) {
			return
		}
	}
	w.createTask(s)
}

// try takes an action if the one that chance picks is enabled after all.
func (w *Walk) try(s *walk.Step, room int) bool {
	tasks := w.standing.Len()
	w.grown = w.grown || tasks >= w.objects
	if !w.grown {
		w.createTask(s)
		return true
	}
	work := w.waiting()
	setbacks := 10 // of 1000
	if work < w.objects/4 {
		setbacks = 150
	}
	if work == 0 || w.r.Chance(setbacks) {
		return w.setBack(s, room)
	}
	return w.advance(s, w.r.N(work), room)
}

// waiting is how many objects have something before them.
func (w *Walk) waiting() int {
	return w.allocate.Len() + w.schedule.Len() + w.progress.Len() + w.elsewhere.Len() + w.release.Len() + w.dead.Len() +
		w.stop.Len() + w.down.Len() + w.worth(&w.stale) + w.orphans()
}

// worth is what a step over many units counts for: it comes the sooner the more
// it has to do.
func (w *Walk) worth(s *walk.Set[*unit]) int { return (s.Len() + 3) / 4 }

func (w *Walk) orphans() int {
	if w.worker().up {
		return 0
	}
	return min(1, w.owned.Len())
}

// advance does what the nth of them waits for.
func (w *Walk) advance(s *walk.Step, n, room int) bool {
	in := func(count int) bool {
		if n < count {
			return true
		}
		n -= count
		return false
	}
	switch {
	case in(w.allocate.Len()):
		u := w.allocate.At(n)
		w.updateTask(s, u, pending, u.task.desired, u.task.node)
	case in(w.schedule.Len()):
		u := w.schedule.At(n)
		node := u.task.node
		if node == nil {
			node = w.place()
		}
		w.updateTask(s, u, assigned, u.task.desired, node)
	case in(w.progress.Len()):
		if !w.worker().up || room < 2 {
			return false
		}
		w.progressTask(s, w.progress.At(n))
	case in(w.elsewhere.Len()):
		u := w.elsewhere.At(n)
		to := u.task.state + 1
		if u.task.state == running {
			to = shutdown
		}
		if !u.task.node.up {
			return false
		}
		w.updateTask(s, u, to, u.task.desired, u.task.node)
	case in(w.release.Len()):
		u := w.release.At(n)
		w.updateTask(s, u, ready, running, u.task.node)
	case in(w.dead.Len()):
		u := w.dead.At(n)
		if s.Creates(&u.task) {
			return false
		}
		w.removeTask(s, u)
	case in(w.stop.Len()):
		w.shutdownComplete(s, w.stop.At(n))
	case in(w.down.Len()):
		if s.Large || s.Has(w.down.At(n)) {
			return false
		}
		w.setUp(s, workerUp, w.down.At(n), true)
	case in(w.worth(&w.stale)):
		if !w.worker().up || len(s.Lines) > 0 || 2*w.stale.Len() > room {
			return false
		}
		s.Full = true
		w.syncWithManager(s)
	default:
		if len(s.Lines) > 0 || w.owned.Len() > room {
			return false
		}
		s.Full = true
		w.orphanTasks(s)
	}
	return true
}
