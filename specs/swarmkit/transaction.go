package swarmkit

import (
	"cmp"
	"slices"

	"tracecheck/trace"
)

// Under the profile moby, a step is a transaction of the manager's store. There is no
// search: a step changes each task once, by one rule. The rule is an action of the text
// or an allowance. This file counts what the step does to each slot and service.

// writes is what a transaction writes of a task.
type writes uint8

const (
	marksRemove writes = iota // desired_state = remove
	marksShutdown
	releases // any other change of desired_state
	deletes
	creates
	moves // the state, and with it perhaps the node
	mixes // two of these at once, which no component does
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

// maxChanges is MaxChangesPerTransaction. A batch of so many changes is committed, even
// if it is not complete.
const maxChanges = 200

// transaction is a step as a whole, without the tasks whose state it changes.
type transaction struct {
	history  *history
	step     *trace.Step
	changes  []written
	slots    []slotStep
	services []serviceStep
	cut      bool // it has maxChanges: related changes may follow in the next step

	deletedOfGone int // tasks of deleted services that the step deletes

	slotIndex    map[slot]int     // of the slots and services
	serviceIndex map[*service]int //
	indexed      bool             // as large steps are

	came, left  []nodeMove
	respecified []*service   // services whose slots and tasks may have other obligations now
	group       []taskChange // scratch: the tasks of one rule
	viewing     bool         // stale-view tries an older version of the service
	view        *version     // the one that stale-view has applied
	owed        []credit     // the parts that were accepted provisionally
	byView      *action      // the rule that stale-view has applied
	undone      []undone     // writes of earlier steps that this step undoes
}

// nodeMove is a node that is created or removed, with the index of its event.
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
	forgotten      int32   // of these, those that only the history limit deletes
	replaced       []*task // wanted tasks that get desired_state = shutdown
}

// replacedDead counts the ended tasks of replaced. An interrupted start-first update
// leaves two tasks in a slot, perhaps with different restart conditions.
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

// reset forgets the step.
func (w *transaction) reset() {
	w.came, w.left = w.came[:0], w.left[:0]
	w.changes, w.slots, w.services, w.respecified = emptyList(w.changes), emptyList(w.slots), emptyList(w.services), emptyList(w.respecified)
	w.owed, w.undone = emptyList(w.owed), emptyList(w.undone)
	w.byView, w.view, w.deletedOfGone = nil, nil, 0
	w.slotIndex, w.serviceIndex, w.indexed = emptyMap(w.slotIndex), emptyMap(w.serviceIndex), false
}

// emptyList empties a list, and keeps its capacity.
func emptyList[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// emptyMap empties a map, and keeps it unless it is large: to clear it would cost more.
func emptyMap[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > maxChanges {
		return nil
	}
	clear(m)
	return m
}

// gather lists the tasks that the step changes, in the order of the rules. Tasks of one
// service and of one vslot are together.
func (w *transaction) gather(p *pair) {
	w.cut = len(w.step.Events) >= maxChanges
	for i := range p.tasks {
		c := &p.tasks[i]
		if kind := c.writes(); kind != moves && kind != mixes {
			w.changes = append(w.changes, written{taskChange: c, writes: kind})
		}
	}
	n := len(w.changes) + len(w.undone)
	if w.indexed = n > few; w.indexed && w.slotIndex == nil {
		w.slotIndex, w.serviceIndex = make(map[slot]int, n), map[*service]int{}
	}
	for i := range w.changes {
		c := &w.changes[i]
		c.slot = w.slotOf(c.atFirst())
		w.count(c)
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
				// Ended tasks come first: the new task replaces one of them. A live one may
				// also shut down because of another wanted task.
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
	ref := v.slotOf()
	at, known := placeOf(w.indexed, w.slotIndex, ref, len(w.slots), func(i int) slot { return slot{w.slots[i].service, w.slots[i].key} })
	if !known {
		s := slotStep{service: ref.service, key: ref.key, vslot: ref.service.vslot(ref.key), of: w.serviceOf(ref.service)}
		s.after = s.before()
		w.slots = append(w.slots, s)
	}
	return at
}

func (w *transaction) serviceOf(sv *service) int {
	at, known := placeOf(w.indexed, w.serviceIndex, sv, len(w.services), func(i int) *service { return w.services[i].service })
	if !known {
		w.services = append(w.services, serviceStep{service: sv, after: sv.dockerSlots})
	}
	return at
}

// placeOf returns the place of the key among n, or n. A small step is not indexed.
func placeOf[K comparable](indexed bool, index map[K]int, key K, n int, at func(i int) K) (place int, known bool) {
	if indexed {
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

// grouped returns the elements of the list with equal keys together. The groups are in the
// order of their first elements.
func grouped[T any, K comparable](list []T, key func(*T) K) (groups [][]T) {
	index := make(map[K]int, len(list))
	for i := range list {
		at, known := placeOf(true, index, key(&list[i]), len(groups), nil)
		if !known {
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], list[i])
	}
	return groups
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

// specOf returns the spec_version of a new task.
func (w *transaction) specOf(c *taskChange) specVersion {
	return specVersionOf(w.step.Events[c.line].Fields.Get(fieldSpecVersion))
}

// drained reports whether the task is rejected because a volume of it is drained.
func (w *transaction) drained(c *taskChange) bool {
	v := w.step.Events[c.line].Fields.Get(fieldVolumeDrained)
	return v.Type == trace.Bool && v.Int == 1
}
