package workerimpl

import "tracecheck/validators"

// What the objects of a state wait for: the actions of AgentProgress, and those
// of WS!AgentProgress. WS!ProgressTask and WS!WorkerUp are enabled where
// ProgressTask and WorkerUp are, and an object waits for both at once.
const (
	waitProgressTask validators.Wait = iota + 1
	waitOrphanTasks
	waitWorkerUp
	waitShutdownComplete
	waitSyncWithManager
	waitWSShutdownComplete
	waitWSOrphanTasks
)

var waits = []string{
	waitProgressTask:       progressTask.Name,
	waitOrphanTasks:        orphanTasks.Name,
	waitWorkerUp:           workerUp.Name,
	waitShutdownComplete:   shutdownComplete.Name,
	waitSyncWithManager:    syncWithManager.Name,
	waitWSShutdownComplete: wsShutdownComplete.Name,
	waitWSOrphanTasks:      wsOrphanTasks.Name,
}

// temporal is WSSpec and Impl's fairness. Weak fairness is followed for each
// object that an action is enabled for, which is more than the formula asks:
// that of a disjunction is satisfied by any of its actions, taken for any
// object. Impl's comes last, to be the one that a deadline reports of what both
// ask.
var temporal = []validators.Temporal{
	{
		Name: `[][WS!Agent \/ OtherComponent]_wsVars`,
		Doc:  "The refinement, WSSpec's safety part: every step that changes tasks or nodes is one of WorkerSpec's Agent or of OtherComponent.",
		Step: wsSpec.Name,
	},
	{
		Name: "WF_wsVars(WS!AgentProgress)",
		Doc: "The refinement, WSSpec's fairness: in the tasks and nodes alone, tasks advance and stop on every node that is up, " +
			"those of nodes that stay down are orphaned, and nodes come up again.",
		Waits: []validators.Wait{waitProgressTask, waitWSShutdownComplete, waitWSOrphanTasks, waitWorkerUp},
	},
	{
		Name: "WF_vars(AgentProgress)",
		Doc: "The worker's own: what it can do to advance and stop containers and to synchronise with the managers, it does eventually. " +
			"ProgressTask and WorkerUp are owed on any node, OrphanTasks, ShutdownComplete and SyncWithManager on those that container lines have named, from then on.",
		Waits: []validators.Wait{waitProgressTask, waitOrphanTasks, waitWorkerUp, waitShutdownComplete, waitSyncWithManager},
	},
}
