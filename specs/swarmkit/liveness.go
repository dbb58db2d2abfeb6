package swarmkit

import (
	"tracecheck/specs/internal/swarm"
	"tracecheck/validators"
)

// What the objects of a state wait for: the progress actions, and that
// InDesiredState holds.
const (
	waitDesired validators.Wait = iota + 1
	waitCreateSlot
	waitReplaceTask
	waitRequestRemoval
	waitCleanupTerminated
	waitReleaseReady
	waitCleanupService
	waitAllocateTask
	waitScheduler
	waitProgressTask
	waitShutdownComplete
	waitOrphanTasks
	waitWorkerUp
	waitReaper
	waitCondemn
)

var waits = []string{
	waitDesired:           eventuallyAsDesired.Name,
	waitCreateSlot:        createSlot.Name,
	waitReplaceTask:       replaceTask.Name,
	waitRequestRemoval:    requestRemoval.Name,
	waitCleanupTerminated: cleanupTerminated.Name,
	waitReleaseReady:      releaseReady.Name,
	waitCleanupService:    cleanupService.Name,
	waitAllocateTask:      allocateTask.Name,
	waitScheduler:         scheduler.Name,
	waitProgressTask:      progressTask.Name,
	waitShutdownComplete:  shutdownComplete.Name,
	waitOrphanTasks:       orphanTasks.Name,
	waitWorkerUp:          workerUp.Name,
	waitReaper:            reaper.Name,
	waitCondemn:           condemn.Name,
}

var eventuallyAsDesired = validators.Temporal{
	Name: "EventuallyAsDesired",
	Formula: `[]<> <<User>>_vars \/ []<> <<RestartTask>>_vars \/ []<> <<WorkerDown>>_vars \/ []<> <<RejectTask>>_vars ` +
		`\/ []<> <<ContainerExit>>_vars \/ <>[] InDesiredState`,
	Doc: "After a finite number of problems the system settles in the desired state. " +
		"It is at risk since the state was last the desired one, or since the last problem after that. " +
		"A problem is a step of User, RestartTask, WorkerDown, RejectTask or ContainerExit.",
	Predicate: inDesiredState.Name,
	Waits:     []validators.Wait{waitDesired},
}

// isSetback says that the action is one of those which EventuallyAsDesired
// forgives for ever.
func isSetback(a *action) bool {
	switch a {
	case createService, updateService, removeService, restartTask, workerDown, rejectTask, containerExit:
		return true
	}
	return false
}

// temporal is Spec's fairness, EventuallyAsDesired and TransitionsOK. Weak
// fairness is followed for each object that an action is enabled for, which is
// more than the formula asks: that of a disjunction is satisfied by any of its
// actions, taken for any object.
var temporal = []validators.Temporal{
	{
		Name: "WF_vars(OrchestratorProgress)",
		Doc:  "The orchestrator eventually takes each of its enabled actions.",
		Waits: []validators.Wait{waitCreateSlot, waitReplaceTask, waitRequestRemoval,
			waitCleanupTerminated, waitReleaseReady, waitCleanupService},
	},
	{
		Name: "WF_vars(AllocatorProgress)", Doc: "New tasks are allocated eventually.",
		Waits: []validators.Wait{waitAllocateTask},
	},
	{
		Name: "WF_vars(Scheduler)", Doc: "Pending tasks are scheduled eventually.",
		Waits: []validators.Wait{waitScheduler},
	},
	{
		Name: `WF_vars(AgentProgress /\ UNCHANGED services)`,
		Doc:  "Connected agents advance their tasks. The tasks of nodes that stay down are orphaned.",
		Waits: []validators.Wait{waitProgressTask, waitShutdownComplete, waitOrphanTasks,
			waitWorkerUp},
	},
	{
		Name: "WF_vars(Reaper)", Doc: "Tasks that must be removed are eventually removed.",
		Waits: []validators.Wait{waitReaper},
	},
	{
		Name: `WF_vars(WorkerUp /\ UNCHANGED services)`, Doc: "A node that is down comes up again.",
		Waits: []validators.Wait{waitWorkerUp},
	},
	{
		Name: "WF_vars(condemn)", Doc: "The tasks of a service that was deleted are marked for removal eventually.",
		Waits: []validators.Wait{waitCondemn}, Profile: swarm.Moby,
	},
	eventuallyAsDesired,
	{
		Name: "TransitionsOK", Formula: `[][StepTransitionsOK]_vars`,
		Doc:  "Every step's transitions are valid.",
		Step: stepTransitionsOK.Name,
	},
}
