package swarmkit

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// A batched step is the sum of several actions. It is explained in three tries,
// in all of which the actions' own clauses decide:
//
//  1. Each vslot by itself (search.go). What couples vslots is left open: the
//     replicas of a service are what a guard needs, other tasks of the step
//     exist nowhere. If some vslot cannot get from its old to its new state
//     even so, nothing explains the step.
//  2. The sequences so found, merged on the real state (schedule.go). If that
//     succeeds, the merged sequence explains the step. If not, once more with
//     sequences that hinder each other less (coupling.go).
//  3. All vslots of the step together, which decides, unless the search runs
//     out of its budget.

// batch is the search for the actions of one batched step.
type batch struct {
	m        *machine
	s        *state
	step     *trace.Step
	items    []*item
	room     []item // of the items
	services []*serviceItem
	nodes    []nodeItem
	frames   []frame
	claims   bool                      // whether the claims must be met
	bad      bool                      // some value is outside its type: no action makes it
	left     int                       // how much may still be tried
	p        pair                      // of the current move
	slots    map[slot]*frame           // of each vslot
	changes  map[*service]*serviceItem // the services that differ
	tasks    map[string][]*item        // the items of each id; set by collectClaims
	memo     map[string]*frame         // planned ones, by their signatures
	key      []byte
	plan     []planned
	fates    map[*node]fate       // nil: plans may be coupled
	spare    *[2]*node            // as of spares; nil: they were not looked for
	broken   []validators.Finding // of the first action on the way that breaks StepTransitionsOK
}

// slot is a vslot, also one that is empty.
type slot struct {
	service *service
	key     vslotKey
}

func (v *taskValue) slotOf() slot { return slot{v.service, v.vslot()} }

// nowhere are the places of a frame before any is found.
var nowhere = [1]*node{}

// begin makes the batch ready for another step, with the room that it has.
func (b *batch) begin(m *machine, step *trace.Step) *batch {
	const kept = 1 << 16 // more is for the garbage collector
	if cap(b.room) > kept {
		*b = batch{}
	}
	emptied(&b.slots)
	emptied(&b.changes)
	emptied(&b.tasks)
	emptied(&b.memo)
	*b = batch{m: m, s: m.s, step: step, left: m.budget, slots: b.slots, changes: b.changes, tasks: b.tasks, memo: b.memo, p: b.p, key: b.key,
		items: b.items[:0], room: b.room[:0], services: b.services[:0], nodes: b.nodes[:0], frames: b.frames[:0], plan: b.plan[:0]}
	return b
}

// emptied empties a map. One that was large is dropped: to clear it would cost
// the steps after it more than it saves them.
func emptied[K comparable, V any](m *map[K]V) {
	if *m == nil || len(*m) > few {
		*m = map[K]V{}
	} else {
		clear(*m)
	}
}

// item is a task that differs between the step's states.
type item struct {
	*taskChange
	at      int // its index among batch.items
	service *service
	vslot   vslotKey
	change  *serviceItem // of its service; nil: it does not differ
	frame   *frame
	claims  []*trace.Event // each to be met by some action that changes the task
	met     uint8
	now     taskValue // at the moment
	here    bool
}

// serviceItem is a service that differs.
type serviceItem struct {
	*serviceChange
	at     int // its index among batch.services
	record *service
	open   bool // its replicas are what an action needs
	frames []*frame
	claims []*trace.Event
	met    uint8
}

// nodeItem is a node that differs. It may go down and up as often as is useful,
// so that the searches leave it open.
type nodeItem struct {
	*nodeChange
	record *node
}

// frame is what one search is about: the items of one vslot, or a service by
// itself, or all there is.
type frame struct {
	items    []*item
	services []*serviceItem
	own      bool          // the services' claims are to be met in this frame
	places   []*node       // nodes that its tasks may be on; the first is nil
	placeOf  map[*node]int // of many places
	plan     []move
	done     int // how many of the plan have been taken
}

// place is the index of a node among the places; -1 for none.
func (f *frame) place(n *node) int {
	if f.placeOf == nil {
		return slices.Index(f.places, n)
	}
	if at, is := f.placeOf[n]; is {
		return at
	}
	return -1
}

// service is that of the frame's items.
func (f *frame) service() *service { return f.items[0].service }

// planned is an action of the explanation.
type planned struct {
	action    *action
	objectKey      // of the object, or of one of them
	also      bool // one more object of the action before
}

func (p *planned) String() string { return fmt.Sprintf("%s(%s)", p.action.Name, p.id) }

// trouble says what was in the way of an explanation: which object's change,
// and what came nearest to explaining it.
type trouble struct {
	subject
	near []validators.Near
}

// judgeBatched explains the step by a sequence of actions, or finds that none
// does. Where it does, it leaves the state as the sequence made it.
func (m *machine) judgeBatched(ts *trace.Step, found []validators.Finding) ([]validators.Finding, bool, error) {
	if m.direct(ts) {
		return found, true, nil
	}
	b := m.newBatch(ts)
	claims := b.collectClaims()
	out, why := model.Unsolved, trouble{}
	if !slices.ContainsFunc(claims, func(ev *trace.Event) bool { return !b.mayMeet(ev) }) {
		b.claims = len(claims) > 0
		out, why = b.solve()
	}
	if out == model.Unsolved && len(claims) > 0 { // is it the claims?
		left := b.left
		b = m.newBatch(ts)
		b.collectClaims()
		b.left = left
		if out, why = b.solve(); out == model.Solved {
			found = append(found, b.unmetClaim(m, claims))
		}
	}
	switch out {
	case model.Solved:
		m.plan = b.plan
		return append(found, b.broken...), true, nil
	case model.Unsolved:
		return append(found, m.unexplained(ts, "no sequence of SwarmKit's actions", why)), false, nil
	}
	return nil, false, validators.OutOfBudget(ts, m.count(), "objects", m.budget)
}

func (m *machine) newBatch(step *trace.Step) *batch {
	b := m.batch.begin(m, step)
	services := make([]serviceItem, len(m.services))
	for i := range services {
		c := &m.services[i]
		services[i] = serviceItem{serviceChange: c, at: i, record: m.s.service(c.id)}
		b.services = append(b.services, &services[i])
		b.changes[services[i].record] = &services[i]
		b.bad = b.bad || c.new.bad|c.old.bad|c.new.unseen|c.old.unseen != 0
	}
	for i := range m.nodes {
		c := &m.nodes[i]
		b.nodes = append(b.nodes, nodeItem{nodeChange: c, record: m.s.nodes.Get(c.id)})
		b.bad = b.bad || c.new.bad != 0
	}
	if len(m.tasks) > few {
		b.slots = make(map[slot]*frame, len(m.tasks))
	}
	b.room = slices.Grow(b.room, len(m.tasks))
	b.frames = slices.Grow(b.frames, len(m.tasks)+len(m.services))
	addFrame := func(f frame) *frame {
		b.frames = append(b.frames, f)
		return &b.frames[len(b.frames)-1]
	}
	for i := range m.tasks {
		c := &m.tasks[i]
		c.record = nil // the search makes new ones
		at := c.atFirst().slotOf()
		b.bad = b.bad || c.new.bad&^c.old.bad|c.new.unseen|c.old.unseen != 0
		f, change := b.slots[at], b.changes[at.service]
		if f == nil {
			f = addFrame(frame{places: nowhere[:]})
			if b.slots[at] = f; change != nil {
				f.services = []*serviceItem{change}
				change.frames = append(change.frames, f)
			}
		}
		b.room = append(b.room, item{taskChange: c, at: i, service: at.service, vslot: at.key, change: change, frame: f, now: c.old, here: c.was})
		b.items, f.items = append(b.items, &b.room[i]), append(f.items, &b.room[i])
	}
	for _, c := range b.services { // by itself, with its claims
		c.frames = append(c.frames, addFrame(frame{services: []*serviceItem{c}, own: true, places: nowhere[:]}))
	}
	return b
}

// planFrames finds a plan for each frame by itself. Where it does not, it
// returns the frame that has none.
func (b *batch) planFrames() (*frame, model.Outcome) {
	emptied(&b.memo)
	b.isolate(true)
	defer b.restore(true)
	for i := range b.frames {
		f := &b.frames[i]
		if b.fates == nil {
			b.findPlaces(f)
		}
		f.done = 0
		signature := b.signature(f)
		if alike := b.memo[signature]; alike != nil {
			f.plan = b.likewise(f, alike)
			continue
		}
		var out model.Outcome
		if f.plan, out = b.search(f); out != model.Solved {
			return f, out
		}
		b.memo[signature] = f
	}
	return nil, model.Solved
}

// solve finds the actions. It leaves the state as they make it, or untouched.
func (b *batch) solve() (model.Outcome, trouble) {
	if b.bad {
		return model.Unsolved, trouble{subject: b.m.subject()}
	}
	if f, out := b.planFrames(); out != model.Solved {
		return out, b.nearestTo(f)
	}
	why, ok := b.schedule()
	if ok {
		return model.Solved, trouble{}
	}
	b.rollback()
	b.findFates()
	rest := b.left / 2 // for the last try
	b.left -= rest
	if _, out := b.planFrames(); out == model.Solved {
		if _, ok := b.schedule(); ok {
			return model.Solved, trouble{}
		}
		b.rollback()
	}
	b.left, b.fates = b.left+rest, nil

	all := frame{items: b.items, services: b.services, own: true, places: nowhere[:]}
	b.isolate(false)
	if b.hopeless() {
		b.restore(false)
		return model.Unsolved, why
	}
	b.findPlaces(&all)
	plan, out := b.search(&all)
	b.restore(false)
	if out != model.Solved {
		return out, why
	}
	if !b.follow(&all, plan) {
		// The clauses accepted each action; what is left open (replicas, nodes)
		// can be set at any time. Not to be trusted, so not judged.
		b.rollback()
		return model.Exhausted, why
	}
	return model.Solved, trouble{}
}
