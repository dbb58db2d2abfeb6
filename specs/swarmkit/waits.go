package swarmkit

import (
	"tracecheck/validators"
)

// Each object's wants follow from its own fields and counts, so that those of
// the objects that a step touches are all that it can change: ENABLED of each
// progress action, said once more without a next state.

type want = validators.Want

// progress is what the allocator, the scheduler or the agent owes the task.
func (s *state) progress(t *task) want {
	w := want{Of: t, Stage: int32(t.state)}
	if t.bad|t.unseen != 0 {
		return want{}
	}
	switch {
	case t.state == New:
		if s.moby && !t.service.isAllocated() {
			return want{}
		}
		w.For = waitAllocateTask
	case t.state == Pending:
		if s.moby {
			return want{} // no node may fit
		}
		w.For = waitScheduler
		if t.node == nil {
			w.Gate = &s.anyNode
		}
	case t.node == nil:
		return want{}
	case Assigned.Preceq(t.state) && t.state.Prec(Running) && (t.state + 1).Preceq(t.desired):
		w.For, w.Gate = waitProgressTask, &t.node.connected
	case t.state == Running && (t.desired == Shutdown || t.desired == Remove):
		w.For, w.Gate = waitShutdownComplete, &t.node.connected
	default:
		return want{}
	}
	return w
}

// reaping is what the reaper owes the task.
func (s *state) reaping(t *task) want {
	if t.bad|t.unseen != 0 || !t.isReapable() || s.moby && t.desired != Remove {
		return want{}
	}
	return want{For: waitReaper, Of: t}
}

// replacement is what the orchestrator owes the vslot's next task.
func (s *state) replacement(vs *vslot) want {
	switch {
	case vs.count == 0:
	case s.moby && vs.runnable == 0:
		return vs.restart()
	case vs.runnable == 0 && vs.notRemove > 0 && vs.service.exists:
		return want{For: waitReplaceTask, Of: vs}
	case vs.runnable == 1 && vs.ready == 1:
		return want{For: waitReleaseReady, Of: vs}
	}
	return want{}
}

// cleanup is what the orchestrator owes the vslot's terminated tasks.
func (s *state) cleanup(vs *vslot) want {
	if s.moby {
		return s.forgetting(vs)
	}
	if !vs.service.exists || vs.terminated <= s.maxTerminated || vs.terminatedGoing == vs.terminated {
		return want{}
	}
	return want{For: waitCleanupTerminated, Of: vs, Stage: int32(vs.terminatedGoing)}
}

// slots is what the orchestrator owes the service in slots, or that it forgets
// it.
func (s *state) slots(sv *service) want {
	switch {
	case !sv.exists || sv.bad|sv.unseen != 0:
	case sv.remove && sv.tasks == 0:
		return want{For: waitCleanupService, Of: sv}
	case sv.remove, s.moby && sv.mayLackSlots():
	case sv.isReplicated() && sv.replicas > int64(sv.slots), sv.isGlobal() && sv.nodeSlots < s.totals.nodes:
		return want{For: waitCreateSlot, Of: sv, Stage: int32(sv.slots)}
	}
	return want{}
}

// removal is what the orchestrator owes a service with too many replicas.
func (s *state) removal(sv *service) want {
	if s.moby && sv.isGone() {
		return condemning(sv)
	}
	if !sv.exists || sv.bad|sv.unseen != 0 || !sv.isReplicated() ||
		sv.replicas >= int64(sv.wanted) || sv.wanted == int(sv.wantedGlobal) {
		return want{}
	}
	replicas := sv.wanted
	if s.moby { // a start-first update has two wanted tasks in a slot
		if replicas = sv.dockerSlots.wanted; sv.replicas >= int64(replicas) {
			return want{}
		}
	}
	return want{For: waitRequestRemoval, Of: sv, Stage: -int32(replicas)}
}

// up is that the node comes up.
func (s *state) up(n *node) want {
	if s.moby || !n.exists || n.up || n.bad != 0 {
		return want{}
	}
	return want{For: waitWorkerUp, Of: n}
}

// orphans is that the node's tasks are given up, or that it comes back.
func (s *state) orphans(n *node) want {
	if s.moby || !n.isDown() || n.owned == 0 {
		return want{}
	}
	return want{For: waitOrphanTasks, Of: n}
}

// slotWaits is what a vslot waits for.
type slotWaits struct {
	next  *validators.Obligation // replacement
	clean *validators.Obligation // cleanup
}

// Key implements validators.Keyed.
func (t *task) Key() string { return t.id }

// Ref implements validators.Waiter.
func (t *task) Ref() validators.Ref { return validators.Ref{Kind: kindTask, ID: t.id} }

// Key implements validators.Keyed.
func (sv *service) Key() string { return sv.id }

// Key implements validators.Keyed.
func (n *node) Key() string { return n.id }

// Ref implements validators.Waiter.
func (sv *service) Ref() validators.Ref { return validators.Ref{Kind: kindService, ID: sv.id} }

// Ref implements validators.Waiter.
func (n *node) Ref() validators.Ref { return validators.Ref{Kind: kindNode, ID: n.id} }

// Ref implements validators.Waiter. A service may have no name, as what stands
// for one that is not known has none, and a node that of no node.
func (vs *vslot) Ref() validators.Ref {
	twin := uint8(b2i(vs.service.unknown)<<1 | b2i(vs.key.node == nil))
	return validators.Ref{Kind: kindService, ID: vs.service.id, Part: vs.key.String(), Twin: twin}
}
