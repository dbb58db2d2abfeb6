package swarmkit

// The profile has no obligation that a healthy swarm may leave open for ever: pending
// tasks without a suitable node, nodes that stay down, abandoned slots. No line shows what
// the restart policy or a node's constraints forbid.

// isAllocated reports whether the allocator handles the service's new tasks. The service
// exists, and does not wait for a port of another one.
func (sv *service) isAllocated() bool {
	return sv.isAttachment() || sv.exists && !sv.docker.mayPublish()
}

// owesOther reports whether a change of fields may change the obligations of the service's
// slots and tasks.
func (d *dockerService) owesOther(before *dockerService) bool {
	return d.mode != before.mode || d.maxAttempts != before.maxAttempts || d.publishes != before.publishes
}

// restart is the obligation of a vslot in which nothing runs. A wanted task that ended is
// replaced or shut down.
func (vs *vslot) restart() want {
	if !vs.service.exists || vs.service.docker.mayBeJob() || vs.docker.wanted == 0 {
		return want{}
	}
	return want{For: waitReplaceTask, Of: vs}
}

// forgetting is the obligation of a vslot with more tasks than limit(sid). The reaper only
// checks slots in which a task was created. A lower limit alone deletes nothing.
func (s *state) forgetting(vs *vslot) want {
	if !vs.service.exists || vs.runnable == vs.count || !s.isFull(vs) {
		return want{}
	}
	return want{For: waitCleanupTerminated, Of: vs, Stage: -int32(vs.count)}
}

// mayLackSlots reports whether the service may need no more slots than it has. No line shows
// the nodes of a global service, or how many tasks of a job run at once.
func (sv *service) mayLackSlots() bool { return !sv.isReplicated() || sv.docker.mayBeJob() }

// condemning is the obligation of the tasks of a deleted service.
func condemning(sv *service) want {
	if sv.notRemove == 0 || sv.isAttachment() {
		return want{}
	}
	return want{For: waitCondemn, Of: sv}
}
