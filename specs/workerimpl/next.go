package workerimpl

import "tracecheck/validators"

// agentActor is the actor of the worker's own actions. Those of OtherComponent
// have none.
const agentActor = "agent"

// next is the module's Next, in its order: OtherComponent, then Agent, whose
// first five are AgentProgress. nEvents never changes (maxEvents = -1), so
// that CountEvent always holds and is no clause.
var next = []*action{
	createTask, updateTask, removeTask,
	progressTask, orphanTasks, workerUp, shutdownComplete, syncWithManager,
	rejectTask, workerDown, containerExit, workerReboot,
}

// others is how many of them are OtherComponent's.
const others = 3

// pairs is next as a relation. near has the order in which a diagnosis names
// actions that are as near as each other: the worker's own first.
var (
	pairs = relation(next)
	near  = append(append(validators.Relation[pair]{}, pairs[others:]...), pairs[:others]...)
)

// wholes are the actions on whole sets. An item of a batched step takes part in
// them together with all others.
var wholes = [...]*action{symbolSync: syncWithManager, symbolOrphan: orphanTasks, symbolReboot: workerReboot}
