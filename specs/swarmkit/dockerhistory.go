package swarmkit

import (
	"time"

	"tracecheck/trace"
)

// moment is when a step was: its number among the stream's, and its time in ns.
// The zero moment is before all steps.
type moment struct {
	step   int64
	at     int64 // since 1970; 0: no event had a time yet
	silent int64 // of that, how long nothing happened
}

// What a leader proposed just before it died is committed by the next one, after
// an election: a silence does not count, a few transactions on. Before what may
// be a new leader's first entry in the log, a shorter one does not, either. Where
// events have no times, the transactions alone count.
const (
	fewSteps      = 50
	silence       = 5 * time.Second
	silenceBefore = 4 * time.Second
)

// Windows: how late what a component saw may take effect.
const (
	staleFor  = time.Second      // a reconciliation's, or the updater's, view
	reactFor  = 5 * time.Second  // the enforcer's, after a node's change
	lateBy    = 15 * time.Second // an orchestrator's event loop, where no line shows what it handles
	releaseIn = 59*time.Second + 500*time.Millisecond
)

// lately says that the moment is within the window.
func (now moment) lately(then moment, window time.Duration) bool {
	if then.step == 0 {
		return false
	}
	if now.isFewAfter(then) {
		return then.at == 0 || now.at-then.at-(now.silent-then.silent) <= int64(window)
	}
	return then.at != 0 && now.at-then.at <= int64(window)
}

// isFewAfter says that few transactions came since.
func (now moment) isFewAfter(then moment) bool { return now.step-then.step <= fewSteps }

// longAgo says that so much time has passed; without times, that is not known.
func (now moment) longAgo(then moment, least time.Duration) bool {
	return then.at != 0 && now.at-then.at >= int64(least)
}

// past is what a task's history bears on: kept as long as the task.
type past struct {
	born     moment
	replaced []*task // replaced[t], and what was shut down in its favour since, until t is released
	seen     bool    // with D(t) /\ State(t) \prec assigned
	may      bool    // it may have been seen so before the snapshots, which have it with D(t) and assigned
	deleted  bool
	spec     specVersion
	ended    uint32 // the step in which ~Runnable(t) came about, modulo 2^32; 0: before the stream, or not yet
	written  uint32 // as ended: the last step that wrote the task and left its desired state as it was
	ceased   uint32 // the step in which it ceased to be wanted, in the same way

	place     uint32 // where the task is among those of the step that is bound
	deletedIn uint32 // while this writing of the vslots was under way; 0: while none was
}

// hasSeen says that the reaper may have picked the task while it was unassigned:
// it deletes what it picked with its next batch.
func (h *history) hasSeen(p *past) bool {
	return p.seen || p.may && h.shownWithin(staleFor)
}

// shownWithin says that the snapshots are of so short a time ago. What led to the step
// may have come before them.
func (h *history) shownWithin(window time.Duration) bool {
	return h.shown != 0 && h.now.at != 0 && h.now.at-h.shown <= int64(window)
}

// endedSince says that the task ended at the moment or after it, or may have, where
// both came before the snapshots.
func (h *history) endedSince(p *past, since moment) bool {
	if p.ended == 0 {
		return since.step == 0 && h.shownWithin(staleFor)
	}
	return since.step == 0 || int32(p.ended-uint32(since.step)) >= 0
}

// writtenBetween says that the task was written after the one step, and no later
// than the other.
func (p *past) writtenBetween(from, to int64) bool {
	return p.written != 0 && from != 0 && int32(p.written-uint32(from)) > 0 && int32(uint32(to)-p.written) >= 0
}

// specVersion says by which version of its service's spec a task was made, or
// which one a service has: equal versions have equal numbers. 0: not known.
type specVersion uint32

func specVersionOf(v trace.Value) specVersion {
	if v.Type != trace.Int {
		return 0
	}
	return specVersion(v.Int) + 1
}

// differs says that the two are known to be of different specs.
func (v specVersion) differs(from specVersion) bool { return v.mayDiffer(from) && v != 0 && from != 0 }

// mayDiffer says that the two are not known to be of one spec.
func (v specVersion) mayDiffer(from specVersion) bool { return v == 0 || from == 0 || v != from }

// version is a service as it was until a moment.
type version struct {
	of     *service
	value  serviceValue
	docker dockerService
	until  moment
	// vacated are the slots that lost their last task during the version's update, once
	// that is over.
	vacated map[vacancy]bool
}

// vacated is a slot that lost its last task.
type vacated struct {
	of *service
	vacancy
	at moment
}

// history is what the allowances read of the steps before this one. What is of one
// service, vslot, task or node is kept with it.
type history struct {
	now      moment
	read     int64      // the step that wrote the latest spec by which the orchestrator has created a task of a replicated service
	shown    int64      // when the snapshots were, in ns since 1970; 0: no time
	versions []*version // of services that rules may still go by, oldest first
	vacated  []vacated  // those of the last second, oldest first
	credits  []credit
	limit    limitHistory
	leader   leaderHistory
	log      logHistory
}

// limitHistory is of maxTerminated.
type limitHistory struct {
	lowered int64 // the step at which it last became lower
	changed moment
	was     int32 // before it last changed
}

// leaderHistory is what shows that the leader changed.
type leaderHistory struct {
	marked  moment    // when a leader last marked the nodes unknown, as each new one does
	line    trace.Pos // of that
	silence int64     // the step that last came after one; 0: none
	missed  int64     // the step that last came after an entry of the log which is not recorded; 0: none
}

// begin starts the next step.
func (h *history) begin(step *trace.Step) {
	h.now.step++
	if h.log.begin(step.Events[0].Tx) {
		h.leader.missed = h.now.step
	}
	for i := range step.Events {
		if ev := &step.Events[i]; ev.Time != "" && ev.Nanos > h.now.at {
			least := silence
			if h.leader.missed == h.now.step {
				least = silenceBefore
			}
			if gap := ev.Nanos - h.now.at; gap >= int64(least) && h.now.at != 0 {
				h.now.silent += gap
				h.leader.silence = h.now.step
			}
			h.now.at = ev.Nanos
		}
	}
}

// supersede notes that the service is no longer what it was.
func (h *history) supersede(sv *service, value serviceValue, docker dockerService) {
	v := &version{of: sv, value: value, docker: docker, until: h.now}
	h.versions = append(h.versions, v)
	sv.recent = append(sv.recent, v)
}

// forget drops the versions that no rule may go by any more.
func (h *history) forget(s *state) {
	for len(h.versions) > 0 && !h.now.lately(h.versions[0].until, lateBy) && !h.now.isFewAfter(h.versions[0].until) {
		sv := h.versions[0].of
		sv.recent = sv.recent[1:]
		sv.release(s)
		h.versions = h.versions[1:]
	}
	for len(h.vacated) > 0 && !h.now.lately(h.vacated[0].at, staleFor) {
		h.vacated = h.vacated[1:]
	}
}

// reads comes after the task was created. The orchestrator handles the changes of services one
// after the other: it has read all specs up to the task's.
func (h *history) reads(sv *service, t *task) {
	if t.desired != Running { // those of the updater are ready
		return
	}
	d := &sv.docker
	for _, v := range sv.recent {
		if v.docker.spec == t.past.spec && t.past.spec.differs(d.spec) {
			d = &v.docker
		}
	}
	if d.mode == replicatedMode {
		h.read = max(h.read, d.written.step)
	}
}

// under calls f with the service as the version has it.
func (v *version) under(f func() bool) bool {
	sv := v.of
	value, docker, vacated, existed := sv.serviceValue, sv.docker, sv.vacated, sv.exists
	if sv.serviceValue, sv.docker, sv.exists = v.value, v.docker, true; v.docker.turned != docker.turned {
		sv.vacated = v.vacated
	}
	ok := f()
	sv.serviceValue, sv.docker, sv.vacated, sv.exists = value, docker, vacated, existed
	return ok
}
