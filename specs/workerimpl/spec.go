// Package workerimpl is WorkerImpl.tla (moby/swarmkit, design/tla): the tasks
// and nodes that a cluster's managers know, and the containers that one worker
// has for them. `node`, the module's constant, is that worker. A trace may log
// the containers of several workers: each is judged as an instance of its own,
// to which the others are OtherComponent.
package workerimpl

import (
	"slices"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Spec is the specification, as a value.
var Spec = &validators.Spec{
	Name:   "workerimpl",
	Module: "WorkerImpl",
	Doc: "What a worker node of SwarmKit does: it runs a container for each task that it progresses, " +
		"synchronises their states with the managers, stops, loses and forgets them. " +
		"The worker is each node that container lines name.",
	Source:   "github.com/moby/swarmkit, design/tla/WorkerImpl.tla",
	Kinds:    []trace.Kind{kindTask, kindNode, kindContainer},
	Columns:  slices.Concat(taskTable.Describe(), nodeTable.Describe(), containerTable.Describe()),
	Actions:  pairs.Describe(),
	Rules:    []validators.RuleDoc{typeOK, wsSpec},
	Temporal: temporal,
	Waits:    waits,
	New:      newMachine,

	Transitions: func() []validators.Transition { return swarm.Documented(agentActor) },
}
