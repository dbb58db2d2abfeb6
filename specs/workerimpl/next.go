package workerimpl

import "tracecheck/validators"

type (
	action = validators.Action[pair]
	clause = validators.Clause[pair]
)

// agentActor is the actor of the worker's own actions. Those of OtherComponent
// have none.
const agentActor = "agent"

// next is the module's Next, in its order: OtherComponent, then Agent, whose
// first five are AgentProgress. nEvents never changes (maxEvents = -1), so
// that CountEvent always holds and is no clause.
var next = validators.Relation[pair]{
	createTask, updateTask, removeTask,
	progressTask, orphanTasks, workerUp, shutdownComplete, syncWithManager,
	rejectTask, workerDown, containerExit, workerReboot,
}

// near is Next in the order in which a diagnosis names actions that are as near
// as each other: the worker's own first.
var near = append(append(validators.Relation[pair]{}, next[3:]...), next[:3]...)
