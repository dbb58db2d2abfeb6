package updatecluster

import "tracecheck/internal/generate/walk"

// Walk is one behaviour. It goes in rounds: some requests are submitted, then all of them are
// dealt with. So the queue is empty again and again. A request has a chance to be the last one
// when it has been processed.
type Walk struct {
	walk.Start
	r       *walk.Rand
	objects int
	cluster cluster
	newest  *request // that was submitted
	applied *request // partial or partialFailure

	// The requests that are submitted, valid and not in the queue, in the queue.
	unchecked, checked, queue walk.Set[*request]

	toSubmit int  // of the round
	busy     bool // the queue is not to be empty any more
	stuck    bool // what is applied now is to wait
	script   int  // how far the breaking of a rule has come
	victim   *request
}

// New returns a walk. The configuration of every fourth stream is not valid.
func New(c walk.Config) walk.Walk {
	w := &Walk{Start: walk.Start{Shown: c.Snapshot}, r: c.Rand, objects: c.Objects}
	w.cluster.complete, w.cluster.confOK = true, c.Stream%4 != 3
	w.Begin(&w.cluster)
	if c.Snapshot {
		for range w.objects {
			w.cluster.lastSubmitted++
			r := &request{id: w.cluster.lastSubmitted, rank: w.cluster.lastSubmitted}
			w.newest = r
			if k := w.r.N(3); k > 0 {
				r.status, r.queued = valid, k == 2
			}
			w.file(r)
			w.Begin(r)
		}
	}
	return w
}

// file puts a request in the set of those to which the same can happen.
func (w *Walk) file(r *request) {
	switch {
	case r.held:
	case r.status == submitted:
		w.unchecked.Put(r, true)
	case r.status == valid && !r.queued:
		w.checked.Put(r, true)
	case r.queued:
		w.queue.Put(r, true)
	}
}

// Take implements walk.Walk.
func (w *Walk) Take(s *walk.Step, room int) {
	if room < 2 && w.cluster.complete && w.waiting() == 0 {
		w.file(w.submit(s, room))
		return
	}
	for !w.try(s, room) {
	}
}

func (w *Walk) waiting() int { return w.unchecked.Len() + w.checked.Len() + w.queue.Len() }

// try takes an action if the one that chance picks is enabled.
func (w *Walk) try(s *walk.Step, room int) bool {
	if w.toSubmit > 0 && w.r.Chance(500) {
		w.toSubmit--
		w.file(w.submit(s, room))
		return true
	}
	if w.r.Chance(300) && (room >= 2 && w.apply(s)) {
		return true
	}
	n := w.waiting()
	if w.busy && w.queue.Len() == 1 {
		n-- // which is to stay
	}
	if n == 0 {
		if w.toSubmit == 0 && (!w.canStart() || w.r.Chance(100)) {
			w.toSubmit = w.r.In(1, w.objects)
			if w.r.Chance(700) {
				w.toSubmit = w.r.In(1, min(4, w.objects))
			}
		}
		return false
	}
	n = w.r.N(n)
	switch {
	case n < w.unchecked.Len():
		r := w.unchecked.At(n)
		w.unchecked.Put(r, false)
		w.initialcheck(s, r, !w.r.Chance(150))
		w.file(r)
	case n < w.unchecked.Len()+w.checked.Len():
		r := w.checked.At(n - w.unchecked.Len())
		w.checked.Put(r, false)
		w.pushToQueue(s, r)
		w.file(r)
	default:
		r := w.queue.Pick(w.r)
		w.queue.Put(r, false)
		w.processQueue(s, r)
	}
	return true
}

// apply continues with the application of a request.
func (w *Walk) apply(s *walk.Step) bool {
	switch r := w.applied; {
	case w.stuck:
		return false
	case r == nil && w.canStart():
		w.startApply(s, w.newest)
	case r == nil:
		return false
	case r.status == partial:
		w.completeApply(s, r, w.r.Chance(600))
	default:
		w.rollback(s, r)
	}
	return true
}
