package swarmkit

import "tracecheck/internal/generate/walk"

// The guards of the actions, said of the objects that they are about. After
// each change of an object it is filed in the sets of those for which an action
// is enabled, so that a step need not look for one.

// fileTask files the task by its own fields, and what it counts for by fileSlot.
func (w *Walk) fileTask(t *task, exists bool) {
	owned := exists && t.node != nil && assigned <= t.state && t.runnable()
	if t.node != nil {
		t.node.owned.Put(t, owned)
		w.fileNode(t.node)
	}
	on := exists && !t.held
	w.allocate.Put(t, on && t.state == stNew)
	w.schedule.Put(t, on && t.state == pending)
	w.progress.Put(t, on && assigned <= t.state && t.state < running && t.state+1 <= t.desired)
	w.stop.Put(t, on && t.state == running && (t.desired == shutdown || t.desired == remove))
	w.reap.Put(t, on && (t.desired == remove && (t.state < assigned || !t.runnable()) || t.state == orphaned))
	w.early.Put(t, on && assigned <= t.state && t.state < running)
	w.active.Put(t, on && t.state == running)
	w.restart.Put(t, on && t.runnable() && t.desired < shutdown)
}

// fileSlot counts the vslot's tasks again. They are few.
func (w *Walk) fileSlot(v *vslot) {
	sv := v.service
	sv.want -= int64(v.wants)
	v.runnable, v.notRemove, v.terminated, v.terminatedGoing, v.wants = 0, 0, 0, 0, 0
	for _, t := range v.tasks {
		if t.runnable() {
			v.runnable++
			if t.desired <= running {
				v.wants++
			}
		}
		if t.desired != remove {
			v.notRemove++
		}
		if t.isTerminated() {
			v.terminated++
			if t.desired == remove {
				v.terminatedGoing++
			}
		}
	}
	sv.want += int64(v.wants)
	for _, t := range v.tasks {
		w.release.Put(t, t.desired == ready && t.state == ready && v.runnable == 1)
	}
	w.replace.Put(v, v.runnable == 0 && v.notRemove > 0)
	w.clean.Put(v, int64(v.terminated) > w.maxTerminated && v.terminated > v.terminatedGoing)
	sv.slots.Put(v, len(v.tasks) > 0)
	sv.wanted.Put(v, v.wants > 0)
	w.fileService(sv, true)
}

func (w *Walk) fileService(sv *service, exists bool) {
	on := exists && !sv.held
	lacks := sv.replicas > int64(sv.slots.Len())
	if sv.isGlobal() {
		lacks = len(sv.free) > 0
	}
	w.create.Put(sv, on && !sv.remove && lacks)
	w.shrink.Put(sv, on && !sv.isGlobal() && sv.replicas < sv.want)
	w.forget.Put(sv, on && sv.remove && sv.slots.Len() == 0)
	w.living.Put(sv, on && !sv.remove)
}

func (w *Walk) fileNode(n *node) {
	w.ups.Put(n, n.up)
	w.returning.Put(n, !n.up && !n.held)
	w.orphan.Put(n, !n.up && n.owned.Len() > 0)
}

// enter puts a new task in its vslot.
func (w *Walk) enter(t *task) {
	t.in.tasks = append(t.in.tasks, t)
	w.tasks++
	w.file(t)
}

// leave takes a task out of its vslot.
func (w *Walk) leave(t *task) {
	v := t.in
	for i, other := range v.tasks {
		if other == t {
			last := len(v.tasks) - 1
			copy(v.tasks[i:], v.tasks[i+1:])
			v.tasks[last] = nil
			v.tasks = v.tasks[:last]
			break
		}
	}
	w.tasks--
	w.fileTask(t, false)
	w.release.Put(t, false)
	if len(v.tasks) == 0 {
		v.service.free = append(v.service.free, v.key)
	}
	w.fileSlot(v)
}

// file files a task that has changed.
func (w *Walk) file(t *task) {
	w.fileTask(t, true)
	w.fileSlot(t.in)
}

// open makes an unused vslot of the service.
func (w *Walk) open(sv *service) *vslot {
	v := &vslot{service: sv}
	if n := len(sv.free); n > 0 {
		i := n - 1
		if sv.isGlobal() {
			i = w.r.N(n)
		}
		v.key = sv.free[i]
		sv.free[i] = sv.free[n-1]
		sv.free = sv.free[:n-1]
		return v
	}
	sv.last++
	v.key = sv.last
	return v
}

// way is what large steps do to a service: end and replace its tasks, or mark
// them for removal. Where they did both, it would take long to find out in
// which order, since RequestRemoval counts the tasks that are wanted at that
// moment.
type way uint8

const (
	onwards way = iota
	downwards
)

// turns says whether the step may turn the service that way; if so it does.
func turns(s *walk.Step, sv *service, to way) bool {
	if !s.Large {
		return true
	}
	if sv.turned != s.Number() {
		sv.turned, sv.way = s.Number(), to
	}
	return sv.way == to
}
