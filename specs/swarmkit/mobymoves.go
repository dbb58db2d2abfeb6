package swarmkit

import "time"

// Rules that change states, beside those of the allocator, the scheduler and the agents.

var pendingShutdown = &allowance{Action: action{
	Name: "pending-shutdown", Actor: "scheduler", Doc: "No node suits a pending task that is no longer wanted. The scheduler shuts it down.",
	Bind: bindState, Clauses: []clause{
		inState(Pending),
		{Text: `t.node = unassigned`, Holds: func(p *pair) bool { return p.t.old.node == nil }},
		{Text: `t is not wanted: t.desired_state \in { shutdown, remove }`, Holds: func(p *pair) bool { return !p.t.old.isWanted() }, Shows: showDesired},
		becomes(Shutdown),
	},
}, Relaxes: `Transitions has no << pending, shutdown >>`, Source: "manager/scheduler/scheduler.go, noSuitableNode"}

// isEnforced reports whether a change was recorded on which an enforcer acts.
func (p *pair) isEnforced() bool {
	return p.whole.drained(p.t) || p.node != nil && (p.whole.history.now.lately(p.node.docker.changed, reactFor) ||
		p.sid.docker.mayBeConstrained() && p.changedBefore(reactFor))
}

// changedBefore reports whether the node may have changed before the snapshots, within the
// window.
func (p *pair) changedBefore(window time.Duration) bool {
	return p.node.docker.changed.step == 0 && p.whole.history.shownWithin(window)
}

var enforcerReject = &allowance{Action: action{
	Name: "enforcer-reject", Actor: "orchestrator",
	Doc:  "The labels, role or resources of a node change. The constraint enforcer rejects the tasks that no longer fit. The volume enforcer rejects the tasks of a drained volume.",
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
			Text:  `t.node changed within the last 5 s (possibly before the snapshots, if sid has constraints); or a volume of t is drained; or a new leader may have begun within the last 10 steps: its enforcer checks all nodes`,
			Holds: func(p *pair) bool { return p.isEnforced() || p.whole.history.mayBeElected() },
		},
		becomes(Rejected),
	},
}, Relaxes: `RejectTask needs State(t) \in { assigned, accepted, preparing, ready, starting } and IsUp(t.node). Transitions has no << new, rejected >>, << pending, rejected >>, << running, rejected >>`, Source: "manager/orchestrator/constraintenforcer/constraint_enforcer.go and manager/orchestrator/volumeenforcer/volume_enforcer.go, rejectNoncompliantTasks"}

var lateFailure = &allowance{Action: action{
	Name: "late-failure", Actor: "agent",
	Doc:  "An agent reports that a task failed after the manager asked for its shutdown, or that the shutdown failed.",
	Bind: bindState, Clauses: []clause{
		linked(`IsUp(t.node)`, (*node).isUp),
		isDesired(Shutdown),
		{Text: `assigned \preceq State(t) /\ Runnable(t)`, Holds: func(p *pair) bool { return p.t.old.state.Owned() }, Shows: showState},
		becomes(Failed),
	},
}, Relaxes: `ContainerExit records such a failure as shutdown`, Source: "agent/exec/controller.go, Do; manager/dispatcher/dispatcher.go, processUpdates"}
