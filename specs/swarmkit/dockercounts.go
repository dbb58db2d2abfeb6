package swarmkit

// slotCounts are what the allowances' guards ask of a vslot. They are kept for
// the recorded state, and worked out for the one that a step leads to.
type slotCounts struct {
	count    int32 // tasks
	runnable int32 // Runnable(t)
	wanted   int32 // W(t)
	live     int32 // Runnable(t) /\ W(t)
	shut     int32 // desired_state = shutdown
	resting  int32 // of these, those that may not be restarted
	current  int32 // of a job's latest run: those that fill the slot
}

// dockerSlot is what the profile moby keeps of a vslot.
type dockerSlot struct {
	slotCounts
	ceased moment // when a task of it last ceased to be wanted, or was deleted while it was
	dirty  bool   // a task was created while it had too many, which the reaper has not yet deleted
}

// dockerCountsAlike is countsAlike for the counts of the profile moby.
func (t *task) dockerCountsAlike(v *taskValue) bool {
	return t.desired == v.desired && t.docker == v.docker &&
		t.state.Prec(Assigned) == v.state.Prec(Assigned) && (t.state == Complete) == (v.state == Complete)
}

// newDockerRest is that of a vslot without tasks.
func newDockerRest() *slotRest {
	var r struct {
		slotRest
		docker dockerSlot
	}
	r.slotRest.docker, r.own = &r.docker, true
	return &r.slotRest
}

// add adds a task of the service (d = 1) or takes it away (d = -1).
func (c *slotCounts) add(sv *service, v *taskValue, d int32) {
	c.count += d
	if v.state.Runnable() {
		c.runnable += d
	}
	if v.isWanted() {
		c.wanted += d
		if v.state.Runnable() {
			c.live += d
		}
	}
	if v.desired == Shutdown {
		c.shut += d
		c.resting += d * int32(b2i(!v.docker.restarts()))
	}
	if sv.isCurrent(v) {
		c.current += d
	}
}

// isCurrent says that the job's task fills a slot of its latest run: it is wanted, or, of a
// replicated job, complete. If a run is not known, what has ended may be of an earlier one.
func (sv *service) isCurrent(v *taskValue) bool {
	its, last := v.docker.iteration(), sv.docker.iteration
	if its == noIteration || last == noIteration {
		return v.isWanted() && v.state.Runnable()
	}
	return (v.isWanted() || v.state == Complete && v.slot != globalSlot) && its >= last
}

// isSettled is a settled slot: at rest, and yet one of the service's replicas.
// Where a task's own restart policy may leave it as it is when it stops, some of
// its tasks may still be stopping.
func (c *slotCounts) isSettled() bool {
	return c.count > 0 && c.wanted == 0 && c.shut > 0 && (c.runnable == 0 || c.resting > 0)
}

// slotTotals are how many of a service's slots are of each sort.
type slotTotals struct {
	wanted  int // with a wanted task
	settled int
	current int // of a job
}

func (t *slotTotals) add(c *slotCounts, d int) {
	t.wanted += d * b2i(c.wanted > 0)
	t.settled += d * b2i(c.isSettled())
	t.current += d * b2i(c.current > 0)
}

// updatable is updatable(s).
func (t *slotTotals) updatable() int { return t.wanted + t.settled }

// countsOther says that the service's own fields changed in what recount depends on.
func (d *dockerService) countsOther(before *dockerService) bool {
	return d.mode != before.mode || d.iteration != before.iteration || d.maxAttempts != before.maxAttempts
}

// recount brings what depends on the service's own fields up to date after they
// changed: which run of a job its tasks are of, and how many tasks a slot keeps.
func (s *state) recount(sv *service) {
	sv.dockerSlots, sv.fullSlots = slotTotals{}, 0
	for vs := range sv.vslots.all {
		vs.docker.current = 0
		for t := range vs.all {
			v := t.value()
			vs.docker.current += int32(b2i(sv.isCurrent(&v)))
		}
		sv.dockerSlots.add(&vs.docker.slotCounts, +1)
		sv.fullSlots += int32(b2i(s.isFull(vs)))
	}
	s.refresh(sv)
}

// holdsTooMany says that a vslot is known to have more tasks than limit(s); a
// job's keeps them all.
func (s *state) holdsTooMany(vs *vslot) bool {
	d := &vs.service.docker
	if d.isJob() || d.hidesLimit() {
		return false
	}
	limit := d.limit(s.maxTerminated)
	return limit >= 0 && int64(vs.count) > max(limit, 1) // it leaves the only task, which runs when it looks
}

// soil marks the vslot for the reaper, or no more.
func (s *state) soil(vs *vslot, dirty bool) {
	sv := vs.service
	sv.fullSlots -= int32(b2i(s.isFull(vs)))
	vs.docker.dirty = dirty
	sv.fullSlots += int32(b2i(s.isFull(vs)))
	s.refresh(sv)
}

// tallyDocker is as tally, for what only the profile moby asks.
func (s *state) tallyDocker(vs *vslot, v *taskValue, d int32) {
	sv := vs.service
	sv.dockerSlots.add(&vs.docker.slotCounts, -1)
	vs.docker.add(sv, v, d)
	sv.dockerSlots.add(&vs.docker.slotCounts, +1)
	if v.isWanted() {
		sv.waiting += int(d) * b2i(v.state.Prec(Assigned))
		sv.serving += int(d) * b2i(v.state == Running)
	}
	if v.node != nil && v.state.Runnable() {
		v.node.docker.runnable += int(d)
	}
}

// mayRest says that the service may stay as it is for ever: its slots run, or
// have been given up, or wait for a node or a port. What still runs of others,
// on nodes that were lost, is not counted. Which nodes a global service is for,
// and how far a job is to go, no line shows.
func (sv *service) mayRest() bool {
	if !sv.isReplicated() || sv.docker.mayBeJob() {
		return true
	}
	serving := int64(sv.serving)
	return serving <= sv.replicas && serving+int64(sv.dockerSlots.settled+sv.waiting) >= sv.replicas
}
