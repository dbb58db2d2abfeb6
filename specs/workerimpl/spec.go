// Package workerimpl is WorkerImpl.tla (moby/swarmkit, design/tla): the tasks
// and nodes that a cluster's managers know, and the containers that one worker
// has for them. `node`, the module's constant, is that worker. A trace may log
// the containers of several workers: each is judged as a separate instance,
// to which the others are OtherComponent.
//
// Each action is defined once (action.go), and each kind of object is a table of columns
// (tables.go). The rest is what validators/model does not do. Each worker judges the same step
// as a separate instance. What it cannot explain may become known later (instances.go).
// Actions on whole sets are decided by counts (counts.go).
//
// batched.go has the search for batched steps. The generic search tries all orders. Of n tasks
// that change by themselves, it visits 2^n states before it finds that one cannot. This one
// tries fewer than 100 transitions for each of the 3,000 tasks of a step (TestLargeBatches).
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
	Doc: "A worker node of SwarmKit runs a container for each task that it progresses. It reports the states of the " +
		"containers to the managers. It also stops, loses and forgets containers. Each node that container lines name is " +
		"judged as a worker.",
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
