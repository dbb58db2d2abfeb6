package updatecluster

import (
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// What a stream and its requests wait for: that a property's predicate holds,
// and the actions of Fairness.
const (
	waitComplete validators.Wait = iota + 1
	waitEmpty
	waitPushToQueue
	waitProcessQueue
	waitCompleteApply
	waitRollback
)

var waits = []string{
	waitComplete:      noPartialUpdateTermination.Name,
	waitEmpty:         everyReqInQueueIsProcessed.Name,
	waitPushToQueue:   pushToQueue.Name,
	waitProcessQueue:  processQueue.Name,
	waitCompleteApply: completeApply.Name,
	waitRollback:      rollback.Name,
}

var noPartialUpdateTermination = validators.Temporal{
	Name: "NoPartialUpdateTermination", Formula: `<>[](clusterState.complete = TRUE)`,
	Predicate: `clusterState.complete = TRUE`,
	Doc: "The cluster does not stay partially updated. It is at risk since the StartApply of the request that left it " +
		"incomplete.",
	Waits: []validators.Wait{waitComplete},
}

var everyReqInQueueIsProcessed = validators.Temporal{
	Name: "EveryReqInQueueIsProcessed", Formula: `<>[](queue = {})`, Predicate: `queue = {}`,
	Doc: "No request stays in the queue. It is at risk since the queue was last empty, even if requests have left it since. " +
		"A request counts as in the queue only if a line says so.",
	Waits: []validators.Wait{waitEmpty},
}

// temporal is Spec's Fairness, with r \in Reqs, and the properties.
var temporal = []validators.Temporal{
	{
		Name: "WF_vars(PushToQueue(r))",
		Doc: "A valid request is eventually pushed to the queue. If no line says whether it is in the queue, " +
			"it counts as not pushed until its status changes.",
		Waits: []validators.Wait{waitPushToQueue},
	},
	{
		Name: "WF_vars(ProcessQueue)",
		Doc: "A request in the queue is eventually processed. Each request that a line shows in the queue is an obligation. " +
			"This is stricter than the formula, which is satisfied if any request is processed.",
		Waits: []validators.Wait{waitProcessQueue},
	},
	{
		Name: "WF_vars(CompleteApply(r))", Doc: "An update of the cluster that has begun eventually ends, successfully or not.",
		Waits: []validators.Wait{waitCompleteApply},
	},
	{
		Name:  "WF_vars(Rollback(r))",
		Doc:   "A request that failed half-way is eventually rolled back if confOK is known to be TRUE. Otherwise Rollback changes nothing.",
		Waits: []validators.Wait{waitRollback},
	},
	noPartialUpdateTermination,
	{
		Name: noApplicationOfOutdatedReq.Name, Formula: noApplicationOfOutdatedReq.Clauses[0],
		Doc:  noApplicationOfOutdatedReq.Doc,
		Step: noApplicationOfOutdatedReq.Name,
	},
	everyReqInQueueIsProcessed,
}

// isQueued says that the request waits to leave the queue. One with a bad or
// unseen status waits for nothing; of a valid one that is not known to be in
// queue, either action is enabled.
func isQueued(_ *State, r *request) bool { return r.Value.Status != badStatus && r.Value.Queue == in }

// streamWaits: that the cluster is completely updated, and the queue empty.
// Between two requests' applications the first was so, recorded or not.
var streamWaits = []model.StreamWait[State]{
	{For: waitComplete, Is: func(s *State) bool { return !s.now().Complete }, Stage: func(s *State) int32 { return s.applied }},
	{For: waitEmpty, Is: func(s *State) bool { return s.queued > 0 }},
}

var gates = []model.Gate[State]{{
	At:   func(s *State) *validators.Gate { return &s.confTrue },
	Open: func(s *State) bool { return s.now().Conf == yes },
}}
