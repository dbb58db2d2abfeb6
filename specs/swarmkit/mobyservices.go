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
		"These rules may use a version from the last second: " + strings.Join(model.NamesOf(viewRules...), ", ") + ". Of these, restart-dead may do so only for jobs. The version of a new task's spec may be up to 50 transactions old. A version may be older if the orchestrator is late: it has just scaled a service by a spec from before its end.",
	Bind: func(p *pair) bool {
		if len(p.tasks) == 0 {
			return false
		}
		p.sid = p.tasks[0].atFirst().service
		return p.sid != nil && slices.ContainsFunc(p.sid.recent, p.mayView)
	},
	Clauses: []clause{{
		Text: `another rule explains the step with a version of the service from the last second; or of the last 50 transactions, if the step only creates tasks, with its spec_version; or, if it creates none, with that version or a later one, within a second after such a step; or with one of a replicated service, if the orchestrator is late; late: within the last second, it scaled such a service by a spec of the last 15 s; that spec was written before the version's end`, Effect: true,
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
					return true
				}
				p.sid = sid
			}
			return false
		},
	}},
}, Relaxes: `CreateSlot and RequestRemoval read the current services`, Source: "manager/orchestrator/replicated/services.go, tickServices, reconcile, addTasks; manager/orchestrator/jobs, ReconcileService"}

// mayView reports whether stale-view may use the version. New tasks show which one it was.
func (p *pair) mayView(v *version) bool {
	now := p.whole.history.now
	creates := slices.ContainsFunc(p.tasks, func(c taskChange) bool { return !c.was })
	return now.lately(v.until, staleFor) || !creates && (now.lately(v.read, staleFor) || p.whole.history.isUnread(v)) || p.isMadeBy(v)
}

// isMadeBy reports whether the part only creates tasks, by the version's spec. They show what
// the orchestrator has read: after an election, it may be seconds behind.
func (p *pair) isMadeBy(v *version) bool {
	for i := range p.tasks {
		if c := &p.tasks[i]; c.was || v.docker.spec == 0 || p.whole.specOf(c) != v.docker.spec {
			return false
		}
	}
	h := p.whole.history
	return h.now.isFewAfter(v.until) || h.isUnread(v)
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
