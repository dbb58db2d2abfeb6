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
