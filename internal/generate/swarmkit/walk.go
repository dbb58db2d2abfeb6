package swarmkit

import (
	"strconv"

	"tracecheck/internal/generate/walk"
)

// Walk is one behaviour.
type Walk struct {
	walk.Start
	r             *walk.Rand
	objects       int
	maxTerminated int64
	grown         bool // has had as many tasks as it is to have
	quiet         bool // no setbacks any more

	nodes                 []*node
	services, tasks, down int
	lastService, lastTask int64
	script                script

	allocate, schedule, progress, stop, release, reap walk.Set[*task]
	early, active, restart                            walk.Set[*task]
	replace, clean                                    walk.Set[*vslot]
	create, shrink, forget, living                    walk.Set[*service]
	ups, returning, orphan                            walk.Set[*node]
}

// New returns a walk.
func New(c walk.Config) walk.Walk {
	w := &Walk{Start: walk.Start{Shown: c.Snapshot}, r: c.Rand, objects: c.Objects, maxTerminated: 5}
	if raw, ok := c.Constants["max_terminated"]; ok {
		w.maxTerminated, _ = strconv.ParseInt(raw, 10, 64) // valid, says Config
	}
	w.allocate.Is, w.schedule.Is, w.progress.Is = allocating, scheduling, progressing
	w.stop.Is, w.release.Is, w.reap.Is = stopping, releasing, reaping
	w.early.Is, w.active.Is, w.restart.Is = early, active, restarting
	w.replace.Is, w.clean.Is = replacing, cleaning
	w.create.Is, w.shrink.Is, w.forget.Is, w.living.Is = creating, shrinking, forgetting, living
	w.ups.Is, w.returning.Is, w.orphan.Is = ups, returning, orphaning
	for i := range max(3, min(w.objects/20, 1000)) {
		n := &node{index: int32(i), up: true}
		n.owned.Is = onNode
		w.nodes = append(w.nodes, n)
		w.fileNode(n)
		w.Begin(n)
	}
	if w.Shown {
		w.settle()
	}
	return w
}

func (w *Walk) newService(replicas int64) *service {
	w.lastService++
	w.services++
	sv := &service{id: w.lastService, replicas: replicas}
	sv.slots.Is, sv.wanted.Is = ofService, wanted
	if sv.isGlobal() {
		for _, n := range w.nodes {
			sv.free = append(sv.free, n.index)
		}
	}
	return sv
}

// size is what a new service wants: some wish for a task on every node, if that
// is not most of all.
func (w *Walk) size() int64 {
	if w.r.Chance(200) && len(w.nodes) <= max(3, w.objects/4) {
		return global
	}
	return int64(w.r.In(1, max(2, min(w.objects/5, 100))))
}

// Take implements walk.Walk.
func (w *Walk) Take(s *walk.Step, room int) {
	if w.quiet && w.linger(s) {
		return
	}
	for range 12 {
		if w.try(s, room) {
			return
		}
	}
	if w.quiet { // there is nothing to do: say so
		s.Update(nil, w.nodes[w.r.N(len(w.nodes))], fieldState)
		return
	}
	w.createService(s, w.size())
}

// try takes an action if the one that chance picks is enabled after all.
func (w *Walk) try(s *walk.Step, room int) bool {
	if !w.grown && !w.quiet {
		return w.grow(s)
	}
	work := w.waiting()
	setbacks := 2 // of 1000
	switch {
	case w.quiet:
		setbacks = 0
	case work == 0:
		setbacks = 1000
	case work < w.objects/10:
		setbacks = 100
	case work < w.objects/2:
		setbacks = 15
	}
	if w.r.Chance(setbacks) {
		return w.setBack(s, room)
	}
	return work > 0 && w.advance(s, w.r.N(work), room)
}

// grow makes as many tasks as there are to be, before anything else happens.
func (w *Walk) grow(s *walk.Step) bool {
	switch {
	case w.tasks >= w.objects:
		w.grown = true
		return false
	case w.create.Len() > 0:
		w.createSlot(s, w.create.At(w.create.Len()-1))
	default:
		w.createService(s, w.size())
	}
	return true
}

// waiting is how many objects have an action of weak fairness before them.
func (w *Walk) waiting() int {
	return w.allocate.Len() + w.schedule.Len() + w.progress.Len() + w.stop.Len() + w.release.Len() + w.reap.Len() +
		w.replace.Len() + w.clean.Len() + w.create.Len() + w.shrink.Len() + w.forget.Len() + w.returning.Len() + w.orphan.Len()
}

// advance takes the action of the nth object that waits for one: each has the
// same chance, so that none waits for long.
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
		w.allocateTask(s, w.allocate.At(n))
	case in(w.schedule.Len()):
		w.scheduler(s, w.schedule.At(n), w.nodes[w.r.N(len(w.nodes))])
	case in(w.progress.Len()):
		t := w.progress.At(n)
		if !t.node.up {
			return false
		}
		w.progressTask(s, t)
	case in(w.stop.Len()):
		t := w.stop.At(n)
		if !t.node.up {
			return false
		}
		w.shutdownComplete(s, t)
	case in(w.release.Len()):
		w.releaseReady(s, w.release.At(n))
	case in(w.reap.Len()):
		t := w.reap.At(n)
		if s.Creates(t) || s.Huge && (s.Has(t) || renewed(s, t.in)) {
			return false
		}
		w.reaper(s, t)
	case in(w.replace.Len()):
		v := w.replace.At(n)
		if !turns(s, v.service, onwards) {
			return false
		}
		w.replaceTask(s, v)
	case in(w.clean.Len()):
		return w.cleanUp(s, w.clean.At(n))
	case in(w.create.Len()):
		sv := w.create.At(n)
		if !turns(s, sv, onwards) {
			return false
		}
		w.createSlot(s, sv)
	case in(w.shrink.Len()):
		v := w.shrink.At(n).wanted.Pick(w.r)
		if len(v.tasks) > room || !turns(s, v.service, downwards) {
			return false
		}
		w.requestRemoval(s, v)
	case in(w.forget.Len()):
		sv := w.forget.At(n)
		if s.Creates(sv) {
			return false
		}
		w.cleanupService(s, sv)
	case in(w.returning.Len()):
		n := w.returning.At(n)
		if s.Has(n) || s.Huge {
			return false
		}
		w.down--
		w.workerUp(s, n)
	default:
		n := w.orphan.At(n)
		if n.owned.Len() > room || n.orphaned == s.Number() || s.Huge && len(s.Lines) > 0 {
			return false
		}
		n.orphaned, s.Full = s.Number(), s.Huge
		w.orphanTasks(s, n)
	}
	return true
}

// renewed says that the step makes a task of the vslot.
func renewed(s *walk.Step, v *vslot) bool {
	for _, t := range v.tasks {
		if s.Creates(t) {
			return true
		}
	}
	return false
}

func (w *Walk) cleanUp(s *walk.Step, v *vslot) bool {
	t := v.tasks[w.r.N(len(v.tasks))]
	if !t.isTerminated() || t.desired == remove || !turns(s, v.service, onwards) {
		return false
	}
	w.cleanupTerminated(s, t)
	return true
}
