package swarmkit

import (
	"fmt"
	"slices"
)

// Scaling down, and what goes with it.

var tooManySlots = clause{
	Text:  `services[sid].replicas < updatable(sid): the slots with a wanted task, or settled`,
	Holds: func(p *pair) bool { return p.unseen() || p.sid.replicas < int64(p.sid.dockerSlots.updatable()) },
	Shows: func(p *pair) string {
		return fmt.Sprintf("replicas = %d, updatable = %d", p.sid.replicas, p.sid.dockerSlots.updatable())
	},
}

var slotsRemain = clause{
	Text:  `after the whole step, services[sid].replicas <= updatable(sid)`,
	Holds: func(p *pair) bool { return p.unseen() || p.sid.replicas <= int64(p.service().after.updatable()) },
	Shows: func(p *pair) string {
		return fmt.Sprintf("replicas = %d, updatable after the step = %d", p.sid.replicas, p.service().after.updatable())
	},
}

// A reconciliation lists a service's tasks, and then writes. What an update or a
// restart does to a slot in between is not on its list.

func (p *pair) isNew(t *task) bool { return p.whole.history.now.lately(t.past.born, staleFor) }

// asRead is the part's slot without wanted tasks that the list may not have.
func (p *pair) asRead() slotCounts {
	c := p.vslot.docker.slotCounts
	if c.wanted > 0 {
		for t := range p.vslot.all {
			if t.isWanted() && p.isNew(t) {
				c.add(p.sid, &t.taskValue, -1)
			}
		}
	}
	return c
}

func (p *pair) wasLatelyWanted(c *taskChange) bool {
	at := p.vslot.docker.ceased
	return c.old.isWanted() || c.past().ceased != 0 && c.past().ceased == uint32(at.step) && p.whole.history.now.lately(at, staleFor)
}

// leavesOutTheNewest: the slot's wanted tasks that are not marked are newer than
// those that are, or may have been created just before the snapshots.
func (p *pair) leavesOutTheNewest() bool {
	newest := int64(0)
	for i := range p.tasks {
		newest = max(newest, p.tasks[i].past().born.step)
	}
	for t := range p.vslot.all {
		isMarked := slices.ContainsFunc(p.tasks, func(c taskChange) bool { return c.record == t })
		mayBeNew := t.past.born.step == 0 && newest == 0 && t.state.Prec(Running) && p.whole.history.shownWithin(staleFor)
		if t.isWanted() && !isMarked && !mayBeNew && !(p.isNew(t) && t.past.born.step > newest) {
			return false
		}
	}
	return true
}

var isReplicated = clause{
	Text: `IsReplicated(sid), and no job`, Effect: true,
	Holds: func(p *pair) bool { return p.sid.isReplicated() && p.sid.docker.mayBe(replicatedMode) },
}

var removeSlots = besides(requestRemoval, slotsRemain)

var scaleDownWantedOnly = &allowance{Action: action{
	Name: "scale-down-wanted-only", Actor: "orchestrator",
	Doc:  "Scaling down marks the wanted tasks of a slot and leaves its history.",
	Bind: bindRemoved, Clauses: []clause{
		serviceExists, isReplicated, tooManySlots, slotsRemain,
		{
			Text: `some task of the slot is wanted`, Holds: func(p *pair) bool { return p.vslot.docker.wanted > 0 }, Shows: showSlot,
		},
		{
			Text: `no wanted task of the slot is left out, and no other marked; but one that was created last, at most a second ago, may be left out, and one that was wanted up to a second ago may be marked; up to a second after the snapshots, one that does not run yet may be left out`,
			Holds: func(p *pair) bool {
				n := p.marksWanted()
				return (int(n) == len(p.tasks) || p.all(p.wasLatelyWanted)) &&
					(n == p.vslot.docker.wanted || p.whole.cut || p.leavesOutTheNewest())
			},
			Shows: showSlot,
		},
		{
			Text: `UpdateTasks([t \in TasksOfVSlot(sid, slot) : t is wanted |-> [t EXCEPT !.desired_state = remove]])`, Effect: true,
			Holds: removesSlot.only,
		},
	},
}, Relaxes: `RequestRemoval marks all tasks of the slot, and counts runnable wanted tasks, not slots`, Source: "manager/orchestrator/replicated/services.go, reconcile, setTasksDesiredState"}

var scaleDownSettledSlot = &allowance{Action: action{
	Name: "scale-down-settled-slot", Actor: "orchestrator",
	Doc:  "Slots at rest count as replicas: scaling down marks one task of such a slot.",
	Bind: bindRemoved, Clauses: []clause{
		serviceExists, isReplicated, tooManySlots, slotsRemain,
		{
			Text:  `the slot is settled: every task of it, but those created at most a second ago, is not wanted, some desired_state = shutdown, and all have ended, or the restart policy of its own spec may not restart some such task`,
			Holds: func(p *pair) bool { c := p.asRead(); return c.isSettled() }, Shows: showSlot,
		},
		isDesired(Shutdown),
		{Text: `the step marks no other task of the slot`, Holds: func(p *pair) bool { return p.slot.marked == 1 }},
		getsDesired(Remove),
	},
}, Relaxes: `RequestRemoval: the slot has a runnable wanted task`, Source: "manager/orchestrator/replicated/services.go, reconcile; manager/orchestrator/restart/restart.go, UpdatableTasksInSlot"}

var purgeDeadSlot = &allowance{Action: action{
	Name: "purge-dead-slot", Actor: "orchestrator",
	Doc:  "A reconciliation deletes the slots in which nothing is wanted, running tasks and all.",
	Bind: bindDeleted, Clauses: []clause{
		serviceExists, isReplicated,
		{
			Text:  `every u in the slot is to shut down or to be removed`,
			Holds: func(p *pair) bool { return p.vslot.docker.wanted == 0 }, Shows: showSlot,
		},
		leavesNone(`tasks' = tasks \ TasksOfVSlot(sid, slot)`, "%d tasks in the slot; the step deletes %d",
			func(p *pair) (set, done int) { return int(p.vslot.count), int(p.slot.deleted) }),
	},
}, Relaxes: `Reaper; StepTransitionsOK: << assigned, null >> to << running, null >>`, Source: "manager/orchestrator/replicated/services.go, reconcile, deleteTasksMap"}
