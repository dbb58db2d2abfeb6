package workerimpl

import (
	"tracecheck/validators"
)

// Each object's wants follow from its own fields and counts, so that those of
// the objects that a step touches are all that it can change.

type want = validators.Want

// progress is what is owed to the unit's task on whatever node it is.
func progress(u *unit) want {
	t := &u.task
	if !u.hasTask || t.Bad|t.Unseen != 0 || t.node == nil || owed[t.state][t.desired] == 0 {
		return want{}
	}
	return want{For: owed[t.state][t.desired], Of: u, Stage: int32(t.state), Gate: &t.node.connected}
}

// report is that RequiredTaskUpdates, of the worker that the unit's task is on,
// tells of it.
func (s *state) report(u *unit) want {
	t := &u.task
	if !u.hasTask || t.Bad|t.Unseen != 0 || t.node == nil || s.isVeiled(u) || u.effects(t.node)[letterSync].task == t.state {
		return want{}
	}
	return want{For: waitSyncWithManager, Of: u, Gate: &t.node.serving}
}

// stop is what its worker owes the unit's container.
func (s *state) stop(u *unit) want {
	c := &u.cont
	switch {
	case !u.hasCont || c.node == nil:
		return want{}
	case c.state == isTerminating:
		return want{For: waitShutdownComplete, Of: (*container)(u)}
	case s.isVeiled(u), u.effects(c.node)[letterSync].cont == u.contOn(c.node):
		return want{}
	}
	return want{For: waitSyncWithManager, Of: (*container)(u), Gate: &c.node.serving, Stage: int32(c.node.taken[letterSync])}
}

// up is that the node comes up.
func up(n *node) want {
	if !n.exists || n.up || n.Bad != 0 {
		return want{}
	}
	return want{For: waitWorkerUp, Of: n}
}

// orphans is that the node's tasks are given up, or that it comes back: for the
// worker, and for WorkerSpec on any node.
func orphans(n *node, by validators.Wait) want {
	if !n.isDown() || n.wholes[letterOrphan].tasks == 0 || by == waitOrphanTasks && !n.isWorker {
		return want{}
	}
	return want{For: by, Of: n, Stage: int32(n.taken[letterOrphan])}
}

// container is a unit in the role of its container.
type container unit

// Key implements validators.Keyed.
func (u *unit) Key() string { return u.id }

// Ref implements validators.Waiter.
func (u *unit) Ref() validators.Ref { return validators.Ref{Kind: kindTask, ID: u.id} }

// Ref implements validators.Waiter.
func (u *container) Ref() validators.Ref { return validators.Ref{Kind: kindContainer, ID: u.id} }

// Ref implements validators.Waiter.
func (n *node) Ref() validators.Ref { return validators.Ref{Kind: kindNode, ID: n.id} }
