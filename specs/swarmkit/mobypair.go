package swarmkit

import "fmt"

// What the rules of the profile read of a part, and of its step.

// service returns what the step does to the service.
func (p *pair) service() *serviceStep { return &p.whole.services[p.slot.of] }

// marksWanted counts the wanted tasks of the part.
func (p *pair) marksWanted() (n int32) {
	for i := range p.tasks {
		n += int32(b2i(p.tasks[i].old.isWanted()))
	}
	return n
}

// isJustShown reports whether the service's spec may have been written just before the snapshots.
func (p *pair) isJustShown() bool {
	return p.sid.docker.written.step == 0 && p.whole.history.shownWithin(staleFor)
}

// viewsBefore reports whether the new task shows that the orchestrator goes by a spec from just
// before the snapshots.
func (p *pair) viewsBefore() bool {
	d, spec := &p.sid.docker, p.whole.specOf(p.created)
	return p.isJustShown() && spec != 0 && spec < d.spec
}

// mayViewBefore reports whether it may do so. The end of an update shows that it has read the
// spec.
func (p *pair) mayViewBefore() bool { return p.sid.docker.updating && p.isJustShown() }

func showDesired(p *pair) string { return "t.desired_state = " + p.t.old.desired.String() }
func showState(p *pair) string   { return "State(t) = " + p.t.old.state.String() }

func showSlot(p *pair) string {
	return p.vslot.list(func(*taskValue) bool { return true })
}

// Clauses that several rules have.

var (
	slotsAreEnough = besideReplicas(`IsReplicated(sid) => after the step, at most services[sid].replicas slots have a wanted task; or the new task has an earlier spec_version, of just before the snapshots`,
		"such slots after the step", func(p *pair) int { return p.service().after.wanted },
		func(p *pair, slots int64) bool {
			return !p.sid.isReplicated() || slots <= p.sid.replicas || p.viewsBefore()
		})
	nothingWanted = clause{
		Text:  `after the step, the slot has no wanted task but the new one`,
		Holds: func(p *pair) bool { return p.slot.after.wanted == p.slot.createdWanted }, Shows: showSlot,
	}
	// Free slots are taken in the order of their numbers.
	slotOfReplicas = clause{
		Text: `IsReplicated(sid) => slot <= services[sid].replicas; or the new task has an earlier spec_version, of just before the snapshots`,
		Holds: func(p *pair) bool {
			return !p.sid.isReplicated() || p.vslot.key.slot <= p.sid.replicas || p.viewsBefore()
		},
		Shows: func(p *pair) string { return fmt.Sprintf("%s, replicas = %d", p.vslot.key, p.sid.replicas) },
	}
	oneNewTask = clause{
		Text: `the step creates one task in the slot`, Holds: func(p *pair) bool { return p.slot.created == 1 },
	}
	nothingNew = clause{
		Text: `the step creates no task in the slot`, Holds: func(p *pair) bool { return p.slot.created == 0 },
	}
	isJob = clause{
		Text: `sid is a job`, Effect: true, Holds: func(p *pair) bool { return p.sid.docker.mayBeJob() },
	}
	noJob = clause{
		Text: `sid is not a job`, Effect: true, Holds: func(p *pair) bool { return !p.sid.docker.isJob() },
	}
	isRunnable = clause{
		Text: `Runnable(t)`, Holds: func(p *pair) bool { return p.t.old.state.Runnable() }, Shows: showState,
	}
	hasEnded = clause{
		Text: `~Runnable(t)`, Holds: func(p *pair) bool { return !p.t.old.state.Runnable() }, Shows: showState,
	}
	wasWanted = clause{
		Text: `t is wanted: t.desired_state \in { ready, running, complete }`, Holds: func(p *pair) bool { return p.t.old.isWanted() }, Shows: showDesired,
	}
)

// besideReplicas is a guard that compares services[sid].replicas with a number of slots.
func besideReplicas(text, which string, slots func(*pair) int, holds func(p *pair, slots int64) bool) clause {
	return clause{
		Text:  text,
		Holds: func(p *pair) bool { return holds(p, int64(slots(p))) },
		Shows: func(p *pair) string {
			return fmt.Sprintf("replicas = %d, %s = %d", p.sid.replicas, which, slots(p))
		},
	}
}

// leavesNone is the guard that the step leaves no task of a set out, unless it was cut.
// counts returns the sizes of the set, and of its part in the step.
func leavesNone(text, shows string, counts func(*pair) (set, done int)) clause {
	return clause{
		Text:  text,
		Holds: func(p *pair) bool { set, done := counts(p); return p.whole.cut || set == done },
		Shows: func(p *pair) string { set, done := counts(p); return fmt.Sprintf(shows, set, done) },
	}
}
