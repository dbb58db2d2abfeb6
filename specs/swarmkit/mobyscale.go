package swarmkit

import "slices"

// Rules of scaling down.

var tooManySlots = besideReplicas(`more than services[sid].replicas slots have a wanted task or are at rest; or sid may have had an earlier spec_version just before the snapshots`,
	"such slots", func(p *pair) int { return p.sid.dockerSlots.updatable() },
	func(p *pair, slots int64) bool { return p.unseen() || p.sid.replicas < slots || p.mayViewBefore() })

var slotsRemain = besideReplicas(`after the step, at least services[sid].replicas slots have a wanted task or are at rest; or sid may have had an earlier spec_version just before the snapshots`,
	"such slots after the step", func(p *pair) int { return p.service().after.updatable() },
	func(p *pair, slots int64) bool { return p.unseen() || p.sid.replicas <= slots || p.mayViewBefore() })

// The orchestrator lists a service's tasks first, and writes later. The list lacks what
// an update or a restart does to a slot in between.

func (p *pair) isNew(t *task) bool { return p.whole.history.now.lately(t.past.born, staleFor) }

// asRead counts the slot without the new wanted tasks, which the list may lack.
func (p *pair) asRead() slotCounts {
	c := p.vslot.docker.slotCounts
	if c.wanted > 0 {
		for t := range p.vslot.all {
			if t.isWanted() && p.isNew(t) {
				v := t.value()
				c.add(p.sid, &v, -1)
			}
		}
	}
	return c
}

// newlyFilled counts the new wanted tasks of a slot that was scaled down, if it had none
// before them: an update may still have the slot on its list.
func (p *pair) newlyFilled() (n int32) {
	wasScaledDown := false
	for t := range p.vslot.all {
		wasScaledDown = wasScaledDown || t.desired == Remove
		n += int32(b2i(t.isWanted() && p.isNew(t) && t.past.born.step > p.vslot.docker.ceased.step))
	}
	if !wasScaledDown {
		return 0
	}
	return n
}

func (p *pair) wasLatelyWanted(c *taskChange) bool {
	at := p.vslot.docker.ceased
	return c.old.isWanted() || c.past().ceased != 0 && c.past().ceased == uint32(at.step) && p.whole.history.now.lately(at, staleFor)
}

// leavesOutTheNewest reports whether the wanted tasks that the step does not mark are newer
// than the marked ones. They may be of just before the snapshots.
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
	Text: `IsReplicated(sid), and sid is not a job`, Effect: true,
	Holds: func(p *pair) bool { return p.sid.isReplicated() && p.sid.docker.mayBe(replicatedMode) },
}

var removeSlots = besides(requestRemoval, slotsRemain)

var scaleDownWantedOnly = &allowance{Action: action{
	Name: "scale-down-wanted-only", Actor: "orchestrator",
	Doc:  "The replicated orchestrator scales a service down. It marks only the wanted tasks of a slot for removal. The ended ones remain.",
	Bind: bindRemoved, Clauses: []clause{
		hasService, isReplicated, tooManySlots, slotsRemain,
		{
			Text: `the slot has a wanted task`, Holds: func(p *pair) bool { return p.vslot.docker.wanted > 0 }, Shows: showSlot,
		},
		{
			Text: `the step marks the wanted tasks of the slot, and no other; but it may leave out the newest of them, created within the last second (possibly before the snapshots); and it may mark tasks that were wanted within the last second`,
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
}, Relaxes: `RequestRemoval marks all tasks of the slot, and compares replicas with the number of sid's runnable wanted tasks`, Source: "manager/orchestrator/replicated/services.go, reconcile, setTasksDesiredState"}

var scaleDownSettledSlot = &allowance{Action: action{
	Name: "scale-down-settled-slot", Actor: "orchestrator",
	Doc:  "The replicated orchestrator counts a slot at rest as a replica. To scale down, it marks one task of such a slot for removal.",
	Bind: bindRemoved, Clauses: []clause{
		hasService, isReplicated, tooManySlots, slotsRemain,
		{
			Text:  `the slot is at rest: apart from tasks created within the last second, none is wanted; some have desired_state = shutdown; and all have ended, or the restart policy may leave one of these stopped`,
			Holds: func(p *pair) bool { c := p.asRead(); return c.isSettled() || p.unseen() && c.wanted == 0 }, Shows: showSlot,
		},
		isDesired(Shutdown),
		{Text: `the step marks no other task of the slot`, Holds: func(p *pair) bool { return p.slot.marked == 1 }},
		getsDesired(Remove),
	},
}, Relaxes: `RequestRemoval needs a slot with a runnable wanted task`, Source: "manager/orchestrator/replicated/services.go, reconcile; manager/orchestrator/restart/restart.go, UpdatableTasksInSlot"}

var purgeDeadSlot = &allowance{Action: action{
	Name: "purge-dead-slot", Actor: "orchestrator",
	Doc:  "The replicated orchestrator deletes all tasks of a slot that has no wanted task. A task that still runs is deleted, too.",
	Bind: bindDeleted, Clauses: []clause{
		hasService, isReplicated,
		{
			Text: `the slot has no wanted task; or a task of it has desired_state = remove, and its wanted tasks are new; the step deletes none of these; new: created within the last second, when the slot had no wanted task`,
			Holds: func(p *pair) bool {
				wanted := p.vslot.docker.wanted
				return wanted == 0 || p.marksWanted() == 0 && p.newlyFilled() == wanted
			},
			Shows: showSlot,
		},
		leavesNone(`tasks' = tasks \ TasksOfVSlot(sid, slot), apart from the wanted tasks`, "%d tasks in the slot; the step deletes %d",
			func(p *pair) (set, done int) { return int(p.vslot.count - p.vslot.docker.wanted), int(p.slot.deleted) }),
	},
}, Relaxes: reaperNeeds + `. StepTransitionsOK does not permit << assigned, null >> to << running, null >>`, Source: "manager/orchestrator/replicated/services.go, reconcile, deleteTasksMap"}
