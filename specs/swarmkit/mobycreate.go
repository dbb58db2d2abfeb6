package swarmkit

import "fmt"

// Rules that create tasks. A created task is new. It has no node, but that of its vslot.

var createSlots = inPlaceOf(createSlot,
	hasService, notFlagged, noJob, slotsAreEnough, slotOfReplicas, slotUnused, oneNewTask, hasNew(Running),
)

var replaceSlots = besides(replaceTask, noJob, slotsAreEnough, oneNewTask)

var restartDead = &allowance{Action: action{
	Name: "restart-dead", Actor: "orchestrator", Doc: "The restart supervisor shuts down an ended task and creates its replacement, in one step.",
	Bind: restartTask.Bind, Clauses: []clause{
		hasEnded, wasWanted, hasService,
		{
			Text:  `the step creates no more tasks in the slot than it shuts down`,
			Holds: func(p *pair) bool { return int(p.slot.created) <= len(p.slot.replaced) },
		},
		ofLatestRun,
		isRestarted,
	},
}, Relaxes: `RestartTask needs Runnable(oldT). ReplaceTask creates a task with desired_state = running, and does not change the old one`, Source: "manager/orchestrator/restart/restart.go, Restart"}

// restartJob is restart-dead for stale-view. Only the job orchestrator restarts a task
// without reading the service again.
var restartJob = besides(&restartDead.Action, isJob)

var startFirst = &allowance{Action: action{
	Name: "start-first", Actor: "orchestrator", Doc: "With the order start-first, the updater creates the new task before it shuts down the old one.",
	Bind: bindCreated, Clauses: []clause{
		hasService,
		{
			Text: `the slot has a wanted task before the step, and beside the new one after it`, Holds: func(p *pair) bool { return p.vslot.docker.wanted > 0 && p.slot.after.wanted > p.slot.createdWanted },
			Shows: showSlot,
		},
		{
			Text:  `update_order or rollback_order is start_first, in the service's spec or in the previous one`,
			Holds: func(p *pair) bool { return p.sid.docker.mayStartFirst() },
		},
		oneNewTask, hasNew(Ready),
	},
}, Relaxes: `RestartTask shuts down the old task in the same step. A comment there says that start-first updates are missing`, Source: "manager/orchestrator/update/updater.go, updateTask"}

var updateSettledSlot = &allowance{Action: action{
	Name: "update-settled-slot", Actor: "orchestrator", Doc: "The updater creates a task in a slot that no longer has a wanted task.",
	Bind: bindCreated, Clauses: []clause{
		hasService,
		{
			Text: `slot \in VSlotsOf(sid), now or when the running update began, or up to a second before; that is unknown if it began before the snapshots, but for a slot on a node that exists; if sid's spec was sent again during the update, possibly before the snapshots: the new task has an earlier spec_version, or the slot is not empty`,
			Holds: func(p *pair) bool {
				n := p.vslot.key.node
				d := &p.sid.docker
				return p.unseen() || p.vslot.count > 0 ||
					d.updatesTo(p.whole.specOf(p.created)) && (p.sid.vacated[p.vslot.key.vacancy()] ||
						(d.updatesSinceBefore() || d.hidesUpdates()) && (n == nil || n.shown && !n.exists))
			},
		},
		nothingWanted,
		slotsAreEnough, oneNewTask, hasNew(Ready),
	},
}, Relaxes: `ReplaceTask creates a task with desired_state = running. RestartTask needs Runnable(oldT)`, Source: "manager/orchestrator/update/updater.go, worker, updateTask; manager/orchestrator/restart/restart.go, UpdatableTasksInSlot"}

var reuseDyingSlot = &allowance{Action: action{
	Name: "reuse-dying-slot", Actor: "orchestrator", Doc: "The orchestrator creates a task in a slot whose old tasks still exist. The service is scaled up, or a node returns.",
	Bind: bindCreated, Clauses: []clause{
		hasService, slotInUse,
		nothingWanted,
		noJob, slotsAreEnough, slotOfReplicas, oneNewTask, hasNew(Running),
	},
}, Relaxes: `CreateSlot needs slot \in UnusedVSlot(sid). ReplaceTask needs ~Runnable(u) for all tasks u of the slot, and u.desired_state # remove for one`, Source: "manager/orchestrator/replicated/services.go, addTasks; manager/orchestrator/global/global.go, addTask"}

var jobTask = &allowance{Action: action{
	Name: "job-task", Actor: "orchestrator", Doc: "The orchestrator creates a job's task with desired_state = complete.",
	Bind: bindCreated, Clauses: []clause{
		hasService,
		isJob,
		{
			Text: `after the step, no other u in the slot is runnable and wanted; but a step of 200 changes may leave tasks of earlier job iterations`,
			Holds: func(p *pair) bool {
				return p.slot.after.live == p.slot.createdWanted || p.whole.cut && p.onlyEarlierRuns()
			},
			Shows: showSlot,
		},
		besideReplicas(`IsReplicated(sid) => after the step, at most services[sid].replicas slots have a wanted or complete task of this job_iteration`,
			"such slots after the step", func(p *pair) int { return p.service().after.current },
			func(p *pair, slots int64) bool {
				return !p.sid.isReplicated() || p.whole.viewing || slots <= p.sid.replicas // a task of an older iteration is not counted
			}),
		{
			Text: `after the step, no other u in the slot has the service's job_iteration and is wanted, or, IsReplicated(sid), complete`,
			Holds: func(p *pair) bool {
				return p.whole.viewing || p.slot.after.current <= p.slot.createdWanted // an older version has another iteration
			},
			Shows: showSlot,
		},
		ofLatestRun,
		slotOfReplicas, oneNewTask, hasNew(Complete),
	},
}, Relaxes: `CreateSlot and ReplaceTask create a task with desired_state = running, and in fewer slots. DesiredState has no complete`, Source: "manager/orchestrator/jobs/replicated/reconciler.go and jobs/global/reconciler.go, ReconcileService"}

// ofRun compares the job_iteration of a task with the service's, if there is a task and both
// are known.
func ofRun(text string, task func(*pair) *taskValue, is func(p *pair, task, service int32) bool) clause {
	return clause{
		Text: text,
		Holds: func(p *pair) bool {
			t := task(p)
			if t == nil {
				return true
			}
			of, last := t.docker.iteration(), p.sid.docker.iteration
			return of == noIteration || last == noIteration || is(p, of, last)
		},
		Shows: func(p *pair) string {
			return fmt.Sprintf("the task's is %d, the service's %d", task(p).docker.iteration(), p.sid.docker.iteration)
		},
	}
}

// A job's task is always made for its latest run, also where it replaces one that has ended.
// stale-view goes by an earlier run, but by none from before the snapshots.
var ofLatestRun = ofRun(`the new task has the service's job_iteration; or a smaller one, possibly from less than a second before the snapshots`, (*pair).newTask,
	func(p *pair, task, service int32) bool {
		return task == service || task < service && p.sid.docker.iterated.step == 0 && p.whole.history.shownWithin(staleFor)
	})

// newTask is nil where the step creates none.
func (p *pair) newTask() *taskValue {
	if p.created == nil {
		return nil
	}
	return &p.created.new
}

func (p *pair) oldTask() *taskValue { return &p.t.old }

// onlyEarlierRuns reports whether all runnable wanted tasks of the slot have an earlier
// job_iteration than the new task.
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
	Doc:  "A container attaches to a network. The manager creates a task without a service on its node, and deletes it when the container detaches.",
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
}, Relaxes: `Inv: t.service \in DOMAIN services. CreateSlot needs a service. ` + reaperNeeds, Source: "manager/resourceapi/allocator.go, AttachNetwork, DetachNetwork"}
