package workerimpl

// Actions on whole sets (SyncWithManager, OrphanTasks, WorkerReboot) are decided
// by counts, which are kept here: the cost of a step follows what it changes,
// not how much there is.

// wantShutdown is WantShutdown(id) of DesiredContainers.
func (u *unit) wantShutdown() bool { return !u.hasTask || Running.Prec(u.task.desired) }

// desiredContainer is DesiredContainers[id]; false where the id is in rm.
func (u *unit) desiredContainer() (containerState, bool) {
	switch {
	case u.cont.state == isRunning && u.wantShutdown():
		return isTerminating, true
	case u.cont.state.dead() && !u.hasTask:
		return noContainer, false
	}
	return u.cont.state, true
}

// reportFor is ReportFor(t) of RequiredTaskUpdates, for the instance of worker
// n.
func (u *unit) reportFor(n *node) State {
	c := u.on(n)
	switch {
	case c == nil:
		return Shutdown
	case c.state == isFailed && u.task.desired == Shutdown:
		return Shutdown
	}
	return c.state.report()
}

// isVeiled says that what SyncWithManager does to the unit cannot be known: some
// field is not, or it has a container but its task, or it runs but its
// container, may stand without the stream having shown it. Nothing but what the
// unit itself shows may bear on it, or the counts go wrong.
func (s *state) isVeiled(u *unit) bool {
	return s.attach && u != nil && (u.hasCont && (!u.known || u.cont.unseen != 0) ||
		u.hasTask && (!u.hasCont && u.task.state == Running || u.task.unseen != 0))
}

// tally adds a unit to the counts (d = 1) or takes it away (d = -1).
func (s *state) tally(u *unit, d int) {
	veiled := s.isVeiled(u)
	if u.hasTask {
		t := &u.task
		s.live += d
		if t.isGlobal() {
			t.service.global += d
		} else {
			t.service.slotted += d
		}
		if !t.isStuck() && t.bad|t.unseen == 0 {
			s.calm += d
		}
		if n := t.node; n != nil {
			n.refs += d
			if t.state.Owned() {
				n.owned += d
			}
			if t.state == Running && !veiled && u.reportFor(n) != Running {
				n.reports += d
			}
			s.refresh(n)
		}
	}
	if u.hasCont {
		s.live += d
	}
	if u.hasCont && u.cont.node != nil {
		n := u.cont.node
		n.refs += d
		if u.cont.state.live() {
			n.live += d
		}
		if state, stays := u.desiredContainer(); !veiled && (!stays || state != u.cont.state) {
			n.syncs += d
		}
		s.refresh(n)
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
	case n.shown && !s.isBlamed(n) && (s.crowded == nil || s.only == n):
		return candidate
	}
	return noRole
}

// workerTotals are those of the nodes that are a worker or, as long as there is
// none, of the candidates. Where no node is shown at all, one will be, and in
// Init it is up.
func (s *state) workerTotals() *totals {
	switch {
	case s.workers > 0:
		return &s.totals[worker]
	case s.shown == 0:
		return &totals{nodes: 1, synced: 1, still: 1}
	}
	return &s.totals[candidate]
}

// isBlamed says that, since the epoch began, the node could not have been the
// worker.
func (s *state) isBlamed(n *node) bool { return n.blame != nil && n.blame.epoch == s.epoch }

// totals count nodes of one role: what stuttering steps ask.
type totals struct {
	nodes  int
	synced int // SyncWithManager leaves all as it is
	empty  int // OrphanTasks does
	still  int // WorkerReboot does
}

// facts are what one node adds to the totals.
type facts struct {
	role                 role
	synced, empty, still bool
}

// refresh brings the totals up to date after the node or what is on it changed.
func (s *state) refresh(n *node) {
	f := facts{role: s.role(n)}
	if f.role != noRole {
		f.synced = n.isUp() && n.syncs+n.reports == 0
		f.empty = n.isDown() && n.owned == 0
		f.still = n.live == 0
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
	for _, c := range [...]struct {
		is    bool
		count *int
	}{{f.synced, &t.synced}, {f.empty, &t.empty}, {f.still, &t.still}} {
		if c.is {
			*c.count += d
		}
	}
}

// newEpoch makes every node a candidate again.
func (s *state) newEpoch() {
	s.epoch++
	s.crowd(nil, nil)
}

// crowd leaves one node, or none, to be a candidate.
func (s *state) crowd(b *blame, only *node) {
	s.crowded, s.only = b, only
	for _, n := range s.nodes {
		s.refresh(n)
	}
}
