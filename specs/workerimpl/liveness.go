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
		Doc:  "The safety part of WSSpec: every step that changes tasks or nodes is a step of WorkerSpec's Agent or of OtherComponent.",
		Step: wsSpec.Name,
	},
	{
		Name: "WF_wsVars(WS!AgentProgress)",
		Doc: "The fairness part of WSSpec, about tasks and nodes only. Tasks advance and stop on every node that is up. " +
			"The tasks of nodes that stay down are orphaned. Nodes come up again.",
		Waits: []validators.Wait{waitProgressTask, waitWSShutdownComplete, waitWSOrphanTasks, waitWorkerUp},
	},
	{
		Name: "WF_vars(AgentProgress)",
		Doc: "The worker eventually advances and stops its containers, and synchronises with the managers. " +
			"ProgressTask and WorkerUp are obligations on any node. OrphanTasks, ShutdownComplete and SyncWithManager are obligations on a node from the first container line that names it.",
		Waits: []validators.Wait{waitProgressTask, waitOrphanTasks, waitWorkerUp, waitShutdownComplete, waitSyncWithManager},
	},
}
