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

// The container states. noContainer stands for a value outside the type.
const (
	noContainer containerState = iota
	isRunning
	isTerminating
	isComplete
	isFailed
)

var containerNames = [...]string{
	noContainer: "?", isRunning: "running", isTerminating: "terminating",
	isComplete: "complete", isFailed: "failed",
}

func (s containerState) String() string { return containerNames[s] }

func parseContainerState(name string) containerState {
	switch name {
	case "running":
		return isRunning
	case "terminating":
		return isTerminating
	case "complete":
		return isComplete
	case "failed":
		return isFailed
	}
	return noContainer
}

// live is membership of { running, terminating }.
func (s containerState) live() bool { return s == isRunning || s == isTerminating }

// dead is membership of { complete, failed }.
func (s containerState) dead() bool { return s == isComplete || s == isFailed }

// report is the state as a task's: what RequiredTaskUpdates reports of it.
func (s containerState) report() State {
	switch s {
	case isComplete:
		return Complete
	case isFailed:
		return Failed
	}
	return Running // terminating too: no progress of the shutdown is recorded
}

// transitions says of each pair of states which components Transitions
// (Tasks.tla) permits it to, as reading swarm.Transitions once gives it.
var transitions = func() (t [Orphaned + 1][Orphaned + 1]permitted) {
	for actor, pairs := range swarm.Transitions {
		by := byOthers
		if actor == agentActor {
			by = byAgent
		}
		for _, p := range pairs {
			t[p[0]][p[1]] |= by
		}
	}
	return t
}()

// permitted marks the components that may take a transition.
type permitted uint8

const (
	byAgent permitted = 1 << iota
	byOthers
)
