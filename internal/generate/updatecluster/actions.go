package updatecluster

import "tracecheck/internal/generate/walk"

// The actions, as UpdateCluster.tla has them. The guard holds of what each is
// called with.

var (
	submit        = &walk.Action{Name: "Submit"}
	initialcheck  = &walk.Action{Name: "Initialcheck"}
	pushToQueue   = &walk.Action{Name: "PushToQueue"}
	processQueue  = &walk.Action{Name: "ProcessQueue"}
	startApply    = &walk.Action{Name: "StartApply"}
	completeApply = &walk.Action{Name: "CompleteApply"}
	rollback      = &walk.Action{Name: "Rollback"}
)

// submit logs lastSubmitted now and then.
func (w *Walk) submit(s *walk.Step, room int) *request {
	w.cluster.lastSubmitted++
	r := &request{id: w.cluster.lastSubmitted, rank: w.cluster.lastSubmitted, status: submitted}
	w.newest = r
	s.Create(submit, r)
	if room > 1 && w.r.Chance(200) {
		s.Update(submit, &w.cluster, fieldLast)
	}
	return r
}

func (w *Walk) initialcheck(s *walk.Step, r *request, ok bool) {
	if r.status = valid; !ok {
		r.status = rejected
	}
	s.Update(initialcheck, r, fieldStatus)
}

func (w *Walk) pushToQueue(s *walk.Step, r *request) {
	r.queued = true
	s.Update(pushToQueue, r, fieldQueued)
}

func (w *Walk) processQueue(s *walk.Step, r *request) {
	r.queued = false
	r.status = processing
	s.Update(processQueue, r, fieldStatus|fieldQueued)
}

// canStart is the guard of StartApply: only the newest request can pass it.
func (w *Walk) canStart() bool {
	return w.newest != nil && w.newest.status == processing && w.cluster.complete && w.applied == nil
}

func (w *Walk) startApply(s *walk.Step, r *request) {
	if !w.cluster.confOK {
		r.status = failure
		s.Update(startApply, r, fieldStatus)
		return
	}
	r.status = partial
	w.applied = r
	w.cluster.request, w.cluster.complete = r, false
	s.Update(startApply, r, fieldStatus)
	s.Update(startApply, &w.cluster, fieldRequest|fieldComplete)
}

func (w *Walk) completeApply(s *walk.Step, r *request, ok bool) {
	if !ok {
		r.status = partialFailure
		s.Update(completeApply, r, fieldStatus)
		return
	}
	r.status = success
	s.Update(completeApply, r, fieldStatus)
	w.complete(s, completeApply)
}

func (w *Walk) rollback(s *walk.Step, r *request) {
	r.status = rolledback
	s.Update(rollback, r, fieldStatus)
	w.complete(s, rollback)
}

func (w *Walk) complete(s *walk.Step, by *walk.Action) {
	w.applied = nil
	w.cluster.complete = true
	s.Update(by, &w.cluster, fieldComplete)
}
