package workerimpl

import (
	"slices"

	"tracecheck/validators"
	"tracecheck/validators/model"
)

// Actions on whole sets (SyncWithManager, OrphanTasks, WorkerReboot) are decided
// by counts, which are kept here: the cost of a step follows what it changes,
// not how much there is.

// count is how many tasks and containers an action on whole sets changes, if it
// is enabled.
type count struct{ tasks, containers int }

// changed is what the action changes of the worker.
func (n *node) changed(a *action) count { return n.wholes[slices.Index(wholes[:], a)] }

// reaction is what each symbol makes of the unit on worker n.
func (s *state) reaction(u *unit, n *node) *reaction {
	at := noTask
	if u.hasTask {
		at = int(elsewhere) - model.BoolInt(u.task.node == n) // which is atWorker
	}
	return &s.reactions[at][u.task.state][u.contOn(n)][u.task.desired]
}

// share is what a unit adds to the counts of a node: which actions change its task
// there, and its container.
type share struct {
	node              *node // nil: none
	tasks, containers symbols
}

// shareOn is the unit's share of node n.
func (s *state) shareOn(n *node, u *unit) share {
	if n == nil {
		return share{}
	}
	r := s.reaction(u, n)
	of := share{n, r.tasks, r.containers}
	if s.isVeiled(u) { // the other actions look at either the task or the container
		of.tasks &^= 1 << symbolSync
		of.containers &^= 1 << symbolSync
	}
	return of
}

// shares are those of the unit's nodes.
func (s *state) shares(u *unit) (all [2]share) {
	all[0] = s.shareOn(u.task.node, u)
	if u.cont.node != u.task.node {
		all[1] = s.shareOn(u.cont.node, u)
	}
	return all
}

// add adds the share to the counts (d = 1), or takes it away (d = -1).
func (of *share) add(to *[symbolModes]count, d int) {
	for l := range to {
		to[l].tasks += d * int(of.tasks>>l&1)
		to[l].containers += d * int(of.containers>>l&1)
	}
}

// isVeiled says that what SyncWithManager does to the unit cannot be known: some
// field is not, or it has a container but its task, or it runs but its
// container, may exist without the stream having shown it. Nothing but what the
// unit itself shows may bear on it, or the counts go wrong.
func (s *state) isVeiled(u *unit) bool {
	return s.attach && (u.hasCont && (!u.known || u.cont.Unseen != 0) ||
		u.hasTask && (!u.hasCont && u.task.state == Running || u.task.Unseen != 0))
}

// tally adds a unit to the counts (d = 1) or takes it away (d = -1), but not its shares.
func (s *state) tally(u *unit, d int) {
	if t := &u.task; u.hasTask {
		s.live += d
		t.service.tasks[modeOf(t)] += d
		s.calm += d * model.BoolInt(!t.isStuck() && t.Bad|t.Unseen == 0)
	}
	s.live += d * model.BoolInt(u.hasCont)
}

// enter counts a unit that was read.
func (s *state) enter(u *unit) {
	s.tally(u, +1)
	for _, is := range s.shares(u) {
		s.exchange(&share{}, &is)
	}
}

// exchange counts a share in place of another.
func (s *state) exchange(was, is *share) {
	was.tally(-1)
	is.tally(+1)
	s.settle(is.node)
	if was.node != is.node {
		s.settle(was.node)
	}
}

// tally adds the share to its node, or takes it away.
func (of *share) tally(d int) {
	if of.node != nil {
		of.node.refs += d
		of.add(&of.node.wholes, d)
	}
}

// settle follows a change of what is on the node. Where that is nothing, it may go.
func (s *state) settle(n *node) {
	if n == nil {
		return
	}
	s.refresh(n)
	if n.refs == 0 {
		s.loose = append(s.loose, n)
	}
}

// role is what a node is to the module's constant `node`.
type role uint8

const (
	noRole    role = iota
	candidate      // may be the worker: no container line has named one yet
	worker         // is one
)

func (s *state) role(n *node) role {
	switch {
	case n.isWorker:
		return worker
	case n.shown && n.blame == nil && (s.crowded == nil || s.only == n):
		return candidate
	}
	return noRole
}

// workerTotals are those of the nodes that are a worker or, as long as there is
// none, of the candidates. Where no node is shown at all, one will be, and in
// Init it is up.
func (s *state) workerTotals() *totals {
	switch {
	case s.workers() > 0:
		return &s.totals[worker]
	case s.shown == 0:
		return &totals{nodes: 1, idle: [...]int{symbolSync: 1, symbolOrphan: 0, symbolReboot: 1}}
	}
	return &s.totals[candidate]
}

// workers is how many nodes are a worker.
func (s *state) workers() int { return s.totals[worker].nodes }

// totals count nodes of one role: what stuttering steps ask.
type totals struct {
	nodes int
	idle  [symbolModes]int // of which the action leaves all as it is
}

// facts are what one node adds to the totals.
type facts struct {
	role role
	idle [symbolModes]bool
}

// refresh brings the totals up to date after the node or what is on it changed.
func (s *state) refresh(n *node) {
	f := facts{role: s.role(n)}
	if f.role != noRole {
		for l := range wholes {
			f.idle[l] = n.wholes[l] == (count{}) && wholes[l].links(n)
		}
	}
	if f != n.noted {
		s.countFacts(&n.noted, -1)
		n.noted = f
		s.countFacts(&f, +1)
	}
}

func (s *state) countFacts(f *facts, d int) {
	t := &s.totals[f.role]
	t.nodes += d
	for l, is := range f.idle {
		t.idle[l] += d * model.BoolInt(is)
	}
}

// absolve makes every node a candidate again.
func (s *state) absolve() {
	for _, n := range s.nodes.All() {
		n.blame = nil
	}
	s.crowd(nil, nil)
}

// crowd leaves one node, or none, to be a candidate.
func (s *state) crowd(b *validators.Finding, only *node) {
	s.crowded, s.only = b, only
	for _, n := range s.nodes.All() {
		s.refresh(n)
	}
}
