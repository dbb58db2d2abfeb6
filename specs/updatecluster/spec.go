// Package updatecluster is UpdateCluster.tla: users send requests to update a
// cluster's configuration; requests are checked, queued, processed and applied
// one at a time, and rolled back where they fail half-way. Actions and clauses
// carry the text's own words.
//
// Three variables need not be logged, and are compared only in a step that logs
// them. lastSubmitted follows from the ranks, and confOK from the first action
// that depends on it. In a stream that has logged no queued so far, a valid
// request may be in the queue, and going from valid to processing stands for
// PushToQueue and ProcessQueue. From the first line that logs it on, queued is a
// field as others are: what a line leaves out stays as it was.
package updatecluster

import (
	"tracecheck/trace"
	"tracecheck/validators"
)

// Spec is the specification, as a value.
var Spec = &validators.Spec{
	Name:   "updatecluster",
	Module: "UpdateCluster",
	Doc: "Requests to update a cluster, from their submission to their end: they are checked, queued, processed " +
		"and applied, only the last one submitted and one at a time, and rolled back where they fail half-way.",
	Source:  "UpdateCluster.tla",
	Kinds:   []trace.Kind{trace.KindRequest, trace.KindCluster},
	Actions: next.Describe(),
	Rules: []validators.RuleDoc{
		typeInvariants, noConcurrentUpdate.Describe(), noApplicationOfOutdatedReq,
	},
	Temporal: temporal,
	Waits:    waits,
	New:      newMachine,

	Transitions: transitions,
	Branches:    branches.Describe(),
}
