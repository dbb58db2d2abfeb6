package swarmkit

import "tracecheck/validators"

type (
	action = validators.Action[pair]
	clause = validators.Clause[pair]
)

// next is the module's Next, in its order. Its last disjunct, for models that
// limit events, is stuttering.
var next = validators.Relation[pair]{
	createService, updateService, removeService, // User
	createSlot, replaceTask, requestRemoval, cleanupTerminated, releaseReady, cleanupService, restartTask, // Orchestrator
	allocateTask,                                                                                 // Allocator
	scheduler,                                                                                    // Scheduler
	progressTask, shutdownComplete, orphanTasks, workerUp, rejectTask, containerExit, workerDown, // AgentTLC
	reaper, // Reaper
}

// moving are those that may explain a step of one task's state, or its node:
// most steps are such.
var moving = validators.Relation[pair]{
	allocateTask, scheduler, progressTask, shutdownComplete, orphanTasks, rejectTask, containerExit,
}

// match returns the first action of Next that explains the pair.
func (p *pair) match() *action {
	if len(p.tasks) == 1 && len(p.services)+len(p.nodes) == 0 {
		if c := &p.tasks[0]; c.was && c.is && c.old.desired == c.new.desired {
			return moving.Match(p)
		}
	}
	return next.Match(p)
}
