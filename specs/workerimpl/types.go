package workerimpl

import "tracecheck/specs/internal/swarm"

// State is a TaskState or a DesiredState.
type State = swarm.State

// The states, by the names of Types.tla.
const (
	NoState   = swarm.NoState
	New       = swarm.New
	Pending   = swarm.Pending
	Assigned  = swarm.Assigned
	Accepted  = swarm.Accepted
	Preparing = swarm.Preparing
	Ready     = swarm.Ready
	Starting  = swarm.Starting
	Running   = swarm.Running
	Complete  = swarm.Complete
	Shutdown  = swarm.Shutdown
	Failed    = swarm.Failed
	Rejected  = swarm.Rejected
	Remove    = swarm.Remove
	Orphaned  = swarm.Orphaned
)

// slot of a task: 1 and above, or global.
const (
	globalSlot int64 = 0
	badSlot    int64 = -1 // outside the type
)

// containerState is a ContainerState.
type containerState uint8

// The container states. noContainer stands for a value outside the type, and for
// no container; where both may be meant, the former is badContainer.
const (
	noContainer containerState = iota
	isRunning
	isTerminating
	isComplete
	isFailed
	badContainer
)

var containerNames = [...]string{
	noContainer: "?", isRunning: "running", isTerminating: "terminating",
	isComplete: "complete", isFailed: "failed", badContainer: "?",
}

func (s containerState) String() string { return containerNames[s] }

// dead is membership of { complete, failed }.
func (s containerState) dead() bool { return s == isComplete || s == isFailed }
