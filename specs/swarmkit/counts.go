package swarmkit

import (
	"slices"
	"strings"
)

// Guards that quantify over all tasks of a service, a vslot or a node read
// counts, which are kept here: the cost of a step follows what it changes, not
// how much there is.

// tally takes a task of the vslot from the counts as it was, and adds it as it is; nil
// where it is not there.
func (s *state) tally(vs *vslot, was, is *taskValue) {
	sv, c := vs.service, &vs.taskCounts
	wasFull, wasCleanup, wasRunning, had := s.isFull(vs), s.cleanupStutters(vs), vs.runsOnNode(), c.count > 0
	if !vs.own {
		shared := *c
		c = &shared
	}
	if was != nil {
		s.count(vs, c, was, -1)
	}
	if is != nil {
		s.count(vs, c, is, +1)
	}
	s.setCounts(vs, c)
	sv.slots += int(change(had, c.count > 0))
	sv.fullSlots += change(wasFull, s.isFull(vs))
	sv.cleanupSlots += change(wasCleanup, s.cleanupStutters(vs))
	sv.runningNodes += change(wasRunning, vs.runsOnNode())
}

// count adds a task to the counts (d = 1) or takes it away (d = -1).
func (s *state) count(vs *vslot, c *taskCounts, v *taskValue, d int32) {
	sv := vs.service
	if s.moby {
		s.tallyDocker(vs, v, d)
	}
	c.count += d
	sv.tasks += d
	if sv.isGone() {
		s.serviceless += d
	}
	going := v.desired == Remove || v.unseen&ofDesired != 0 // none marks it in a step that does not show that
	if !going {
		c.notRemove += d
		sv.notRemove += d
	}
	switch {
	case v.state.Runnable():
		c.runnable += d
		if v.desired.Preceq(Running) {
			c.wanted += d
			sv.wanted += int(d)
			if v.slot == globalSlot {
				sv.wantedGlobal += d
			}
		}
		switch {
		case v.state == Running:
			c.running += d
			sv.running += d
		case v.state == Ready && v.desired == Ready:
			c.ready += d
		}
	case v.state.Terminated():
		c.terminated += d
		if going {
			c.terminatedGoing += d
		}
	}
	if n := v.node; n != nil {
		n.named += d
		if v.state.Owned() {
			s.totals.countNode(n, -1)
			n.owned += d
			s.totals.countNode(n, +1)
		}
	}
}

// setCounts keeps the counts of the vslot: by themselves if it has many tasks, or waits. Those
// that it does not share have changed in place.
func (s *state) setCounts(vs *vslot, c *taskCounts) {
	switch {
	case vs.own && (s.moby || c.count > mostShared || vs.waits.any()):
	case vs.own:
		s.share(vs, c)
	case c.count <= 1:
		vs.slotRest = c.shared()
	case c.count <= mostShared:
		vs.slotRest = s.sharedByFew(c)
	default:
		vs.slotRest = s.ownRest(c)
	}
}

// setWaits sets what the vslot waits for.
func (s *state) setWaits(vs *vslot, waits held) {
	switch {
	case vs.own:
	case waits.any():
		vs.slotRest = s.ownRest(&vs.taskCounts)
	default:
		return
	}
	vs.waits = waits
	if !s.moby && vs.count <= mostShared && !waits.any() {
		s.share(vs, &vs.taskCounts)
	}
}

const mostSpare = 64 // records

// ownRest makes a record for one vslot with the counts.
func (s *state) ownRest(c *taskCounts) *slotRest {
	last := len(s.spare) - 1
	if last < 0 {
		return &slotRest{taskCounts: *c, own: true}
	}
	r := s.spare[last]
	r.taskCounts, s.spare = *c, s.spare[:last]
	return r
}

// share has the vslot, which waits for nothing, use the counts of others instead of its own.
func (s *state) share(vs *vslot, c *taskCounts) {
	if len(s.spare) < mostSpare {
		s.spare = append(s.spare, vs.slotRest)
	}
	vs.slotRest = s.sharedByFew(c)
}

// mostShared is the most tasks of a vslot that shares its counts.
const mostShared = 3

// sharedByFew is the record with these counts, of few tasks. Nothing changes it.
func (s *state) sharedByFew(c *taskCounts) *slotRest {
	if c.count <= 1 {
		return c.shared()
	}
	bits := c.bits(2)
	list := s.few[bits>>8]
	if list == nil {
		list = new([1 << 8]*slotRest)
		s.few[bits>>8] = list
	}
	r := list[uint8(bits)]
	if r == nil {
		r = &slotRest{taskCounts: *c}
		list[uint8(bits)] = r
	}
	return r
}

// tallies says which of the counts a task adds to, by its states.
type tallies uint8

const (
	asRunnable tallies = 1 << iota
	asOwned
	asTerminated
	asRunning
	asWanted // in RunnableWantedTasks
	asReady  // State(t) = ready /\ t.desired_state = ready
	asGoing  // desired_state = remove

	forSlot    = asRunnable | asTerminated | asReady | asGoing // what vslots wait for depends on these counts,
	forService = asWanted                                      // and what services wait for on these,
	forNode    = asOwned                                       // and nodes on these
	forAll     = ^tallies(0)
)

// countsAlike says that the task adds the same to all counts with the value, but for those
// of the profile moby.
func (t *task) countsAlike(v *taskValue) bool {
	return t.in.service == v.service && t.in.key.slot == v.slot && t.node == v.node && t.unseen == v.unseen && t.tallies() == v.tallies()
}

// isIn says that the task is in the same vslot and on the same node.
func (v *taskValue) isIn(w *taskValue) bool {
	return v.service == w.service && v.slot == w.slot && v.node == w.node
}

func (v *taskRest) tallies() tallies { return tallied[v.state][v.desired] }

// tallied tells apart what tally does.
var tallied = func() (all perStatus[tallies]) {
	for state := range Orphaned + 1 {
		for desired := range Orphaned + 1 {
			for i, is := range [...]bool{state.Runnable(), state.Owned(), state.Terminated(), state == Running,
				state.Runnable() && desired.Preceq(Running), state == Ready && desired == Ready, desired == Remove} {
				all[state][desired] |= tallies(b2i(is) << i)
			}
		}
	}
	return all
}()

func change(was, is bool) int32 { return int32(b2i(is) - b2i(was)) }

// isFull: more than maxTerminated tasks of the vslot are ~Runnable.
func (s *state) isFull(vs *vslot) bool {
	if s.moby {
		return vs.docker.dirty && s.holdsTooMany(vs)
	}
	return vs.count-vs.runnable > s.maxTerminated
}

// cleanupStutters: CleanupTerminated may pick a victim that is marked already.
func (s *state) cleanupStutters(vs *vslot) bool {
	return vs.terminated > s.maxTerminated && vs.terminatedGoing > 0
}

func (vs *vslot) runsOnNode() bool {
	return vs.key.node != nil && vs.key.node.exists && vs.running > 0
}

// totals are counts over the whole state: what stuttering steps and
// InDesiredState ask.
type totals struct {
	nodes    int32 // DOMAIN nodes
	up       int32 // nodes with IsUp
	idleDown int32 // nodes that are down with no task for OrphanTasks

	updatable int32 // services with remove = FALSE
	flagged   int32 // services with remove = TRUE whose every task is to be removed
	removal   int32 // services of which RequestRemoval may stutter
	cleanup   int32 // vslots of services, where CleanupTerminated may stutter

	global        int32 // global services
	settledGlobal int32 // of these, those in the desired state if there are so many nodes as there are
	unsettled     int32 // other services that are not in their desired state
	doubtful      int32 // of these, those that may be, with tasks that the stream has not shown
}

// facts are what one service adds to the totals.
type facts struct {
	updatable, flagged, removal, global, unsettled, doubtful bool

	cleanup int32
	settled int32 // the number of nodes at which a global service is in its desired state; -1: none
}

func (t *totals) countNode(n *node, d int32) {
	if !n.exists {
		return
	}
	t.nodes += d
	switch {
	case n.up:
		t.up += d
	case n.owned == 0:
		t.idleDown += d
	}
}

func (t *totals) countService(f *facts, d int32) {
	t.updatable += d * change(false, f.updatable)
	t.flagged += d * change(false, f.flagged)
	t.removal += d * change(false, f.removal)
	t.global += d * change(false, f.global)
	t.unsettled += d * change(false, f.unsettled)
	t.doubtful += d * change(false, f.doubtful)
	t.cleanup += d * f.cleanup
	if f.settled == t.nodes {
		t.settledGlobal += d
	}
}

// inOrder is the global services, in the order of their ids.
func (s *state) inOrder() []*service {
	if !s.ordered {
		slices.SortFunc(s.globals, func(a, b *service) int { return strings.Compare(a.id, b.id) })
		for i, sv := range s.globals {
			sv.global = int32(i)
		}
		s.ordered = true
	}
	return s.globals
}

// refresh brings the totals up to date after the service or its tasks changed.
func (s *state) refresh(sv *service) {
	f := facts{settled: -1}
	if sv.exists {
		f.updatable = !sv.remove && sv.bad == 0
		f.flagged = sv.remove && sv.notRemove == 0
		f.removal = sv.isReplicated() && sv.replicas < int64(sv.wanted) && sv.wantedGlobal > 0
		f.cleanup = sv.cleanupSlots
		calm, running := !sv.remove && sv.fullSlots == 0, int64(sv.running)
		switch {
		case s.moby:
			running, f.unsettled = int64(sv.serving), !calm || !sv.mayRest()
		case sv.isGlobal():
			f.global = true
			if calm && sv.running == sv.runningNodes {
				f.settled = sv.running
			}
		default:
			f.unsettled = !calm || running != sv.replicas
		}
		f.doubtful = f.unsettled && calm && s.mayHide(sv) && (sv.unseen&ofReplicas != 0 || running <= sv.replicas)
	}
	if f.global != sv.noted.global {
		s.ordered = false
		if f.global {
			sv.global = int32(len(s.globals))
			s.globals = append(s.globals, sv)
		} else {
			last := len(s.globals) - 1
			s.globals[sv.global], s.globals[last].global = s.globals[last], sv.global
			s.globals[last] = nil
			s.globals = s.globals[:last]
		}
	}
	if f != sv.noted {
		s.totals.countService(&sv.noted, -1)
		sv.noted = f
		s.totals.countService(&f, +1)
	}
}

// settleGlobals counts again, as there are more nodes, or fewer.
func (s *state) settleGlobals() {
	t := &s.totals
	t.settledGlobal = 0
	for _, sv := range s.globals {
		if sv.noted.settled == t.nodes {
			t.settledGlobal++
		}
	}
}

// mayBeInDesiredState says that nothing that the stream has shown contradicts InDesiredState.
func (s *state) mayBeInDesiredState() bool {
	return s.attach && s.totals.unsettled == s.totals.doubtful || s.inDesiredState()
}

// inDesiredState is InDesiredState; Node is the set of existing nodes.
func (s *state) inDesiredState() bool {
	t := &s.totals
	return t.unsettled == 0 && t.settledGlobal == t.global
}
