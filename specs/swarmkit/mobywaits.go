package swarmkit

// What a healthy swarm may owe for ever is not owed under the profile: pending
// tasks that fit no node, nodes that stay down and their tasks (orphaned after a
// day), slots that were given up, and what the restart policy or a node's
// constraints forbid, which no line shows.

// isAllocated says that the service's new tasks are: it exists, and does not
// wait for a port that another one has.
func (sv *service) isAllocated() bool {
	return sv.isAttachment() || sv.exists && !sv.docker.mayPublish()
}

// owesOther says that, by its fields now, a service's slots and tasks
// may be owed other things than before.
func (d *dockerService) owesOther(before *dockerService) bool {
	return d.mode != before.mode || d.maxAttempts != before.maxAttempts || d.publishes != before.publishes
}

// restart is what is owed to a vslot in which nothing runs: a wanted task that
// ended is replaced, or given up.
func (vs *vslot) restart() want {
	if !vs.service.exists || vs.service.docker.mayBeJob() || vs.docker.wanted == 0 {
		return want{}
	}
	return want{For: waitReplaceTask, Of: vs}
}

// forgetting is what is owed to a vslot with more tasks than limit(s). The reaper
// looks at those alone in which a task was created: not at those that have too
// many since the limit is lower.
func (s *state) forgetting(vs *vslot) want {
	if !vs.service.exists || vs.runnable == vs.count || !s.isFull(vs) {
		return want{}
	}
	return want{For: waitCleanupTerminated, Of: vs, Stage: -int32(vs.count)}
}

// mayLackSlots says that the service may want no more slots than it has: which
// nodes a global one is for, and how many of a job's run at once, no line shows.
func (sv *service) mayLackSlots() bool { return !sv.isReplicated() || sv.docker.mayBeJob() }

// condemning is what is owed to the tasks of a service that is gone.
func condemning(sv *service) want {
	if sv.notRemove == 0 || sv.isAttachment() {
		return want{}
	}
	return want{For: waitCondemn, Of: sv}
}
