package swarmkit

import "fmt"

// Rules that change desired_state.

var giveUp = &allowance{Action: action{
	Name: "give-up", Actor: "orchestrator",
	Doc:  "The restart supervisor shuts down an ended task without a replacement. Its restart policy forbids one, or its node no longer takes the task.",
	Bind: bindDesired, Clauses: []clause{
		hasEnded, wasWanted,
		{
			Text:  `the step creates no task in the slot, or fewer than the ended tasks that it shuts down`,
			Holds: func(p *pair) bool { return p.slot.created == 0 || int(p.slot.created) < p.slot.replacedDead() },
		},
		getsDesired(Shutdown),
	},
}, Relaxes: `no action does this. Fairness demands a ReplaceTask`, Source: "manager/orchestrator/restart/restart.go, Restart, shouldRestart; manager/orchestrator/global/global.go, tickTasks"}

var shutDownOnLostNode = &allowance{Action: action{
	Name: "shut-down-on-lost-node", Actor: "orchestrator",
	Doc:  "A node is down, drained or removed. The orchestrator shuts down its tasks of global services, and those that the restart policy does not replace.",
	Bind: bindDesired, Clauses: []clause{
		isRunnable, wasWanted,
		{
			Text: `t.node is removed, down or drained, or was since t was created, or within the last 15 s; for a global service, possibly before the snapshots`,
			Holds: func(p *pair) bool {
				return p.node.lost() || p.node != nil &&
					(p.node.docker.lost.step > p.t.past().born.step || p.whole.history.now.lately(p.node.docker.lost, lateBy) || p.wasLostBefore())
			},
			Shows: func(p *pair) string {
				if p.node == nil {
					return "the task has no node"
				}
				return fmt.Sprintf("%s; availability %s", showNode(p), p.node.docker.availability)
			},
		},
		nothingNew, getsDesired(Shutdown),
	},
}, Relaxes: `RestartTask creates a replacement in the same step`, Source: "manager/orchestrator/global/global.go, reconcileOneNode, reconcileServices, FixTask; manager/orchestrator/restart/restart.go, Restart; manager/orchestrator/jobs/global/reconciler.go"}

// wasLostBefore reports whether the node may have been lost before the snapshots. It is for
// tasks of global services only: most others are replaced.
func (p *pair) wasLostBefore() bool {
	return p.vslot.key.slot == globalSlot && p.slot.created == 0 && p.node.docker.lost.step == 0 && p.whole.history.shownWithin(lateBy)
}

var globalMisfit = &allowance{Action: action{
	Name: "global-misfit", Actor: "orchestrator",
	Doc:  "The global orchestrator shuts down a task that no longer fits its node. It also shuts down an outdated task when its node changes.",
	Bind: bindDesired, Clauses: []clause{
		{
			Text: `sid is a global service`, Effect: true,
			Holds: func(p *pair) bool {
				return p.vslot.key.slot == globalSlot && !p.sid.isAttachment() && p.sid.docker.mayBe(globalMode)
			},
		},
		{
			Text:  `Runnable(t), or the step creates a task on t.node with desired_state = running`,
			Holds: func(p *pair) bool { return p.t.old.state.Runnable() || p.slot.createdRunning > 0 }, Shows: showState,
		},
		wasWanted,
		{
			Text: `sid has constraints; or the step creates a task u on t.node with desired_state = running, and t.node is paused or lately changed; or u, or a deleted sid, has another spec_version than t, and t.node changed since t was created; lately: within the last 5 s, possibly before the snapshots; since t was created: also before the snapshots, if these are at most 15 s old`,
			Holds: func(p *pair) bool {
				return p.sid.docker.mayBeConstrained() || p.node != nil && (p.outdated() || p.slot.createdRunning > 0 &&
					(p.node.docker.availability == pausedNode || p.whole.history.now.lately(p.node.docker.changed, reactFor) || p.changedBefore(reactFor)))
			},
		},
		getsDesired(Shutdown),
	},
}, Relaxes: `RestartTask creates a replacement with desired_state = ready`, Source: "manager/orchestrator/global/global.go, reconcileServices, reconcileOneNode"}

// outdated reports whether reconcileOneNode finds a task of another spec than the
// service's. It may handle the node's change late. A new task replaces the old one,
// unless the service was deleted in between.
func (p *pair) outdated() bool {
	spec := specVersion(0)
	switch {
	case p.slot.createdRunning > 0:
		spec = p.whole.specOf(p.whole.changes[p.slot.newAt].taskChange)
	case p.sid.isGone():
		spec = p.sid.docker.spec
	default:
		return false
	}
	past := p.t.past()
	return (p.node.docker.changed.step > past.born.step || p.changedBefore(lateBy)) && spec.mayDiffer(past.spec)
}

var superseded = &allowance{Action: action{
	Name: "superseded", Actor: "orchestrator",
	Doc:  "The updater shuts down one of two wanted tasks in a slot. The new task runs, or an interrupted update left two.",
	Bind: bindDesired, Clauses: []clause{
		isRunnable, wasWanted,
		{
			Text: `another task u of the slot is wanted; or u was wanted beside t until at most a second ago; or u was wanted when the running update began or later, and t has another spec_version than sid; or u was wanted when the last update ended or later, and t is older than that; or u may have been wanted before the snapshots, and has sid's spec_version, which t has not; or then it has a later one than t`,
			Holds: func(p *pair) bool {
				if p.unseen() {
					return true
				}
				ceased, past, d := p.vslot.docker.ceased, p.t.past(), &p.sid.docker
				if ceased.step == 0 && past.born.step == 0 && p.wasReplaced() {
					return true
				}
				if p.vslot.docker.wanted > 1 || ceased.step <= past.born.step {
					return p.vslot.docker.wanted > 1
				}
				return p.whole.history.now.lately(ceased, staleFor) || ceased.step >= d.turned.step &&
					((d.updating || d.hidesUpdates()) && d.spec.mayDiffer(past.spec) || !d.updating && d.turned.step > past.born.step)
			},
			Shows: showSlot,
		},
		getsDesired(Shutdown),
	},
}, Relaxes: `RestartTask creates a replacement in the same step`, Source: "manager/orchestrator/update/updater.go, updateTask, useExistingTask, removeOldTasks"}

// wasReplaced reports whether t is outdated, and a task of the latest spec, or of a later one
// than t's, in its slot has desired_state = shutdown.
func (p *pair) wasReplaced() bool {
	latest, own := p.sid.docker.spec, p.t.past().spec
	if !latest.differs(own) {
		return false
	}
	for u := range p.vslot.all {
		if u.desired == Shutdown && (u.past.spec == latest || u.past.spec > own) {
			return true
		}
	}
	return false
}

// mayStart is the guard of release: the restart delay and the wait for the old task are
// over.
var mayStart = clause{
	Text: `t replaced no task; or a task that t replaced has ended, was deleted, or is on a node that was down since then; or the same holds for a task that was shut down in favour of t; or t was created a minute ago or earlier; or t is the only wanted task of its slot, and the running update began after t was created; or the leader changed since t was created; or a new leader may have begun within the last 10 steps`,
	Holds: func(p *pair) bool {
		return p.isReleasedBySelf() || p.leaderChanged() || p.whole.history.mayHaveElected()
	},
	Shows: func(p *pair) string {
		text := "t replaced"
		for _, o := range p.t.past().replaced {
			text += fmt.Sprintf(" %s (%s)", o.id, o.state)
		}
		return text
	},
}

// isReleasedBySelf is mayStart without a change of leader.
func (p *pair) isReleasedBySelf() bool {
	past := p.t.past()
	if u := &p.sid.docker; u.updating && u.turned.step > past.born.step && p.vslot.docker.wanted == 1 {
		return true // the updater does not wait for a task that already shuts down
	}
	if len(past.replaced) == 0 || p.whole.history.now.longAgo(past.born, releaseIn) {
		return true
	}
	for _, o := range past.replaced {
		if o.past.deleted || !o.state.Runnable() || o.node != nil && o.node.wasAway(past.born) {
			return true
		}
	}
	return false
}

// leaderChanged reports whether the leader changed since t was created. A new leader
// releases the waiting tasks, and waits for no old task.
func (p *pair) leaderChanged() bool { return p.whole.history.leader.marked.step > p.t.past().born.step }

var release = &allowance{Action: action{
	Name: "release", Actor: "orchestrator",
	Doc:  "The restart supervisor starts a task that waits with desired_state = ready. Its restart delay and the wait for the old task are over.",
	Bind: bindDesired, Clauses: []clause{noJob, isDesired(Ready), mayStart, getsDesired(Running)},
}, Relaxes: `ReleaseReady needs State(t) = ready, and ~Runnable(u) for all other tasks u of the slot`, Source: "manager/orchestrator/restart/restart.go, DelayStart, StartNow; manager/orchestrator/taskinit/init.go, CheckTasks; manager/dispatcher/dispatcher.go, markNodesUnknown; manager/orchestrator/update/updater.go, useExistingTask"}

var jobRelease = &allowance{Action: action{
	Name: "job-release", Actor: "orchestrator", Doc: "The restart supervisor starts a job's task that waits with desired_state = ready, as in release.",
	Bind: bindDesired, Clauses: []clause{
		isJob, isDesired(Ready), mayStart, getsDesired(Complete),
	},
}, Relaxes: `ReleaseReady sets desired_state = running`, Source: "manager/orchestrator/restart/restart.go, StartNow"}

var jobOldIteration = &allowance{Action: action{
	Name: "job-old-iteration", Actor: "orchestrator", Doc: "A job runs again. The orchestrator marks the tasks of its earlier iterations for removal.",
	Bind: bindRemoved, Clauses: []clause{
		hasService, isJob,
		ofRun(`t.job_iteration is less than the service's`, (*pair).oldTask, func(_ *pair, task, service int32) bool { return task < service }),
		{
			Text: `IsReplicated(sid) => Runnable(t), or t ended after the job was started again (possibly before the snapshots)`,
			Holds: func(p *pair) bool {
				return p.vslot.key.slot == globalSlot || p.t.old.state.Runnable() || p.whole.history.endedSince(p.t.past(), p.sid.docker.iterated)
			},
			Shows: showState,
		},
		getsDesired(Remove),
	},
}, Relaxes: `RequestRemoval needs services[sid].replicas < Cardinality(current)`, Source: "manager/orchestrator/jobs/replicated/reconciler.go and jobs/global/reconciler.go, ReconcileService"}
