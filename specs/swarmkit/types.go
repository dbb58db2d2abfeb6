package swarmkit

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

// replicas of a service: a count, or global.
const (
	globalReplicas int64 = -1
	badReplicas    int64 = -2 // outside the type
)

// slot of a task: 1 and above, or global.
const (
	globalSlot int64 = 0
	badSlot    int64 = -1 // outside the type
)
