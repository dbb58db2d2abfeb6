package swarmkit

import "fmt"

// How new tasks come about. Each is born clean: new, on no node but that of its
// vslot.

var createSlots = inPlaceOf(createSlot,
	serviceExists, notFlagged, noJob, slotsAreEnough, slotOfReplicas, slotUnused, oneNewTask, createsWith(Running),
)

var replaceSlots = besides(replaceTask, noJob, slotsAreEnough, oneNewTask)

var restartDead = &allowance{Action: action{
	Name: "restart-dead", Actor: "orchestrator", Doc: "A task that ended is marked and replaced in one step.",
	Bind: restartTask.Bind, Clauses: []clause{
		hasEnded, wasWanted, serviceExists,
		{
			Text:  `the step creates no more tasks in the slot than it shuts down`,
			Holds: func(p *pair) bool { return int(p.slot.created) <= len(p.slot.replaced) },
		},
		isRestarted,
	},
}, Relaxes: `RestartTask: Runnable(oldT); ReplaceTask: the new task is desired running, the old one stays as it is`, Source: "manager/orchestrator/restart/restart.go, Restart"}

// restartJob is restart-dead by a reconciliation, which read the job before: a
// job alone is restarted without a look at whether it still exists.
var restartJob = besides(&restartDead.Action, isJob)

var startFirst = &allowance{Action: action{
	Name: "start-first", Actor: "orchestrator", Doc: "An update starts the new task before it stops the old one.",
	Bind: bindCreated, Clauses: []clause{
		serviceExists,
		{
			Text: `some u in the slot is wanted`, Holds: func(p *pair) bool { return p.vslot.docker.wanted > 0 && p.slot.after.wanted > p.slot.createdWanted },
			Shows: showSlot,
		},
		{
			Text:  `update_order or rollback_order, of this spec or the one before, is start_first`,
			Holds: func(p *pair) bool { return p.sid.docker.mayStartFirst() },
		},
		oneNewTask, createsWith(Ready),
	},
}, Relaxes: `RestartTask marks the old task in the same step; a note there says that start-first updates are missing`, Source: "manager/orchestrator/update/updater.go, updateTask"}

var updateSettledSlot = &allowance{Action: action{
	Name: "update-settled-slot", Actor: "orchestrator", Doc: "An update reaches a slot in which nothing is wanted any more.",
	Bind: bindCreated, Clauses: []clause{
		serviceExists,
		{
			Text: `slot \in VSlotsOf(sid), or it was when the update that is under way began, or may have been: it began before the snapshots, and t.node was removed`,
			Holds: func(p *pair) bool {
				n := p.vslot.key.node
				return p.vslot.count > 0 || p.sid.vacated[p.vslot.key.vacancy()] ||
					p.sid.docker.updatesSinceBefore() && n != nil && n.shown && !n.exists
			},
		},
		nothingWanted,
		slotsAreEnough, oneNewTask, createsWith(Ready),
	},
}, Relaxes: `ReplaceTask: the new task is desired running; RestartTask needs a runnable victim`, Source: "manager/orchestrator/update/updater.go, worker, updateTask; manager/orchestrator/restart/restart.go, UpdatableTasksInSlot"}

var reuseDyingSlot = &allowance{Action: action{
	Name: "reuse-dying-slot", Actor: "orchestrator", Doc: "A slot is used again before its old tasks are gone: on scaling up, or when a node comes back.",
	Bind: bindCreated, Clauses: []clause{
		serviceExists, slotInUse,
		nothingWanted,
		noJob, slotsAreEnough, slotOfReplicas, oneNewTask, createsWith(Running),
	},
}, Relaxes: `CreateSlot: slot \in UnusedVSlot(sid); ReplaceTask: all tasks ~Runnable, and some desired_state # remove`, Source: "manager/orchestrator/replicated/services.go, addTasks; manager/orchestrator/global/global.go, addTask"}

var jobTask = &allowance{Action: action{
	Name: "job-task", Actor: "orchestrator", Doc: "A job's new task aims at complete.",
	Bind: bindCreated, Clauses: []clause{
		serviceExists,
		isJob,
		{
			Text: `after the step no other u in the slot is runnable and wanted; but in a step of 200 changes or more, one of an earlier run may be, which the batch has yet to mark`,
			Holds: func(p *pair) bool {
				return p.slot.after.live == p.slot.createdWanted || p.whole.cut && p.onlyEarlierRuns()
			},
			Shows: showSlot,
		},
		{
			Text: `IsReplicated(sid) => after the whole step, slots with a task of this run that is wanted or complete <= services[sid].replicas`,
			Holds: func(p *pair) bool {
				return !p.sid.isReplicated() || p.whole.viewing || // of an older run, it is not counted
					int64(p.service().after.current) <= p.sid.replicas
			},
			Shows: func(p *pair) string {
				return fmt.Sprintf("replicas = %d, such slots after the step = %d", p.sid.replicas, p.service().after.current)
			},
		},
		ofRun(`job_iteration is the service's`, (*pair).newTask, func(task, service int32) bool { return task == service }),
		slotOfReplicas, oneNewTask, createsWith(Complete),
	},
}, Relaxes: `CreateSlot and ReplaceTask: the new task is desired running, and their slots; DesiredState has no complete`, Source: "manager/orchestrator/jobs/replicated/reconciler.go and jobs/global/reconciler.go, ReconcileService"}

// ofRun compares the run of its job that a task is of with the service's, where
// both are known.
func ofRun(text string, task func(*pair) *taskValue, is func(task, service int32) bool) clause {
	return clause{
		Text: text,
		Holds: func(p *pair) bool {
			of, last := task(p).docker.iteration(), p.sid.docker.iteration
			return of == noIteration || last == noIteration || is(of, last)
		},
		Shows: func(p *pair) string {
			return fmt.Sprintf("the task's is %d, the service's %d", task(p).docker.iteration(), p.sid.docker.iteration)
		},
	}
}

func (p *pair) newTask() *taskValue { return &p.created.new }
func (p *pair) oldTask() *taskValue { return &p.t.old }

// onlyEarlierRuns: what was in the job's slot, and is still to run, is of an
// earlier run than the new task.
func (p *pair) onlyEarlierRuns() bool {
	for u := range p.vslot.all {
		if u.isWanted() && u.state.Runnable() && u.docker.iteration() >= p.created.new.docker.iteration() {
			return false
		}
	}
	return true
}

var attachmentTask = &allowance{Action: action{
	Name: "attachment-task", Actor: "allocator",
	Doc:  "A container on an attachable network makes a task without a service, on its node, and takes it along when it goes.",
	Bind: func(p *pair) bool { return bindCreated(p) || bindDeleted(p) }, Clauses: []clause{
		{Text: `t.service = ""`, Effect: true, Holds: func(p *pair) bool { return p.sid.isAttachment() }},
		{
			Text:  `t.slot = global, and t.node # unassigned`,
			Holds: func(p *pair) bool { return p.vslot.key.slot == globalSlot && p.vslot.key.node != nil },
		},
		{
			Text: `tasks' = tasks \union { NewTask("", t.node, id, running) } \/ tasks' = tasks \ {t}`, Effect: true,
			Holds: func(p *pair) bool {
				return p.created == nil && len(p.tasks) == 1 || p.created != nil && p.creates(newTask(p.sid, p.vslot.key, Running))
			},
		},
	},
}, Relaxes: `Inv: t.service \in DOMAIN services; CreateSlot; Reaper`, Source: "manager/resourceapi/allocator.go, AttachNetwork, DetachNetwork"}
