// Package swarmkit is SwarmKit.tla (moby/swarmkit, design/tla). Users create and remove
// services, and an orchestrator keeps their tasks. An allocator, a scheduler, the nodes'
// agents and a reaper move the tasks along. Each file has the name of a module. Actions and
// clauses have the words of the text.
//
// Its objects are not rows of validators/model. Tasks are linked
// to their slots, and slots to their services and nodes. So a guard on all tasks of a
// slot is a count. A slot waits for actions, and is not an object. Under the profile moby a
// step is a transaction: each part of it falls to one rule, which may read the history.
//
// alone.go has the short way of steps that give one task another state, and change nothing else.
// It looks up the action in a table that the actions' clauses have made. Three fifths of the events
// of a generated trace are such steps: judging takes 0.8 of the instructions.
//
// batched.go has the search for batched steps. The generic search tries all
// orders. Where one of n tasks cannot do what it does, that is 2^n states: searched as
// a whole, such a step of 14 tasks takes 61,443 tries. This search begins with each slot
// alone. A step of 5,000 tasks takes fewer than 40 tries for each (TestLargeBatchedSteps).
package swarmkit

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Spec is the specification, as a value.
var Spec = &validators.Spec{
	Name:   "swarmkit",
	Module: "SwarmKit",
	Doc: "Docker's SwarmKit manages services, their tasks and the nodes. Each change is a step of one component: " +
		"the user, the orchestrator, the allocator, the scheduler, a node's agent or the reaper.",
	Source:  "github.com/moby/swarmkit, design/tla/SwarmKit.tla",
	Kinds:   []trace.Kind{kindService, kindTask, kindNode},
	Columns: slices.Concat(serviceTable.Describe(), taskTable.Describe(), nodeTable.Describe()),
	Constants: []validators.ConstantDoc{{
		Name: "max_terminated", Type: "integer, at least 0", Default: strconv.Itoa(defaultMaxTerminated),
		Doc: "maxTerminated: how many terminated tasks a slot keeps. Docker calls it the task history limit.",
	}},
	Actions: next.Describe(),
	Rules:   []validators.RuleDoc{typeOK.Describe(), inv.Describe(), stepTransitionsOK, inDesiredState},
	Profiles: []validators.Profile{{Name: swarm.Moby, Doc: swarm.MobyDoc, Allows: describeAllowances(),
		Actions: relation{updateSpec, createSlots, replaceSlots, removeSlots}.Describe()}},
	Temporal: temporal,
	Waits:    waits,
	Desired:  true,
	New:      newMachine,

	Transitions: func() []validators.Transition {
		return swarm.Documented("orchestrator", "allocator", "scheduler", "agent", "reaper")
	},
	Branches: branches.Describe(),
}

// defaultMaxTerminated is Docker's default for the task history limit.
const defaultMaxTerminated = 5

// maxTerminated is the constant; under the profile moby a negative one, which
// the text's Nat does not have, is no limit, as Docker means it.
func maxTerminated(constants map[string]string, moby bool) (int32, error) {
	raw, given := constants["max_terminated"]
	if !given {
		return defaultMaxTerminated, nil
	}
	n, ok := trace.Integer(raw)
	if ok && n < 0 && moby {
		return math.MaxInt32, nil
	}
	if !ok || n < 0 {
		return 0, fmt.Errorf("constant max_terminated must be an integer from 0 (ASSUME maxTerminated \\in Nat), not %s", raw)
	}
	return int32(min(n, math.MaxInt32)), nil
}
