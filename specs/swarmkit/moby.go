package swarmkit

import (
	"slices"

	"tracecheck/validators"
)

// allowance is what a healthy Docker swarm does beyond the text: an action of
// its own, whose guard is as narrow as what the swarm does.
type allowance = validators.Allowance[pair]

// ruleSet are the rules for tasks of which a transaction writes the same.
type ruleSet struct {
	first   relation // one by one, before all others
	service relation // all those of a service at once
	slot    relation // all those of a vslot at once
	pair    relation // one, with the task that is created in its vslot
	task    relation // one by itself
}

// taskRules are by what is written of a task, the text's actions first.
var taskRules = [...]ruleSet{
	marksRemove: {
		service: relation{removeService, &condemn.Action},
		slot:    relation{removeSlots, &scaleDownWantedOnly.Action, &scaleDownSettledSlot.Action, &staleView.Action},
		task:    relation{cleanupTerminated, &jobOldIteration.Action, &staleView.Action},
	},
	marksShutdown: {
		pair: relation{restartTask, &restartDead.Action, &staleView.Action},
		task: relation{&giveUp.Action, &superseded.Action, &shutDownOnLostNode.Action, &globalMisfit.Action},
	},
	releases: {task: relation{releaseReady, &release.Action, &jobRelease.Action}},
	deletes: {
		first:   relation{reaper, &staleReap.Action},
		service: relation{&servicelessPurge.Action},
		slot:    relation{&purgeDeadSlot.Action, &staleView.Action},
		task:    relation{reaper, &staleReap.Action, &historyLimit.Action, &removedNodePurge.Action, &attachmentTask.Action},
	},
	creates: {task: relation{createSlots, replaceSlots, &reuseDyingSlot.Action, &updateSettledSlot.Action, &startFirst.Action,
		&jobTask.Action, &attachmentTask.Action, &staleView.Action}},
}

// The other rules of the profile.
var (
	serviceRules = relation{createService, updateSpec, removeService, cleanupService, &serviceDelete.Action}
	nodeRules    = relation{workerUp, workerDown}

	progressRules = relation{progressTask}
	agentRules    = relation{progressTask, shutdownComplete, rejectTask, containerExit}
	moveRules     = concat(relation{allocateTask, scheduler}, agentRules, relation{&pendingShutdown.Action, &lateFailure.Action, &enforcerReject.Action})
	orphanRules   = relation{orphanTasks, orphanBatch, &nodeRemovalOrphans.Action}

	// viewRules go by what their component saw of the service, which may be an
	// older version of it.
	viewRules = relation{createSlots, removeSlots, &reuseDyingSlot.Action, &jobTask.Action, &jobOldIteration.Action, restartJob, &updateSettledSlot.Action,
		&scaleDownWantedOnly.Action, &scaleDownSettledSlot.Action, &purgeDeadSlot.Action}
)

type relation = validators.Relation[pair]

// allowances are the profile's, as its documentation lists them.
var allowances = []*allowance{
	serviceDelete, condemn, staleView, servicelessPurge,
	restartDead, giveUp, shutDownOnLostNode, globalMisfit,
	startFirst, superseded, updateSettledSlot, release,
	reuseDyingSlot, scaleDownWantedOnly, scaleDownSettledSlot, purgeDeadSlot, historyLimit, staleReap,
	pendingShutdown, enforcerReject, lateFailure, undoneWrite,
	nodeAppears, nodeDisappears, nodeRemovalOrphans, removedNodePurge,
	jobTask, jobRelease, jobOldIteration, attachmentTask,
}

func describeAllowances() []validators.AllowanceDoc {
	var docs []validators.AllowanceDoc
	for _, a := range allowances {
		docs = append(docs, a.Describe())
	}
	return append(docs, relaxations...)
}

// inPlaceOf is a text's action with other clauses, where counts hold over the
// whole step.
func inPlaceOf(a *action, clauses ...clause) *action {
	return &action{Name: a.Name, Actor: a.Actor, Doc: a.Doc, Bind: a.Bind, Clauses: clauses}
}

// besides is as inPlaceOf: its own clauses follow the others.
func besides(a *action, clauses ...clause) *action {
	return inPlaceOf(a, append(clauses, a.Clauses...)...)
}

func concat(lists ...relation) relation {
	return slices.Concat(lists...)
}
