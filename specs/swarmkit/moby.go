package swarmkit

import (
	"slices"

	"tracecheck/validators"
)

// allowance is an action that a healthy Docker swarm takes beyond the text. Its guards
// are as narrow as SwarmKit's code.
type allowance = validators.Allowance[pair]

// ruleSet has the rules for tasks in which a transaction writes the same field.
type ruleSet struct {
	first   relation // explain one task, before all others
	service relation // explain all tasks of a service at once
	slot    relation // explain all tasks of a vslot at once
	pair    relation // explain one task, and the new task of its vslot
	task    relation // explain one task
}

// taskRules has the rules for each kind of write. The text's actions come first.
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
	moveRules     = slices.Concat(relation{allocateTask, scheduler}, agentRules, relation{&pendingShutdown.Action, &lateFailure.Action, &enforcerReject.Action})
	otherMoves    = [Orphaned + 1]relation{Assigned: {scheduler}, Shutdown: {&pendingShutdown.Action}, Failed: {&lateFailure.Action}, Rejected: {&enforcerReject.Action}} // those beside stateWays, by the new state
	orphanRules   = relation{orphanTasks, orphanBatch, &nodeRemovalOrphans.Action}

	// viewRules may use an older version of the service: their component reads it first,
	// and writes later.
	viewRules = relation{createSlots, removeSlots, &reuseDyingSlot.Action, &jobTask.Action, &jobOldIteration.Action, restartJob, &updateSettledSlot.Action,
		&scaleDownWantedOnly.Action, &scaleDownSettledSlot.Action, &purgeDeadSlot.Action}
)

type relation = validators.Relation[pair]

// allowances are those of the profile, in the order of its documentation.
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

// inPlaceOf returns an action of the text with other clauses. Their counts are those
// after the step.
func inPlaceOf(a *action, clauses ...clause) *action {
	return &action{Name: a.Name, Actor: a.Actor, Doc: a.Doc, Bind: a.Bind, Clauses: clauses}
}

// besides returns an action of the text with more clauses. They come first.
func besides(a *action, clauses ...clause) *action {
	return inPlaceOf(a, append(clauses, a.Clauses...)...)
}
