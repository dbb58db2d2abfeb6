package swarmkit

import (
	"fmt"

	"tracecheck/validators"
)

// updateSpec is UpdateService of services that have more modes than the text's
// two.
var updateSpec = besides(updateService, clause{
	Text: `services[sid].mode = newSpec.mode`,
	Holds: func(p *pair) bool {
		return p.spec.mode == noMode || p.sid.docker.mode == noMode || p.spec.mode == p.sid.docker.mode
	},
	Shows: func(p *pair) string { return fmt.Sprintf("%s becomes %s", p.sid.docker.mode, p.spec.mode) },
})

var serviceDelete = &allowance{Action: action{
	Name: "service-delete", Actor: "user", Doc: "A service is deleted at once, whatever tasks it has.",
	Bind: bindService(true, false), Clauses: []clause{
		hasService, serviceForgotten,
	},
}, Relaxes: `RemoveService, which only flags the service and marks its tasks in the same step; CleanupService: services[sid].remove = TRUE /\ TasksOf(sid) = {}`, Source: "manager/controlapi/service.go, RemoveService"}

var condemn = &allowance{Action: action{
	Name: "condemn", Actor: "orchestrator", Doc: "The tasks of a service that was deleted are marked for removal, all at once.",
	Bind: bindRemoved, Clauses: []clause{
		isGone,
		leavesNone(`no task of sid with desired_state # remove is left out`,
			"%d tasks of the service are not yet marked; the step marks %d",
			func(p *pair) (set, done int) { return int(p.sid.notRemove), p.service().marked }),
		{
			Text: `UpdateTasks([t \in TasksOf(sid) |-> [t EXCEPT !.desired_state = remove]])`, Effect: true,
			Holds: removesAll.only,
		},
	},
}, Relaxes: `RemoveService, the only action that marks all tasks of a service, which needs sid \in DOMAIN services`, Source: "manager/orchestrator/service.go, SetServiceTasksRemove"}

var isGone = clause{
	Text: `sid was a service and is gone`, Effect: true,
	Holds:  func(p *pair) bool { return p.sid.isGone() },
	Refute: true,
	Shows: func(p *pair) string {
		if p.sid.exists {
			return fmt.Sprintf("service %s exists", p.sid.id)
		}
		return fmt.Sprintf("the stream has shown no service %q", p.sid.id)
	},
}

var servicelessPurge = &allowance{Action: action{
	Name: "serviceless-purge", Actor: "orchestrator", Doc: "A new leader drops all tasks of services that are gone, which the old one left.",
	Bind: bindDeleted, Clauses: []clause{
		isGone,
		leavesNone(`tasks' = tasks \ TasksOf(i), for every i that was a service and is gone`,
			"%d tasks have lost their services; the step deletes %d of them",
			func(p *pair) (set, done int) { return int(p.s.serviceless), p.whole.deletedOfGone }),
	},
}, Relaxes: `Reaper: t.desired_state = remove, and not owned by the agent`, Source: "manager/orchestrator/taskinit/init.go, CheckTasks"}

var staleView = &allowance{Action: action{
	Name: "stale-view", Actor: "orchestrator",
	Doc: "A reconciliation reads the service and then writes: it may go by any version of it that stood within the last second. " +
		"So may CreateSlot, RequestRemoval, reuse-dying-slot, update-settled-slot, job-task, scale-down-wanted-only, scale-down-settled-slot, purge-dead-slot, and of a job job-old-iteration and restart-dead.",
	Bind: func(p *pair) bool {
		if len(p.tasks) == 0 {
			return false
		}
		p.sid = p.tasks[0].atFirst().service
		return p.sid != nil && len(p.sid.recent) > 0
	},
	Clauses: []clause{{
		Text: `a version of the service that stood within the last second lets one of these explain the step`, Effect: true,
		Holds: func(p *pair) bool {
			p.whole.viewing = true
			defer func() { p.whole.viewing = false }()
			for i := len(p.sid.recent) - 1; i >= 0; i-- {
				v := p.sid.recent[i]
				if !p.whole.history.now.lately(v.until, staleFor) {
					continue
				}
				sid := p.sid
				if v.under(func() bool { p.whole.byView = viewRules.Match(p); return p.whole.byView != nil }) {
					return true
				}
				p.sid = sid
			}
			return false
		},
	}},
}, Relaxes: `the guards of CreateSlot and RequestRemoval, on the services as they are`, Source: "manager/orchestrator/replicated/services.go, tickServices, reconcile, addTasks; manager/orchestrator/jobs, ReconcileService"}

// relaxations are the allowances that are no actions.
var relaxations = []validators.AllowanceDoc{
	{
		Name: desiredComplete, Doc: "A job's task may have desired_state complete, which lies between running and shutdown.",
		Clauses: []string{`t.desired_state = complete => t is a job's task`},
		Relaxes: "TypeOK: DesiredState has no complete", Source: "manager/orchestrator/jobs",
	},
	{
		Name: taskOutlivesService, Doc: "A task may stand though its service was deleted, or though it never had one: a network attachment.",
		Clauses: []string{`t.service \in DOMAIN services \/ t.service was one and is gone \/ t.service = ""`},
		Relaxes: `Inv: t.service \in DOMAIN services`, Source: "manager/controlapi/service.go, RemoveService; manager/resourceapi/allocator.go",
	},
	{
		Name: shutdownUnassigned, Doc: "A task that was closed before it was placed has no node.",
		Clauses: []string{`assigned \preceq State(t) => t.node \in Node \/ State(t) \in { rejected, shutdown }`},
		Relaxes: `Inv: assigned \preceq State(t) => t.node \in Node`, Source: "manager/scheduler/scheduler.go, noSuitableNode",
	},
	{
		Name: nodeGone, Doc: "A task may name a node that was removed.",
		Clauses: []string{`Node is every node that was ever shown`},
		Relaxes: "WorkerTypeOK: Node is a constant", Source: "manager/controlapi/node.go, RemoveNode",
	},
	{
		Name: nodeUnknown, Doc: "A node whose status is neither ready nor down counts as down, but its tasks are not given up.",
		Clauses: []string{`status \notin { ready, down } => ~IsUp(n)`},
		Relaxes: "WorkerTypeOK: a node is up or down", Source: "manager/dispatcher/dispatcher.go, markNodesUnknown",
	},
}

// Their names.
const (
	desiredComplete     = "desired-complete"
	taskOutlivesService = "task-outlives-service"
	shutdownUnassigned  = "shutdown-unassigned"
	nodeGone            = "node-gone"
	nodeUnknown         = "node-unknown"
)
