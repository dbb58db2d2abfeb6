package swarmkit

import "fmt"

// How desired_state changes.

var giveUp = &allowance{Action: action{
	Name: "give-up", Actor: "orchestrator",
	Doc:  "A task that ended is not replaced: its restart policy says so, or its node does not take it any more.",
	Bind: bindDesired, Clauses: []clause{
		hasEnded, wasWanted,
		{
			Text:  `the step creates no task in the slot, or it shuts down more that have ended than it creates`,
			Holds: func(p *pair) bool { return p.slot.created == 0 || int(p.slot.created) < p.slot.replacedDead() },
		},
		getsDesired(Shutdown),
	},
}, Relaxes: `no action does this; ReplaceTask's fairness`, Source: "manager/orchestrator/restart/restart.go, Restart, shouldRestart; manager/orchestrator/global/global.go, tickTasks"}

var shutDownOnLostNode = &allowance{Action: action{
	Name: "shut-down-on-lost-node", Actor: "orchestrator",
	Doc:  "A task on a node that is down, drained or removed is not replaced: it is a global service's, or not to be restarted.",
	Bind: bindDesired, Clauses: []clause{
		isRunnable, wasWanted,
		{
			Text: `t.node was removed, is down, or is drained; or it was so since t was created`,
			Holds: func(p *pair) bool {
				return p.node.lost() || p.node != nil && p.node.docker.lost.step > p.t.past().born.step
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
}, Relaxes: `RestartTask creates a replacement`, Source: "manager/orchestrator/global/global.go, reconcileOneNode, reconcileServices, FixTask; manager/orchestrator/restart/restart.go, Restart; manager/orchestrator/jobs/global/reconciler.go"}

var globalMisfit = &allowance{Action: action{
	Name: "global-misfit", Actor: "orchestrator",
	Doc:  "A node does not fit a global service's constraints any more, or its task was updated while it was paused.",
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
			Text: `sid has constraints; or the step creates a task on t.node with desired_state = running, and the node is paused, or changed at most 5 s before; or t is outdated: the node changed since t was created, and the spec_version of that new task, or of sid if that is gone, is another than t's; or the node may have changed before snapshots of at most 5 s ago, or of 15 s where t is outdated`,
			Holds: func(p *pair) bool {
				return p.sid.docker.mayBeConstrained() || p.node != nil && (p.outdated() || p.slot.createdRunning > 0 &&
					(p.node.docker.availability == pausedNode || p.whole.history.now.lately(p.node.docker.changed, reactFor) || p.changedBefore(reactFor)))
			},
		},
		getsDesired(Shutdown),
	},
}, Relaxes: `RestartTask`, Source: "manager/orchestrator/global/global.go, reconcileServices, reconcileOneNode"}

// outdated is what reconcileOneNode finds, however late it handles a node's
// change: the task is of another spec than the service, so that a new one takes
// its place, unless the service was deleted in between.
func (p *pair) outdated() bool {
	spec := specVersion(0)
	switch {
	case p.slot.createdRunning > 0:
		spec = p.whole.specOf(p.whole.changes[p.slot.newAt].taskChange)
	case p.sid.isGone():
		spec = p.sid.docker.spec
	}
	past := p.t.past()
	return (p.node.docker.changed.step > past.born.step || p.changedBefore(lateBy)) && spec.differs(past.spec)
}

var superseded = &allowance{Action: action{
	Name: "superseded", Actor: "orchestrator",
	Doc:  "Of two wanted tasks in a slot one goes: the old one when the new one runs, or one of two that an overtaken update left.",
	Bind: bindDesired, Clauses: []clause{
		isRunnable, wasWanted,
		{
			Text: `some other u in the slot is wanted, or was, beside t, up to a second ago, or, where t is of another spec_version than sid, since the update that is under way began; or, where t stood when the last update ended, since then; or u, which has sid's spec_version as t has not, may have been wanted before the snapshots`,
			Holds: func(p *pair) bool {
				ceased, past, d := p.vslot.docker.ceased, p.t.past(), &p.sid.docker
				if ceased.step == 0 && past.born.step == 0 && p.wasReplaced() {
					return true
				}
				if p.vslot.docker.wanted > 1 || ceased.step <= past.born.step {
					return p.vslot.docker.wanted > 1
				}
				return p.whole.history.now.lately(ceased, staleFor) || ceased.step >= d.turned.step &&
					(d.updating && d.spec.differs(past.spec) || !d.updating && d.turned.step > past.born.step)
			},
			Shows: showSlot,
		},
		getsDesired(Shutdown),
	},
}, Relaxes: `RestartTask creates a replacement in the same step`, Source: "manager/orchestrator/update/updater.go, updateTask, useExistingTask, removeOldTasks"}

// wasReplaced: t is outdated, and a task of the latest spec in its slot is to shut down.
func (p *pair) wasReplaced() bool {
	latest := p.sid.docker.spec
	if !latest.differs(p.t.past().spec) {
		return false
	}
	for u := range p.vslot.all {
		if u.desired == Shutdown && u.past.spec == latest {
			return true
		}
	}
	return false
}

// mayStart is the guard of release: the restart delay, and the wait for the old
// task, are over.
var mayStart = clause{
	Text: `t replaced no task; or one of those that it replaced has ended, was deleted, or was on a node that has not been up all the time since; or t was created a minute ago; or an update that began later came upon t as the only wanted task of the slot; or the leader changed since t was created, or is about to show that it did`,
	Holds: func(p *pair) bool {
		return p.isReleasedBySelf() || p.leaderChanged() || p.whole.history.mayHaveElected()
	},
	Shows: func(p *pair) string {
		text := "it replaced"
		for _, o := range p.t.past().replaced {
			text += fmt.Sprintf(" %s (%s)", o.id, o.state)
		}
		return text
	},
}

// isReleasedBySelf is mayStart but for a change of leader.
func (p *pair) isReleasedBySelf() bool {
	past := p.t.past()
	if u := &p.sid.docker; u.updating && u.turned.step > past.born.step && p.vslot.docker.wanted == 1 {
		return true // the updater, which waits for no task that is to go already
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

// leaderChanged: a new leader releases what its predecessor had wait, and waits
// for no old task.
func (p *pair) leaderChanged() bool { return p.whole.history.leader.marked.step > p.t.past().born.step }

var release = &allowance{Action: action{
	Name: "release", Actor: "orchestrator",
	Doc:  "The restart delay and the wait for the old task are over, wherever the new one stands.",
	Bind: bindDesired, Clauses: []clause{noJob, isDesired(Ready), mayStart, getsDesired(Running)},
}, Relaxes: `ReleaseReady: State(t) = ready, and all others of the slot ~Runnable`, Source: "manager/orchestrator/restart/restart.go, DelayStart, StartNow; manager/orchestrator/taskinit/init.go, CheckTasks; manager/dispatcher/dispatcher.go, markNodesUnknown; manager/orchestrator/update/updater.go, useExistingTask"}

var jobRelease = &allowance{Action: action{
	Name: "job-release", Actor: "orchestrator", Doc: "As release, of a job's task: it is to complete.",
	Bind: bindDesired, Clauses: []clause{
		isJob, isDesired(Ready), mayStart, getsDesired(Complete),
	},
}, Relaxes: `ReleaseReady`, Source: "manager/orchestrator/restart/restart.go, StartNow"}

var jobOldIteration = &allowance{Action: action{
	Name: "job-old-iteration", Actor: "orchestrator", Doc: "A job that is run again drops the tasks of its last run.",
	Bind: bindRemoved, Clauses: []clause{
		serviceExists, isJob,
		ofRun(`job_iteration of t is less than the service's`, (*pair).oldTask, func(task, service int32) bool { return task < service }),
		{
			Text: `IsReplicated(sid) => Runnable(t), or t has ended since the job was run again, or may have before snapshots of at most a second ago`,
			Holds: func(p *pair) bool {
				return p.vslot.key.slot == globalSlot || p.t.old.state.Runnable() || p.whole.history.endedSince(p.t.past(), p.sid.docker.iterated)
			},
			Shows: showState,
		},
		getsDesired(Remove),
	},
}, Relaxes: `RequestRemoval`, Source: "manager/orchestrator/jobs/replicated/reconciler.go and jobs/global/reconciler.go, ReconcileService"}
