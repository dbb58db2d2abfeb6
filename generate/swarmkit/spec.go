package swarmkit

import (
	"tracecheck/generate/walk"
	"tracecheck/trace"
)

// Spec is SwarmKit.
var Spec = &walk.Spec{
	Name:  "swarmkit",
	Kinds: []trace.Kind{trace.KindService, trace.KindTask, trace.KindNode},
	Actions: []*walk.Action{
		createService, updateService, removeService, createSlot, replaceTask, requestRemoval, cleanupTerminated,
		releaseReady, cleanupService, restartTask, allocateTask, scheduler, progressTask, shutdownComplete,
		orphanTasks, workerUp, rejectTask, containerExit, workerDown, reaper,
	},
	Rules: rules,
	New:   New,
}
