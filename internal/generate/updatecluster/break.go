package updatecluster

import (
	"fmt"

	"tracecheck/internal/generate/walk"
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

const (
	pushed    = "WF_vars(PushToQueue(r))"
	processed = "WF_vars(ProcessQueue)"
	completed = "WF_vars(CompleteApply(r))"
	takenBack = "WF_vars(Rollback(r))"
	noPartial = "NoPartialUpdateTermination"
	emptied   = "EveryReqInQueueIsProcessed"
)

// Spec is UpdateCluster.
var Spec = &walk.Spec{
	Name:  "updatecluster",
	Kinds: []trace.Kind{kinds.Request, kinds.Cluster},
	Rules: []walk.Rule{
		{Name: "Next"}, {Name: "TypeInvariants"}, {Name: "NoConcurrentUpdate"}, {Name: "action"},
		{Name: "actor", Cannot: "the module has no actors, and a line's actor is not checked"},
		{Name: "NoApplicationOfOutdatedReq", Cannot: "rank = lastSubmitted is a conjunct of StartApply, so a step without it breaks Next instead"},
		{Name: pushed, Waits: true}, {Name: processed, Waits: true}, {Name: completed, Waits: true},
		{Name: takenBack, Waits: true}, {Name: noPartial, Waits: true}, {Name: emptied, Waits: true},
	},
	New: New,
}

// Break implements walk.Walk.
func (w *Walk) Break(rule string, s *walk.Step, room int) (walk.Broken, bool) {
	if room < 2 {
		return walk.Broken{}, false
	}
	switch rule {
	case "Next":
		if w.checked.Len() == 0 {
			return walk.Broken{}, false
		}
		r := w.checked.Pick(w.r)
		w.checked.Put(r, false)
		r.status = submitted
		w.file(r)
		s.Update(nil, r, fieldStatus)
		return did("request %s goes back from valid to submitted", r)
	case "TypeInvariants":
		r := walk.NewStray(kinds.Request, "lost", `{"status":"lost","rank":0,"queued":false}`)
		s.Snapshot(r)
		return did("a snapshot shows request %s, whose status the spec does not have", r)
	case "NoConcurrentUpdate":
		for _, id := range []string{"one", "two"} {
			s.Snapshot(walk.NewStray(kinds.Request, id, `{"status":"partial","rank":0,"queued":false}`))
		}
		return walk.Broken{What: "a snapshot shows two requests that are partial", At: 1}, true
	case "action":
		r := w.submit(s, 1)
		w.file(r)
		s.Lines[0].Claim, s.Lines[0].Insist = initialcheck, true
		return did("request %s is submitted, and the line says that it is checked", r)
	case pushed, processed:
		return w.neglect(rule, s)
	case emptied:
		return w.hoard(s)
	case takenBack:
		return w.abandon(s)
	}
	return w.stop(rule, s) // completed, noPartial
}

func did(format string, o walk.Object) (walk.Broken, bool) {
	return walk.Broken{What: fmt.Sprintf(format, walk.Name(o))}, true
}

func waits(format string, o walk.Object) (walk.Broken, bool) {
	return walk.Broken{What: fmt.Sprintf(format, walk.Name(o)), Waits: true}, true
}

// neglect brings a request up to the queue, and leaves it there.
func (w *Walk) neglect(rule string, s *walk.Step) (walk.Broken, bool) {
	switch w.script {
	case 0:
		w.victim = w.submit(s, 1)
		w.victim.held = true
	case 1:
		w.initialcheck(s, w.victim, true)
		if rule == pushed {
			return waits("request %s is valid, and is not pushed to the queue", w.victim)
		}
	default:
		if w.queue.Len() > 0 { // it would have been waited for this before
			return walk.Broken{}, false
		}
		w.pushToQueue(s, w.victim)
		return waits("request %s is in the queue, and is not processed", w.victim)
	}
	w.script++
	return walk.Broken{Further: true}, true
}

// hoard lets the queue not become empty any more, though each request in it is
// processed.
func (w *Walk) hoard(s *walk.Step) (walk.Broken, bool) {
	if w.queue.Len() > 0 || w.checked.Len() == 0 {
		return walk.Broken{}, false
	}
	w.busy = true
	r := w.checked.Pick(w.r)
	w.checked.Put(r, false)
	w.pushToQueue(s, r)
	w.file(r)
	return waits("the queue is not empty again after request %s", r)
}

// stop leaves the request that is applied where it is: partial, or failed.
func (w *Walk) stop(rule string, s *walk.Step) (walk.Broken, bool) {
	if w.stuck {
		// By then the cluster has been incomplete for longer than the request
		// will have waited to be rolled back.
		if w.script++; w.script < 50 {
			return walk.Broken{}, false
		}
		w.completeApply(s, w.applied, false)
		return waits("request %s has failed, and the cluster is not completed", w.applied)
	}
	if !w.canStart() || !w.cluster.confOK {
		return walk.Broken{}, false
	}
	w.startApply(s, w.newest)
	w.stuck = true
	if rule == completed {
		return waits("the application of request %s does not end", w.applied)
	}
	return walk.Broken{Waits: true, Further: true}, true
}

// abandon shows a failed request in a snapshot, so that the cluster has not
// been incomplete for longer than the request has been waiting.
func (w *Walk) abandon(s *walk.Step) (walk.Broken, bool) {
	if w.applied != nil || !w.cluster.confOK {
		return walk.Broken{}, false
	}
	w.cluster.lastSubmitted++
	r := &request{id: w.cluster.lastSubmitted, rank: w.cluster.lastSubmitted, status: partialFailure}
	w.newest, w.applied, w.stuck = r, r, true
	w.cluster.request, w.cluster.complete = r, false
	s.Snapshot(r)
	s.Snapshot(&w.cluster)
	return waits("a snapshot shows request %s, which has failed and is not rolled back", r)
}
