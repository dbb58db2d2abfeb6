package swarmkit

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/validators"
	"tracecheck/validators/model"
)

// updateSpec is UpdateService for Docker's four modes. The text has two.
var updateSpec = besides(updateService, clause{
	Text: `services[sid].mode = newSpec.mode`,
	Holds: func(p *pair) bool {
		return p.spec.mode == noMode || p.sid.docker.mode == noMode || p.spec.mode == p.sid.docker.mode
	},
	Shows: func(p *pair) string { return fmt.Sprintf("%s becomes %s", p.sid.docker.mode, p.spec.mode) },
})

var serviceDelete = &allowance{Action: action{
	Name: "service-delete", Actor: "user", Doc: "The control API deletes a service at once. The orchestrator removes its tasks later.",
	Bind: bindService(true, false), Clauses: []clause{
		hasService, serviceForgotten,
	},
}, Relaxes: `RemoveService only flags the service, and marks its tasks in the same step. CleanupService needs this flag, and TasksOf(sid) = {}`, Source: "manager/controlapi/service.go, RemoveService"}

var condemn = &allowance{Action: action{
	Name: "condemn", Actor: "orchestrator", Doc: "The orchestrator marks all tasks of a deleted service for removal, in one step.",
	Bind: bindRemoved, Clauses: []clause{
		isGone,
		leavesNone(`the step marks every task of sid that is not yet marked`,
			"%d tasks of the service are not yet marked; the step marks %d",
			func(p *pair) (set, done int) { return int(p.sid.notRemove), p.service().marked }),
		{
			Text: `UpdateTasks([t \in TasksOf(sid) |-> [t EXCEPT !.desired_state = remove]])`, Effect: true,
			Holds: removesAll.only,
		},
	},
}, Relaxes: `RemoveService alone marks all tasks of a service, and needs sid \in DOMAIN services`, Source: "manager/orchestrator/service.go, SetServiceTasksRemove"}

var isGone = clause{
	Text: `the service sid was deleted`, Effect: true,
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
	Name: "serviceless-purge", Actor: "orchestrator", Doc: "A new leader deletes all tasks whose services were deleted under the previous leader.",
	Bind: bindDeleted, Clauses: []clause{
		isGone,
		leavesNone(`tasks' = tasks \ { u \in tasks : u.service was deleted }`,
			"%d tasks belong to deleted services; the step deletes %d of them",
			func(p *pair) (set, done int) { return int(p.s.serviceless), p.whole.deletedOfGone }),
	},
}, Relaxes: reaperNeeds, Source: "manager/orchestrator/taskinit/init.go, CheckTasks"}

var staleView = &allowance{Action: action{
	Name: "stale-view", Actor: "orchestrator",
	Doc: "The orchestrator reads a service first and writes tasks later. Until then, the service may have changed. " +
		"These rules may use a version from the last second: " + strings.Join(model.NamesOf(viewRules...), ", ") + ". Of these, restart-dead may do so only for jobs. The version of a new task's spec may be up to 50 transactions old. For a replicated service, a version may be up to 15 s old. That ends when a new task has a spec that was written later. A removal that leaves too few slots is accepted provisionally: the service must get them again within 5 s, or 15 s if the version is over a second old.",
	Bind: func(p *pair) bool {
		if len(p.tasks) == 0 {
			return false
		}
		p.sid = p.tasks[0].atFirst().service
		return p.sid != nil && slices.ContainsFunc(p.sid.recent, p.mayView)
	},
	Clauses: []clause{{
		Text: `another rule explains the step with a version of the service from the last second; or of the last 50 transactions, if the step only creates tasks, with its spec_version; or of the last 15 s, for such a step or a removal, if sid is replicated and unread; unread: the orchestrator has created no task by a spec that was written later. A removal needs another spec or another value of replicas`, Effect: true,
		Holds: func(p *pair) bool {
			p.whole.viewing = true
			defer func() { p.whole.viewing = false }()
			for i := len(p.sid.recent) - 1; i >= 0; i-- {
				v := p.sid.recent[i]
				if !p.mayView(v) {
					continue
				}
				sid := p.sid
				if v.under(func() bool { p.whole.byView = viewRules.Match(p); return p.whole.byView != nil }) {
					p.whole.view = v
					return true
				}
				p.sid = sid
			}
			return false
		},
	}},
}, Relaxes: `CreateSlot and RequestRemoval read the current services`, Source: "manager/orchestrator/replicated/services.go, tickServices, reconcile, addTasks; manager/orchestrator/jobs, ReconcileService"}

// mayView reports whether stale-view may use the version. New tasks show which one it was. A
// removal does not: of one by an older version, a later step must show that it was stale.
func (p *pair) mayView(v *version) bool {
	h := p.whole.history
	if p.removes() && p.sid.exists && v.docker.spec == p.sid.docker.spec && v.value == p.sid.serviceValue {
		return false // only update_state differs
	}
	isUnread := v.docker.mode == replicatedMode && v.until.step > h.read && h.now.lately(v.until, lateBy)
	return h.now.lately(v.until, staleFor) || isUnread && p.removes() || (isUnread || h.now.isFewAfter(v.until)) && p.isMadeBy(v)
}

// removes reports whether the part marks tasks for removal.
func (p *pair) removes() bool {
	return p.tasks[0].was && p.tasks[0].is && p.tasks[0].new.desired == Remove
}

// isMadeBy reports whether the part only creates tasks, by the version's spec. They show what
// the orchestrator has read: after an election, it may be seconds behind.
func (p *pair) isMadeBy(v *version) bool {
	return v.docker.spec != 0 && !slices.ContainsFunc(p.tasks, func(c taskChange) bool { return c.was || p.whole.specOf(&c) != v.docker.spec })
}

// relaxations are the allowances of types and invariants.
var relaxations = []validators.AllowanceDoc{
	{
		Name: desiredComplete, Doc: "A job's task may have desired_state = complete. In the order of states, complete is between running and shutdown.",
		Clauses: []string{`t.desired_state = complete => t is a job's task`},
		Relaxes: "TypeOK: DesiredState has no complete", Source: "manager/orchestrator/jobs",
	},
	{
		Name: taskOutlivesService, Doc: "A task may exist after its service was deleted. A network attachment is a task that never has a service.",
		Clauses: []string{`t.service \in DOMAIN services \/ t.service was deleted \/ t.service = ""`},
		Relaxes: `Inv: t.service \in DOMAIN services`, Source: "manager/controlapi/service.go, RemoveService; manager/resourceapi/allocator.go",
	},
	{
		Name: shutdownUnassigned, Doc: "A task has no node if it shuts down before the scheduler assigns it.",
		Clauses: []string{`assigned \preceq State(t) => t.node \in Node \/ State(t) \in { rejected, shutdown }`},
		Relaxes: `Inv: assigned \preceq State(t) => t.node \in Node`, Source: "manager/scheduler/scheduler.go, noSuitableNode",
	},
	{
		Name: nodeGone, Doc: "A task may name a node that was removed.",
		Clauses: []string{`Node has all nodes that the stream has ever shown`},
		Relaxes: "WorkerTypeOK: Node is a constant", Source: "manager/controlapi/node.go, RemoveNode",
	},
	{
		Name: nodeUnknown, Doc: "A new leader's dispatcher marks all nodes unknown. Such a node is not up, but the orchestrator does not replace its tasks.",
		Clauses: []string{`status \notin { ready, down } => ~IsUp(n)`},
		Relaxes: "WorkerTypeOK: a node is either up or down", Source: "manager/dispatcher/dispatcher.go, markNodesUnknown",
	},
}

// The names of the relaxations.
const (
	desiredComplete     = "desired-complete"
	taskOutlivesService = "task-outlives-service"
	shutdownUnassigned  = "shutdown-unassigned"
	nodeGone            = "node-gone"
	nodeUnknown         = "node-unknown"
)
