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
}.Prepared()

// match returns the first action of Next that explains the pair. Most steps give one
// task another state: then it is one of those that do.
func (p *pair) match() *action {
	if len(p.tasks) == 1 && len(p.services)+len(p.nodes) == 0 {
		if c := &p.tasks[0]; c.was && c.is && c.old.desired == c.new.desired {
			return leading()[c.new.state].Match(p)
		}
	}
	return next.Match(p)
}
