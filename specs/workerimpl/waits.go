package workerimpl

import (
	"tracecheck/validators"
)

// What an object waits for depends only on its own fields and counts. So a step changes
// the obligations only of the objects that it touches.

type want = validators.Want

// What a unit waits for: its task, and then its container.
const (
	progress = iota // the task's next state, on any node
	report          // RequiredTaskUpdates of the task's worker
	stop            // the end of its container
	unitWaits
)

// want returns what the unit waits for, of the three.
func (s *state) want(u *unit, what int) (w want) {
	t, c := &u.task, &u.cont
	switch known := u.hasTask && t.Bad|t.Unseen == 0 && t.node != nil; {
	case what == progress && known:
		if by := s.owed[t.state][t.desired]; by != 0 {
			w = want{For: by, Of: u, Stage: int32(t.state), Gate: &t.node.connected}
		}
	case what == report && known:
		if s.shareOn(t.node, u).tasks.has(symbolSync) {
			w = want{For: waitSyncWithManager, Of: u, Gate: &t.node.serving}
		}
	case what != stop || !u.hasCont || c.node == nil:
	case c.state == isTerminating:
		w = want{For: waitShutdownComplete, Of: (*container)(u)}
	case s.shareOn(c.node, u).containers.has(symbolSync):
		w = want{For: waitSyncWithManager, Of: (*container)(u), Gate: &c.node.serving, Stage: int32(c.node.taken[symbolSync])}
	}
	return w
}

// wants returns what the node waits for: to come up, and that its tasks are orphaned, as
// the worker of the module and as a node of WorkerSpec..
func (n *node) wants() (all [3]want) {
	if n.exists && !n.up && n.Bad == 0 {
		all[0] = want{For: waitWorkerUp, Of: n}
	}
	if n.isDown() && n.wholes[symbolOrphan].tasks > 0 {
		all[2] = want{For: waitWSOrphanTasks, Of: n, Stage: int32(n.taken[symbolOrphan])}
		if n.isWorker {
			all[1] = all[2]
			all[1].For = waitOrphanTasks
		}
	}
	return all
}

// container is a unit in the role of its container.
type container unit

// Key implements validators.Keyed.
func (u *unit) Key() string { return u.id }

// Ref implements validators.Waiter.
func (u *unit) Ref() validators.Ref { return validators.Ref{Kind: kindTask, ID: u.id} }

// Ref implements validators.Waiter.
func (u *container) Ref() validators.Ref { return validators.Ref{Kind: kindContainer, ID: u.id} }

// Key implements validators.Keyed.
func (n *node) Key() string { return n.id }

// Ref implements validators.Waiter.
func (n *node) Ref() validators.Ref { return validators.Ref{Kind: kindNode, ID: n.id} }
