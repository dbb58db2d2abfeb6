package swarmkit

import (
	"cmp"
	"slices"

	"tracecheck/trace"
)

// Under the profile moby a step is a transaction of the manager's store. It is
// not searched for a sequence of actions: each task that it changes is changed
// once, and falls to one rule, an action of the text or an allowance. What
// several tasks of it have to do with each other is gathered here.

// writes says in which of its fields a task is written.
type writes uint8

const (
	marksRemove writes = iota // desired_state = remove
	marksShutdown
	releases // any other change of desired_state
	deletes
	creates
	moves // the state, and with it perhaps the node
	mixes // two of these at once: no component does
)

func (c *taskChange) writes() writes {
	state := c.old.state != c.new.state || c.old.node != c.new.node
	desired := c.old.desired != c.new.desired
	switch {
	case c.remade:
		return mixes
	case !c.was:
		return creates
	case !c.is:
		return deletes
	case state && desired:
		return mixes
	case state:
		return moves
	case desired && c.new.desired == Remove:
		return marksRemove
	case desired && c.new.desired == Shutdown:
		return marksShutdown
	}
	return releases
}

// maxChanges is MaxChangesPerTransaction: a batch of so many changes is
// committed, though it may not be all there is to change.
const maxChanges = 200

// transaction is a step as a whole, without the tasks whose state it changes.
type transaction struct {
	history  *history
	step     *trace.Step
	attach   bool
	changes  []written
	slots    []slotStep
	services []serviceStep
	cut      bool // it may leave out what belongs to it

	deletedOfGone int // tasks that it deletes of services that are gone

	slotIndex    map[slot]int     // of the slots and services, in large steps
	serviceIndex map[*service]int //

	came, left  []nodeMove
	respecified []*service   // whose slots and tasks may wait for other things now
	group       []taskChange // scratch: the tasks of one rule
	viewing     bool         // an older version of the service is tried
	owed        []credit     // what is
	byView      *action      // of stale-view: the rule that went by it
	undone      []undone     // what it takes back before all else
}

// nodeMove is a node that comes or goes, and the event that says so.
type nodeMove struct {
	*node
	line int
}

// written is a task that the transaction changes.
type written struct {
	*taskChange
	writes writes
	slot   int // an index into transaction.slots
	done   bool
}

// slotStep is what the transaction does to a vslot.
type slotStep struct {
	service *service
	key     vslotKey
	vslot   *vslot // as it was; nil: empty
	of      int    // an index into transaction.services
	after   slotCounts

	created        int32
	newAt          int // the first of them among transaction.changes
	createdWanted  int32
	createdRunning int32 // with desired_state = running
	marked         int32 // for removal
	deleted        int32
	forgotten      int32   // of these, those that are not to be removed anyway: history
	replaced       []*task // wanted tasks that are to shut down
}

// replacedDead counts those of replaced that had ended. An overtaken start-first
// update leaves two in a slot, and their specs may have other restart conditions.
func (s *slotStep) replacedDead() (n int) {
	for _, t := range s.replaced {
		n += b2i(!t.state.Runnable())
	}
	return n
}

// before counts the tasks of the vslot as it was.
func (s *slotStep) before() slotCounts {
	if s.vslot == nil {
		return slotCounts{}
	}
	return s.vslot.docker.slotCounts
}

// serviceStep is what it does to a service.
type serviceStep struct {
	service *service
	after   slotTotals
	marked  int // tasks marked for removal
}

// reset forgets the step, but for the nodes that come and go: these are noted as
// it is bound.
func (w *transaction) reset() {
	w.changes, w.slots, w.services, w.respecified = emptyList(w.changes), emptyList(w.slots), emptyList(w.services), emptyList(w.respecified)
	w.owed, w.undone = emptyList(w.owed), emptyList(w.undone)
	w.byView, w.deletedOfGone = nil, 0
	w.slotIndex, w.serviceIndex = nil, nil
}

// emptyList keeps the room of a list, and nothing that it points to.
func emptyList[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// gather takes the tasks that the step changes, those of one service and one
// vslot together, in the order in which the rules take them.
func (w *transaction) gather(p *pair) {
	w.cut = len(w.step.Events) >= maxChanges
	if len(p.tasks) > few {
		w.slotIndex, w.serviceIndex = map[slot]int{}, map[*service]int{}
	}
	for i := range p.tasks {
		c := &p.tasks[i]
		kind := c.writes()
		if kind == moves || kind == mixes {
			continue
		}
		w.changes = append(w.changes, written{taskChange: c, writes: kind, slot: w.slotOf(c.atFirst())})
	}
	for i := range w.changes {
		w.count(&w.changes[i])
	}
	for i := range w.undone {
		c := &w.undone[i]
		s := &w.slots[w.slotOf(&c.old)]
		s.after.add(s.service, &c.old, -1)
		s.after.add(s.service, &c.new, +1)
	}
	for i := range w.slots {
		s := &w.slots[i]
		before := s.before()
		t := &w.services[s.of].after
		t.add(&before, -1)
		t.add(&s.after, +1)
	}
	if len(w.changes) > 1 {
		slices.SortStableFunc(w.changes, func(a, b written) int {
			order := cmp.Or(w.slots[a.slot].of-w.slots[b.slot].of, int(a.writes)-int(b.writes), a.slot-b.slot)
			if order == 0 && a.writes == marksShutdown {
				// The new task takes the place of one that has ended. Of a live one, the
				// slot's other wanted tasks may be the reason, too.
				order = b2i(a.old.state.Runnable()) - b2i(b.old.state.Runnable())
			}
			return order
		})
	}
	for i := len(w.changes) - 1; i >= 0; i-- {
		if c := &w.changes[i]; c.writes == creates {
			w.slots[c.slot].newAt = i
		}
	}
}

func (w *transaction) slotOf(v *taskValue) int {
	ref := slot{v.service, v.vslot()}
	at, known := placeOf(w.slotIndex, ref, len(w.slots), func(i int) slot { return slot{w.slots[i].service, w.slots[i].key} })
	if !known {
		s := slotStep{service: ref.service, key: ref.key, vslot: ref.service.vslot(ref.key), of: w.serviceOf(ref.service)}
		s.after = s.before()
		w.slots = append(w.slots, s)
	}
	return at
}

func (w *transaction) serviceOf(sv *service) int {
	at, known := placeOf(w.serviceIndex, sv, len(w.services), func(i int) *service { return w.services[i].service })
	if !known {
		w.services = append(w.services, serviceStep{service: sv, after: sv.dockerSlots})
	}
	return at
}

// placeOf is where among n the one with the key is, or would be. A step that is not
// large has no index.
func placeOf[K comparable](index map[K]int, key K, n int, at func(i int) K) (place int, known bool) {
	if index != nil {
		if i, ok := index[key]; ok {
			return i, true
		}
		index[key] = n
		return n, false
	}
	for i := range n {
		if at(i) == key {
			return i, true
		}
	}
	return n, false
}

func (w *transaction) count(c *written) {
	s := &w.slots[c.slot]
	sv := &w.services[s.of]
	if c.was {
		s.after.add(s.service, &c.old, -1)
	}
	if c.is {
		s.after.add(s.service, &c.new, +1)
	}
	switch c.writes {
	case marksRemove:
		sv.marked++
		s.marked++
	case marksShutdown:
		if c.old.isWanted() {
			s.replaced = append(s.replaced, c.record)
		}
	case deletes:
		s.deleted++
		w.deletedOfGone += b2i(s.service.isGone())
		if !c.old.isReapable() && !(c.old.desired == Remove && w.history.hasSeen(c.past())) {
			s.forgotten++
		}
	case creates:
		s.created++
		s.createdWanted += int32(b2i(c.new.isWanted()))
		s.createdRunning += int32(b2i(c.new.desired == Running))
	}
}

// specOf is the version of its service's spec that a task is created by.
func (w *transaction) specOf(c *taskChange) specVersion {
	return specVersionOf(w.step.Events[c.line].Fields.Get(fieldSpecVersion))
}

// drained says that the task is rejected since a volume of it is being drained.
func (w *transaction) drained(c *taskChange) bool {
	v := w.step.Events[c.line].Fields.Get(fieldVolumeDrained)
	return v.Type == trace.Bool && v.Int == 1
}

// leaves says that the node is removed in this step.
func (w *transaction) leaves(n *node) bool {
	return slices.ContainsFunc(w.left, func(l nodeMove) bool { return l.node == n })
}
