package swarmkit

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
