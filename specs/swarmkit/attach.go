package swarmkit

import "tracecheck/trace"

// Under --attach, a step about what is known in part is taken as it is. What is known may
// show that no action makes the step, whatever the rest is.

// expectPossible reports the changes of half-seen objects that no action makes.
func (m *machine) expectPossible(step *trace.Step) {
	b := &m.binder
	for i := range b.tasks {
		if c := &b.tasks[i]; c.was && c.old.unseen != 0 && c.old.bad|c.new.bad == 0 && !c.remade && !m.mayFollow(c) {
			b.refuse(&step.Events[c.line], c.line, "no action does this, whatever its other fields are: "+c.what())
		}
	}
	for i := range b.services {
		c := &b.services[i]
		if unseen := c.old.unseen | c.new.unseen; c.was && c.is && c.old.unseen != 0 && c.old.bad|c.new.bad == 0 && !c.remade {
			ev, sized, flagged := &step.Events[c.line], unseen&ofReplicas == 0, c.old.unseen&ofRemove == 0 && c.old.remove
			if sized && c.old.isGlobal() != c.new.isGlobal() {
				b.refuse(ev, c.line, "an update may not change a service's mode")
			}
			if flagged && (!c.new.remove || sized && c.old.replicas != c.new.replicas) {
				b.refuse(ev, c.line, "no action changes a service that is to be removed")
			}
		}
	}
}

// mayFollow reports whether some values of what is not known let the actions make the
// change: one action, unless the step is batched. The profile moby has more of them, but none
// takes a state back, or changes that of a task that has ended.
func (m *machine) mayFollow(c *taskChange) bool {
	if m.s.moby {
		known := c.is && (c.old.unseen|c.new.unseen)&ofState == 0
		return !known || c.old.state == c.new.state || c.old.state.Runnable() && c.old.state.Prec(c.new.state)
	}
	most := 1
	if m.batched {
		most = unreachable - 1
	}
	for from := range c.old.statuses {
		if !c.is {
			if from.to(gone) <= most {
				return true
			}
			continue
		}
		for to := range c.new.statuses {
			if from.to(to) <= most {
				return true
			}
		}
	}
	return false
}

// statuses yields all that the task's status may be.
func (v *taskValue) statuses(yield func(status) bool) {
	for state := New; state <= Orphaned; state++ {
		for _, desired := range [...]State{Ready, Running, Shutdown, Remove} {
			if (v.unseen&ofState != 0 && state != Remove || state == v.state) && (v.unseen&ofDesired != 0 || desired == v.desired) && !yield(status{state, desired}) {
				return
			}
		}
	}
}
