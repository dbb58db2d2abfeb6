package swarmkit

import "time"

// How states change, beside the allocator, the scheduler and the agents.

var pendingShutdown = &allowance{Action: action{
	Name: "pending-shutdown", Actor: "scheduler", Doc: "The scheduler closes a task that it will never place.",
	Bind: bindState, Clauses: []clause{
		inState(Pending),
		{Text: `t.node = unassigned`, Holds: func(p *pair) bool { return p.t.old.node == nil }},
		{Text: `t is not wanted`, Holds: func(p *pair) bool { return !p.t.old.isWanted() }, Shows: showDesired},
		becomes(Shutdown),
	},
}, Relaxes: `Transitions: << pending, shutdown >>`, Source: "manager/scheduler/scheduler.go, noSuitableNode"}

// isEnforced: something has changed that the enforcer looks at.
func (p *pair) isEnforced() bool {
	return p.whole.drained(p.t) || p.node != nil && (p.whole.history.now.lately(p.node.docker.changed, reactFor) ||
		p.sid.docker.mayBeConstrained() && p.changedBefore(reactFor))
}

// changedBefore says that the node may have changed before the snapshots, which are of
// so short a time ago.
func (p *pair) changedBefore(window time.Duration) bool {
	return p.node.docker.changed.step == 0 && p.whole.history.shownWithin(window)
}

var enforcerReject = &allowance{Action: action{
	Name: "enforcer-reject", Actor: "orchestrator",
	Doc:  "A node does not fit a task any more: its labels, its role, its resources, or a volume.",
	Bind: bindState, Clauses: []clause{
		isRunnable, wasWanted,
		{
			Text:  `t.node \in Node`,
			Holds: func(p *pair) bool { return p.node != nil && p.node.shown }, Shows: showNode,
		},
		{
			Text: `availability = active, or a volume of t is drained`,
			Holds: func(p *pair) bool {
				return p.whole.drained(p.t) || p.node != nil && (p.node.docker.availability == activeNode || p.node.docker.availability == noAvailability)
			},
			Shows: func(p *pair) string {
				if p.node == nil {
					return "the task has no node"
				}
				return "availability " + p.node.docker.availability.String()
			},
		},
		{
			Text:  `the node changed in this step, or at most 5 s before, or a volume of t is drained; or it is one of a new leader's first steps: its enforcer looks at all nodes; or sid has constraints, and the node may have changed before snapshots of at most 5 s ago`,
			Holds: func(p *pair) bool { return p.isEnforced() || p.whole.history.mayBeElected() },
		},
		becomes(Rejected),
	},
}, Relaxes: `RejectTask: State(t) \in { assigned, accepted, preparing, ready, starting }, IsUp(t.node); Transitions: << new, rejected >>, << pending, rejected >>, << running, rejected >>`, Source: "manager/orchestrator/constraintenforcer/constraint_enforcer.go and manager/orchestrator/volumeenforcer/volume_enforcer.go, rejectNoncompliantTasks"}

var lateFailure = &allowance{Action: action{
	Name: "late-failure", Actor: "agent",
	Doc:  "A failure that is reported after the manager asked for the shutdown, or a shutdown that failed.",
	Bind: bindState, Clauses: []clause{
		linked(`IsUp(t.node)`, (*node).isUp),
		isDesired(Shutdown),
		{Text: `assigned \preceq State(t) /\ Runnable(t)`, Holds: func(p *pair) bool { return p.t.old.state.Owned() }, Shows: showState},
		becomes(Failed),
	},
}, Relaxes: `ContainerExit: failed is recorded as shutdown`, Source: "agent/exec/controller.go, Do; manager/dispatcher/dispatcher.go, processUpdates"}
