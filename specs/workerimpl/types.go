package workerimpl

import "tracecheck/specs/internal/swarm"

// State is a TaskState or a DesiredState.
type State = swarm.State

// The states, by the names of Types.tla.
const (
	NoState, New, Pending, Assigned      = swarm.NoState, swarm.New, swarm.Pending, swarm.Assigned
	Accepted, Preparing, Ready, Starting = swarm.Accepted, swarm.Preparing, swarm.Ready, swarm.Starting
	Running, Complete, Shutdown, Failed  = swarm.Running, swarm.Complete, swarm.Shutdown, swarm.Failed
	Rejected, Remove, Orphaned           = swarm.Rejected, swarm.Remove, swarm.Orphaned
)

// slot of a task: 1 and above, or global.
const (
	globalSlot int64 = 0
	badSlot    int64 = -1 // outside the type
)

// containerState is a ContainerState.
type containerState uint8

// The container states. noContainer is a value outside the type, or no container; where both
// may be meant, the former is badContainer.
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
