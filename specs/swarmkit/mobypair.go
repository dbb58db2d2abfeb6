package swarmkit

import "fmt"

// What the profile's rules ask of a part and of the step that it is a part of.

// unseen says that there may be more tasks than the stream has shown, so that no
// count of them is too small.
func (p *pair) unseen() bool { return p.whole.attach }

// service is what the step does to the service.
func (p *pair) service() *serviceStep { return &p.whole.services[p.slot.of] }

// marks counts the part's tasks that are wanted.
func (p *pair) marksWanted() (n int32) {
	for i := range p.tasks {
		n += int32(b2i(p.tasks[i].old.isWanted()))
	}
	return n
}

func showDesired(p *pair) string { return "t.desired_state = " + p.t.old.desired.String() }
func showState(p *pair) string   { return "State(t) = " + p.t.old.state.String() }

func showSlot(p *pair) string {
	return p.vslot.list(func(*taskValue) bool { return true })
}

// Clauses that several rules have.

var (
	serviceExists = clause{
		Text: hasService.Text, Holds: hasService.Holds,
		Refute: true, Shows: func(p *pair) string { return fmt.Sprintf("there is no service %q", p.sid.id) },
	}
	slotsAreEnough = clause{
		Text:  `IsReplicated(sid) => after the whole step, slots with a wanted task <= services[sid].replicas`,
		Holds: func(p *pair) bool { return !p.sid.isReplicated() || int64(p.service().after.wanted) <= p.sid.replicas },
		Shows: func(p *pair) string {
			return fmt.Sprintf("replicas = %d, slots with a wanted task after the step = %d", p.sid.replicas, p.service().after.wanted)
		},
	}
	// After what the step does to the tasks that were in the slot.
	nothingWanted = clause{
		Text:  `every u in the slot is to shut down or to be removed`,
		Holds: func(p *pair) bool { return p.slot.after.wanted == p.slot.createdWanted }, Shows: showSlot,
	}
	// Free slots are taken in the order of their numbers.
	slotOfReplicas = clause{
		Text:  `IsReplicated(sid) => slot <= services[sid].replicas`,
		Holds: func(p *pair) bool { return !p.sid.isReplicated() || p.vslot.key.slot <= p.sid.replicas },
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
		Text: `sid is no job`, Effect: true, Holds: func(p *pair) bool { return !p.sid.docker.isJob() },
	}
	isRunnable = clause{
		Text: `Runnable(t)`, Holds: func(p *pair) bool { return p.t.old.state.Runnable() }, Shows: showState,
	}
	hasEnded = clause{
		Text: `~Runnable(t)`, Holds: func(p *pair) bool { return !p.t.old.state.Runnable() }, Shows: showState,
	}
	wasWanted = clause{
		Text: `t.desired_state \in { ready, running, complete }`, Holds: func(p *pair) bool { return p.t.old.isWanted() }, Shows: showDesired,
	}
)

// leavesNone is the guard that the step does to a whole set what it does, unless
// it is cut. The counts are of the set, and of what the step does it to.
func leavesNone(text, shows string, counts func(*pair) (set, done int)) clause {
	return clause{
		Text:  text,
		Holds: func(p *pair) bool { set, done := counts(p); return p.whole.cut || set == done },
		Shows: func(p *pair) string { set, done := counts(p); return fmt.Sprintf(shows, set, done) },
	}
}

// createsWith is as hasNew, and shows what the step creates.
func createsWith(desired State) clause {
	c := hasNew(desired)
	c.Shows = func(p *pair) string {
		c := &p.created.new
		return fmt.Sprintf("the new task is %s, desired %s, on node %s", c.state, c.desired, c.node.name())
	}
	return c
}
