package swarmkit

import (
	"fmt"

	"tracecheck/internal/amount"
)

// Rules that delete tasks, beside Reaper.

// limit returns the lowest limit(sid) of the last second. The reaper deletes a moment after
// it read the limit.
func (p *pair) limit() int64 {
	limit, c := p.sid.docker.limit(p.s.maxTerminated), p.whole.history
	lower := func(was int64) {
		if was >= 0 && (limit < 0 || was < limit) {
			limit = was
		}
	}
	for _, v := range p.sid.recent {
		if c.now.lately(v.until, staleFor) {
			lower(v.docker.limit(p.s.maxTerminated))
		}
	}
	if c.now.lately(c.limit.changed, staleFor) {
		lower(p.sid.docker.limit(c.limit.was))
	}
	return limit
}

// reaperNeeds is what several allowances relax.
const reaperNeeds = `Reaper needs an orphaned task, or one with desired_state = remove that no agent owns`

// overLimit reports whether the vslot may have more tasks than limit(sid).
func (p *pair) overLimit() bool {
	d := &p.sid.docker
	return !d.isJob() && (d.hidesLimit() || p.limit() >= 0 && (p.unseen() || int64(p.vslot.count) > p.limit()))
}

func showLimit(p *pair) string {
	return fmt.Sprintf("%s in %s, limit %d; the step deletes %d", amount.Of(int(p.vslot.count), "task"), p.vslot.key, p.limit(), p.slot.deleted)
}

var historyLimit = &allowance{Action: action{
	Name: "history-limit", Actor: "reaper",
	Doc:  "The task reaper counts all tasks of a slot, and deletes those beyond the history limit at once. limit(sid) is max_attempts + 1, or else max_terminated.",
	Bind: bindDeleted, Clauses: []clause{
		noJob,
		{Text: `the slot has more than limit(sid) tasks`, Holds: (*pair).overLimit, Shows: showLimit},
		{
			Text: `~Runnable(t) \/ State(t) \prec assigned /\ t is not wanted`,
			Holds: func(p *pair) bool {
				t := &p.t.old
				return !t.state.Runnable() || t.state.Prec(Assigned) && !t.isWanted()
			},
			Shows: func(p *pair) string { return showState(p) + ", " + showDesired(p) },
		},
		{
			Text: `the slot keeps at least limit(sid) tasks`,
			Holds: func(p *pair) bool {
				return p.unseen() || p.sid.docker.hidesLimit() || int64(p.vslot.count-p.slot.forgotten) >= p.limit()
			},
			Shows: showLimit,
		},
		isForgotten,
	},
}, Relaxes: `CleanupTerminated counts only terminated tasks, and marks them first. Reaper needs t.desired_state = remove`, Source: "manager/orchestrator/taskreaper/task_reaper.go, tick"}

var staleReap = &allowance{Action: action{
	Name: "stale-reap", Actor: "reaper",
	Doc:  "The task reaper selects a task before the scheduler assigns it, and deletes it a moment later. The task may be assigned by then.",
	Bind: bindDeleted, Clauses: []clause{
		{
			Text:  `t was not wanted while State(t) \prec assigned (possibly before the snapshots)`,
			Holds: func(p *pair) bool { return p.whole.history.hasSeen(p.t.past()) },
		},
		{Text: `t is not wanted: t.desired_state \in { shutdown, remove }`, Holds: func(p *pair) bool { return !p.t.old.isWanted() }, Shows: showDesired},
		{
			Text:  `t.desired_state = remove, or the slot has more than limit(sid) tasks`,
			Holds: func(p *pair) bool { return p.t.old.desired == Remove || p.overLimit() }, Shows: showLimit,
		},
		isForgotten,
	},
}, Relaxes: `Reaper needs State(t) \prec assigned at the deletion. StepTransitionsOK does not permit it from assigned to running`, Source: "manager/orchestrator/taskreaper/task_reaper.go, Run, tick"}

var removedNodePurge = &allowance{Action: action{
	Name: "removed-node-purge", Actor: "orchestrator", Doc: "The global orchestrator deletes the tasks of a removed node.",
	Bind: bindDeleted, Clauses: []clause{
		{
			Text:  `t.node \notin DOMAIN nodes`,
			Holds: func(p *pair) bool { return p.node != nil && !p.node.exists }, Shows: showNode,
		},
		{
			Text: `sid is a global service, or was deleted`, Effect: true,
			Holds: func(p *pair) bool {
				return p.sid.isGone() || p.vslot.key.slot == globalSlot && !p.sid.isAttachment()
			},
		},
		isForgotten,
	},
}, Relaxes: reaperNeeds, Source: "manager/orchestrator/global/global.go, Run, deleteTask"}
