package swarmkit

import (
	"fmt"

	"tracecheck/internal/amount"
)

// Module Orchestrator. Ids of new tasks are unused by the format's own rule
// (a create of an id that exists is refused before), so no clause repeats
// UnusedId.

var createSlot = &action{
	Name: "CreateSlot", Actor: "orchestrator",
	Doc:  "Create a new slot if there are fewer than the service wants.",
	Bind: bindCreated, Clauses: []clause{
		onlyTasks,
		hasService,
		notFlagged,
		{
			Text:  `IsReplicated(sid) => services[sid].replicas > Cardinality(VSlotsOf(sid))`,
			Holds: func(p *pair) bool { return !p.sid.isReplicated() || p.sid.replicas > int64(p.sid.slots) },
			Shows: func(p *pair) string { return fmt.Sprintf("replicas = %d, slots = %d", p.sid.replicas, p.sid.slots) },
		},
		slotUnused,
		hasNew(Running),
	},
}

var replaceTask = &action{
	Name: "ReplaceTask", Actor: "orchestrator",
	Doc:  "Add a task to a slot that exists and has no runnable task, unless it is being removed.",
	Bind: bindCreated, Clauses: []clause{
		onlyTasks,
		hasService,
		slotInUse,
		{
			Text:  `\A task \in TasksOfVSlot(sid, slot) : ~Runnable(task)`,
			Holds: func(p *pair) bool { return p.vslot.runnable == 0 },
			Shows: func(p *pair) string { return p.vslot.list(func(v *taskValue) bool { return v.state.Runnable() }) },
		},
		{
			Text:  `\E task \in TasksOfVSlot(sid, slot) : task.desired_state # remove`,
			Holds: func(p *pair) bool { return p.unseen() || p.vslot.notRemove > 0 },
			Shows: showSlot,
		},
		hasNew(Running),
	},
}

var requestRemoval = &action{
	Name: "RequestRemoval", Actor: "orchestrator",
	Doc:  "If there are more replicas than the spec asks for, mark one slot's tasks for removal.",
	Bind: bindRemoved, Clauses: []clause{
		onlyTasks,
		hasService,
		{Text: `IsReplicated(sid)`, Holds: func(p *pair) bool { return p.sid.isReplicated() }},
		{
			Text:  `services[sid].replicas < Cardinality(current)`,
			Holds: func(p *pair) bool { return p.unseen() || p.sid.replicas < int64(p.sid.wanted) },
			Shows: func(p *pair) string {
				return fmt.Sprintf("replicas = %d, RunnableWantedTasks = %d", p.sid.replicas, p.sid.wanted)
			},
		},
		{
			// t.slot, not VSlot(t): a global task's is global, which is no vslot.
			Text:  `slot \in { t.slot : t \in current }`,
			Holds: func(p *pair) bool { return p.vslot.key.slot > 0 && p.vslot.wanted > 0 },
			Shows: showSlot,
		},
		removesSlot.clause(`UpdateTasks([t \in TasksOfVSlot(sid, slot) |-> [t EXCEPT !.desired_state = remove]])`,
			func(p *pair) string {
				return fmt.Sprintf("%d tasks of %s are not yet marked; the step changes %s", p.vslot.notRemove, p.vslot.key, amount.Of(len(p.tasks), "task"))
			}),
	},
	// Where t.slot is global, no task is in that vslot and nothing changes.
	Stutter: func(p *pair) bool { return p.s.totals.removal > 0 },
}

var cleanupTerminated = &action{
	Name: "CleanupTerminated", Actor: "orchestrator",
	Doc:  "Mark a terminated task for removal if its slot has more than maxTerminated of them.",
	Bind: bindRemoved, Clauses: []clause{
		onlyTasks,
		hasService,
		{
			Text:  `Cardinality(termTasksInSlot) > maxTerminated`,
			Holds: func(p *pair) bool { return p.unseen() || p.vslot.terminated > p.s.maxTerminated },
			Shows: func(p *pair) string {
				return fmt.Sprintf("termTasksInSlot = %d, maxTerminated = %d", p.vslot.terminated, p.s.maxTerminated)
			},
		},
		{
			Text:  `t \in termTasksInSlot`,
			Holds: func(p *pair) bool { return p.t.old.state.Terminated() },
			Shows: showState,
		},
		getsDesired(Remove),
	},
	Stutter: func(p *pair) bool { return p.s.totals.cleanup > 0 },
}

var restartTask = &action{
	Name: "RestartTask", Actor: "orchestrator",
	Doc: "Shut a task down and create its replacement, which waits at ready.",
	Bind: func(p *pair) bool {
		p.created = nil
		if bindCreated(p) {
			// The old task is the one in the new one's slot, where there is one.
			c := p.first(func(c *taskChange) bool {
				return c.was && c.is && c.old.service == p.sid && c.old.vslot() == p.vslot.key && c.new.desired == Shutdown
			})
			if c != nil {
				p.setTask(c)
				return true
			}
		}
		return bindDesired(p) && p.t.new.desired == Shutdown
	},
	Clauses: []clause{
		unchanged("services", "nodes"),
		{
			Text:  `Runnable(oldT)`,
			Holds: func(p *pair) bool { return p.t.old.state.Runnable() },
			Shows: func(p *pair) string { return "State(oldT) = " + p.t.old.state.String() },
		},
		{
			Text:  `oldT.desired_state \prec shutdown`,
			Holds: func(p *pair) bool { return p.t.old.desired.Prec(Shutdown) },
			Shows: func(p *pair) string { return "oldT.desired_state = " + p.t.old.desired.String() },
		},
		isRestarted,
	},
}

var releaseReady = &action{
	Name: "ReleaseReady", Actor: "orchestrator",
	Doc:  "The previous task of the slot has finished: let the one that waits at ready proceed.",
	Bind: bindDesired, Clauses: []clause{
		onlyTasks,
		isDesired(Ready),
		inState(Ready),
		{
			Text: `\A other \in TasksOfVSlot(t.service, VSlot(t)) \ {t} : ~Runnable(other)`,
			Holds: func(p *pair) bool {
				others := p.vslot.runnable
				if p.t.old.state.Runnable() {
					others--
				}
				return others == 0
			},
			Shows: func(p *pair) string {
				return p.vslot.list(func(v *taskValue) bool { return v.state.Runnable() && *v != p.t.old })
			},
		},
		getsDesired(Running),
	},
}

var cleanupService = &action{
	Name: "CleanupService", Actor: "orchestrator",
	Doc:  "The user asked to remove a service, and now all its tasks are gone.",
	Bind: bindService(true, false), Clauses: []clause{
		unchanged("tasks", "nodes", "nEvents"),
		{Text: `services[sid].remove = TRUE`, Holds: func(p *pair) bool { return p.spec.old.remove }},
		{
			Text:  `TasksOf(sid) = {}`,
			Holds: func(p *pair) bool { return p.sid.tasks == 0 },
			Shows: func(p *pair) string { return amount.Of(int(p.sid.tasks), "task") },
		},
		serviceForgotten,
	},
}
