package swarmkit

import (
	"slices"
	"sync"

	"tracecheck/validators"
)

// What an object waits for depends only on its own fields and counts. So a step changes
// the obligations only of the objects that it touches. The actions' clauses decide what is
// enabled. They are evaluated for one witness of each sort, if the counts show that there
// is any.

type want = validators.Want

// witnesses is a pair in which nothing changes, for the guards on a service and on one
// of its vslots.
func (s *state) witnesses(sv *service, vs *vslot) *pair {
	p := &s.still
	p.s, p.sid, p.vslot = s, sv, vs
	return p
}

// Each represents all tasks or vslots of its sort: the guards read only these fields.
var (
	anyReady      = &taskChange{old: taskValue{taskRest: taskRest{taskStates: taskStates{state: Ready, desired: Ready}}}}
	anyTerminated = &taskChange{old: taskValue{taskRest: taskRest{taskStates: taskStates{state: Complete}}}}
	anyWanted     = &vslot{key: vslotKey{slot: 1}, slotRest: &slotRest{taskCounts: taskCounts{wanted: 1}}}
	unusedSlot    = &vslot{key: vslotKey{slot: 1}, slotRest: &slotRest{}}
	unusedNode    = &vslot{key: vslotKey{node: &node{shown: true}}, slotRest: &slotRest{}}
)

// owed has the action that a task waits for, by its state and its desired state.
var owed = sync.OnceValue(func() *perStatus[duty] {
	var all perStatus[duty]
	for state, row := range ways() {
		for desired, list := range row {
			for _, w := range list {
				if wait := slices.Index(waits, w.by.Name); wait > 0 && w.state != State(state) {
					all[state][desired] = duty{validators.Wait(wait), w.linked}
					break
				}
			}
		}
	}
	return &all
})

// duty is an awaited action, and whether the task's node must be up.
type duty struct {
	wait   validators.Wait
	linked bool
}

// progress returns the action of the allocator, the scheduler or the agent that the task
// waits for.
func (s *state) progress(t *task) want {
	if s.owed == nil {
		s.owed = owed() // not before it is needed
	}
	owes := &s.owed[t.state][t.desired]
	switch {
	case owes.wait == 0, t.bad|t.unseen != 0, owes.linked && t.node == nil:
		return want{}
	case s.moby && (t.state == Pending || t.state == New && !t.in.service.isAllocated()): // no node may fit
		return want{}
	}
	w := want{For: owes.wait, Of: t, Stage: int32(t.state)}
	switch {
	case owes.linked:
		w.Gate = &t.node.connected
	case t.state == Pending && t.node == nil:
		w.Gate = &s.anyNode
	}
	return w
}

// reaping returns whether the task waits for the reaper.
func (s *state) reaping(t *task) want {
	if t.bad|t.unseen != 0 || !t.isReapable() || s.moby && t.desired != Remove {
		return want{}
	}
	return want{For: waitReaper, Of: t}
}

// replacement returns the action that the vslot waits for to get its next task.
func (s *state) replacement(vs *vslot) want {
	switch {
	case s.mayHide(vs.service):
		return want{}
	case s.moby && vs.runnable == 0:
		return vs.restart()
	}
	p := s.witnesses(vs.service, vs)
	if replaceTask.Enabled(p) {
		return want{For: waitReplaceTask, Of: vs}
	}
	if p.t = anyReady; vs.ready > 0 && releaseReady.Enabled(p) {
		return want{For: waitReleaseReady, Of: vs}
	}
	return want{}
}

// cleanup returns whether terminated tasks of the vslot wait to be deleted.
func (s *state) cleanup(vs *vslot) want {
	if s.moby {
		return s.forgetting(vs)
	}
	p := s.witnesses(vs.service, vs)
	if p.t = anyTerminated; vs.terminatedGoing < vs.terminated && cleanupTerminated.Enabled(p) {
		return want{For: waitCleanupTerminated, Of: vs, Stage: int32(vs.terminatedGoing)}
	}
	return want{}
}

// slots returns whether the service waits for a slot, or to be deleted.
func (s *state) slots(sv *service) want {
	if !sv.exists || sv.bad|sv.unseen != 0 || s.mayHide(sv) {
		return want{}
	}
	unused := unusedSlot
	if sv.isGlobal() {
		unused = unusedNode
	}
	p := s.witnesses(sv, unused)
	p.spec = &s.stillSpec
	p.spec.old = sv.serviceValue
	switch {
	case cleanupService.Enabled(p):
		return want{For: waitCleanupService, Of: sv}
	case s.moby && sv.mayLackSlots(), sv.isGlobal() && sv.nodeSlots >= s.totals.nodes:
	case createSlot.Enabled(p):
		return want{For: waitCreateSlot, Of: sv, Stage: int32(sv.slots)}
	}
	return want{}
}

// removal returns whether a service with too many replicas waits for a removal.
func (s *state) removal(sv *service) want {
	if s.moby && sv.isGone() {
		return condemning(sv)
	}
	if sv.bad|sv.unseen != 0 || sv.wanted == int(sv.wantedGlobal) || !requestRemoval.Enabled(s.witnesses(sv, anyWanted)) {
		return want{}
	}
	w := want{For: waitRequestRemoval, Of: sv}
	if s.moby { // a start-first update has two wanted tasks in a slot
		replicas := sv.dockerSlots.wanted
		if sv.replicas >= int64(replicas) {
			return want{}
		}
		w.Stage = -int32(replicas)
	}
	return w
}

// up returns whether the node waits to come up.
func (s *state) up(n *node) want {
	if s.moby || !n.exists || n.bad != 0 || !workerUp.Enabled(s.about(n)) {
		return want{}
	}
	return want{For: waitWorkerUp, Of: n}
}

// orphans returns whether the node's tasks wait to be orphaned.
func (s *state) orphans(n *node) want {
	if s.moby || n.owned == 0 || !orphanTasks.Enabled(s.about(n)) {
		return want{}
	}
	return want{For: waitOrphanTasks, Of: n}
}

func (s *state) about(n *node) *pair {
	p := s.witnesses(nil, nil)
	p.node = n
	return p
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

// Ref implements validators.Waiter. A service may have no name, as the record of one that is
// not known has none. The same applies to a node.
func (vs *vslot) Ref() validators.Ref {
	twin := uint8(b2i(vs.service.unknown)<<1 | b2i(vs.key.node == nil))
	return validators.Ref{Kind: kindService, ID: vs.service.id, Part: vs.key.String(), Twin: twin}
}
