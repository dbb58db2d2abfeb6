// Package updatecluster is UpdateCluster.tla: users send requests to update a cluster's
// configuration. Requests are checked, queued, processed and applied one at a time. A
// request that fails half-way is rolled back. Actions and clauses
// have the words of the text.
//
// Three variables need not be logged, and are compared only in a step that logs them.
// lastSubmitted follows from the ranks, and confOK from the first action that depends on it.
// In a stream that has logged no queued so far, a valid request may be in the queue. A step
// from valid to processing is PushToQueue and ProcessQueue. From the first line that logs it
// on, queued is a field as others are: what a line leaves out stays as it was.
package updatecluster

import (
	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// Spec is the specification, as a value.
var Spec = spec.Spec()

// spec is the module, with what is worked out of its actions.
var spec = func() *model.Model[State, witness] {
	m := *text
	m.Transitions, m.Search = transitions, search
	return &m
}()

// text is the module.
var text = &model.Model[State, witness]{
	Name:   "updatecluster",
	Module: "UpdateCluster",
	Doc: "Requests to update a cluster are checked, queued, processed and applied. Only the latest request is applied, " +
		"one at a time. A request that fails half-way is rolled back.",
	Source: "UpdateCluster.tla",
	Type:   typeInvariants,

	New:    func(validators.Config) (*State, error) { return &State{}, nil },
	Attach: func(s *State) { s.cluster.Amend(func(c *Cluster) { c.LastFree = true }) },
	Tables: []model.Table[State]{requests, cluster},
	Next: []*action{
		processQueue,
		submit, initialcheck,
		pushToQueue,
		startApply, completeApply,
		rollback,
	},
	Rules: []model.Judged[State]{noConcurrentUpdate, noApplicationOfOutdatedReq},

	Temporal: temporal, Waits: waits, Stream: streamWaits, Gates: gates,

	Begin:  func(s *State) { s.logsNow = s.logsQueue },
	Settle: (*State).settle,
	Lost:   func(was, now *State) { now.logsQueue = was.logsQueue },
	Code: func(s *State, c *codec.Codec) {
		codec.Bool(c, &s.logsQueue)
		codec.Bool(c, &s.loggedLast)
	},
	Still: pushed,
}
