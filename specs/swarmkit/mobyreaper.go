package swarmkit

import "fmt"

// How tasks are forgotten, beside Reaper.

// limit is limit(s) of the part's service, the lowest of the last second: the
// reaper deletes a moment after it read the limit.
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

// overLimit: the vslot has more tasks than it is to keep.
func (p *pair) overLimit() bool {
	return !p.sid.docker.isJob() && p.limit() >= 0 && (p.unseen() || int64(p.vslot.count) > p.limit())
}

func showLimit(p *pair) string {
	return fmt.Sprintf("%d tasks in %s, limit %d; the step deletes %d", p.vslot.count, p.vslot.key, p.limit(), p.slot.deleted)
}

var historyLimit = &allowance{Action: action{
	Name: "history-limit", Actor: "reaper",
	Doc:  "The history limit counts every task of a slot, and tasks beyond it are deleted at once.",
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
			Text:  `limit(sid) tasks remain`,
			Holds: func(p *pair) bool { return p.unseen() || int64(p.vslot.count-p.slot.forgotten) >= p.limit() }, Shows: showLimit,
		},
		isForgotten,
	},
}, Relaxes: `CleanupTerminated counts terminated tasks alone, and marks them first; Reaper: t.desired_state = remove`, Source: "manager/orchestrator/taskreaper/task_reaper.go, tick"}

var staleReap = &allowance{Action: action{
	Name: "stale-reap", Actor: "reaper",
	Doc:  "The reaper picks a task while it is unassigned and deletes it a moment later, assigned by then or not.",
	Bind: bindDeleted, Clauses: []clause{
		{
			Text:  `t was seen with State(t) \prec assigned, and not wanted, or may have been before snapshots of at most a second ago`,
			Holds: func(p *pair) bool { return p.whole.history.hasSeen(p.t.past()) },
		},
		{Text: `t is not wanted`, Holds: func(p *pair) bool { return !p.t.old.isWanted() }, Shows: showDesired},
		{
			Text:  `t.desired_state = remove, or the slot has more than limit(sid) tasks`,
			Holds: func(p *pair) bool { return p.t.old.desired == Remove || p.overLimit() }, Shows: showLimit,
		},
		isForgotten,
	},
}, Relaxes: `Reaper: State(t) \prec assigned at the deletion; StepTransitionsOK`, Source: "manager/orchestrator/taskreaper/task_reaper.go, Run, tick"}

var removedNodePurge = &allowance{Action: action{
	Name: "removed-node-purge", Actor: "orchestrator", Doc: "The global tasks of a node that was removed are deleted.",
	Bind: bindDeleted, Clauses: []clause{
		{
			Text:  `t.node \notin DOMAIN nodes`,
			Holds: func(p *pair) bool { return p.node != nil && !p.node.exists }, Shows: showNode,
		},
		{
			Text: `sid is a global service, or gone`, Effect: true,
			Holds: func(p *pair) bool {
				return p.sid.isGone() || p.vslot.key.slot == globalSlot && !p.sid.isAttachment()
			},
		},
		isForgotten,
	},
}, Relaxes: `Reaper`, Source: "manager/orchestrator/global/global.go, Run, deleteTask"}
