package workerimpl

import (
	"fmt"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// A batched step is the sum of several actions. It is explained for one
// instance at a time, by argument rather than by trying sequences:
//
//   - An item is an id with the task and the container that the step changes of
//     it. Most actions change one item and look at no other; items meet only in
//     the symbols: SyncWithManager and OrphanTasks (and WorkerReboot, which does
//     no more than ContainerExit and ShutdownComplete do, and is there for
//     claims) change every item on the worker at once.
//   - So an item is a nondeterministic automaton (auto.go): its states are what its
//     task and container may be, and the arcs that its own actions make lead from
//     one to another (local.go). After each word of symbols there is a set of states
//     that it may be in (subset.go). Items that are alike share one.
//   - A step is explained if the product of these automata accepts a word
//     (words.go). Words that lead all items to the same sets are one, so there are
//     few.
//   - Nodes that the step changes go up and down as they are needed, and a task
//     that it changes has any desired_state on the way: UpdateTask sees to that.
//   - CreateTask alone looks at other items, those of its service (group.go).

// batch is the search for the actions of one batched step.
type batch struct {
	m      *machine
	s      *state
	left   int  // how many actions may still be tried
	claims bool // whether the claims must be met
	bad    bool // some value is outside its type: no action makes it
	items  []item
	index  map[string]int  // of the items, by id
	own    map[*node][]int // the items that have their task or container on the node
	autos  map[autoKey]*auto
	groups []group
	rests  map[bool]*rest // by claims
	solo   map[soloKey]bool
	alphas map[alphaKey][]symbol
	flex   []*node // nodes that differ: up or down, as an action needs it
	ups    int     // nodes that are up or may go up
}

// item is an id with what the step changes of it. Its task before and after the
// step are copies: a plan outlives the state that it is about.
type item struct {
	taskChange
	moves   bool // the task may change
	cont    containerValue
	hasCont bool // before the step
	tasks   []*taskChange
	conts   []*containerChange // what becomes of the container, on each worker
	nodes   []*node
	claims  []*trace.Event
	group   int // an index into groups
}

func (m *machine) newBatch() *batch {
	b := &batch{m: m, s: m.s, left: m.budget, ups: m.s.up, index: map[string]int{},
		own: map[*node][]int{}, autos: map[autoKey]*auto{}, rests: map[bool]*rest{}, solo: map[soloKey]bool{}, alphas: map[alphaKey][]symbol{}}
	m.eachNode(func(c *nodeChange) {
		b.bad = b.bad || c.was && c.is && !c.remade && c.new.Bad|c.old.Bad != 0
		n := m.s.nodes.Get(c.id)
		b.ups += model.BoolInt(!n.isUp())
		n.either = true
		b.flex = append(b.flex, n)
	})
	at := func(u *unit, line int) *item {
		i, ok := b.index[u.id]
		if !ok {
			i = len(b.items)
			b.index[u.id] = i
			is := span{was: u.hasTask, is: u.hasTask, line: line}
			b.items = append(b.items, item{taskChange: taskChange{span: is, id: u.id, unit: u, old: u.task, new: u.task}, cont: u.cont, hasCont: u.hasCont})
		}
		return &b.items[i]
	}
	task := func(c *taskChange) {
		at(c.unit, c.line).bind(c)
		b.bad = b.bad || c.new.Bad|c.old.Bad|c.new.Unseen|c.old.Unseen != 0
	}
	cont := func(c *containerChange) {
		it := at(c.unit, c.line)
		it.conts = append(it.conts, c)
		b.bad = b.bad || c.new.Bad|c.old.Bad|c.new.Unseen|c.old.Unseen != 0
	}
	each(task, m.tasks) // what differs comes first: a report speaks of that
	each(cont, m.conts)
	each(task, m.idleTasks)
	each(cont, m.idleConts)
	for i := range b.items {
		b.place(i)
	}
	b.findGroups()
	return b
}

// bind takes a change of the item's task. A task that is recreated as another
// comes as two.
func (it *item) bind(c *taskChange) {
	it.tasks = append(it.tasks, c)
	if it.moves {
		it.new, it.is, it.remade = c.new, true, true
		return
	}
	line := it.line // of what was bound first
	it.moves, it.span = true, c.span
	it.line = line
	if c.is || !c.was {
		it.new = c.new // of one that comes and goes: what it was meanwhile
	}
}

// place notes the nodes that the item's task or container is on.
func (b *batch) place(i int) {
	it := &b.items[i]
	if it.hasCont {
		b.put(i, it.cont.node)
	}
	for _, c := range it.conts {
		b.put(i, workerOf(c))
	}
	if it.was {
		b.put(i, it.old.node)
	}
	if it.is || it.moves && !it.was {
		b.put(i, it.new.node)
	}
}

func (b *batch) put(i int, n *node) {
	it := &b.items[i]
	if n != nil && !slices.Contains(it.nodes, n) {
		it.nodes = append(it.nodes, n)
		b.own[n] = append(b.own[n], i)
		b.m.touch(n)
	}
}

// on is the change of the item's container on the worker, nil if it has none.
func (it *item) on(n *node) *containerChange {
	for _, c := range it.conts {
		if workerOf(c) == n {
			return c
		}
	}
	return nil
}

// judgeBatched looks for a sequence of actions for every instance. ok says that
// there are such.
func (m *machine) judgeBatched(step *trace.Step) (found []validators.Finding, ok bool, err error) {
	b := m.searched()
	claims := b.collectClaims(step)
	out := model.Unsolved
	if !slices.ContainsFunc(claims, b.isIdle) {
		b.claims = len(claims) > 0
		if out = b.solve(); out == model.Unsolved && b.roam() {
			out = b.solve()
		}
	}
	if out == model.Unsolved && len(claims) > 0 { // is it the claims?
		b.claims = false
		if out = b.solve(); out == model.Solved {
			found = append(found, b.unmetClaim(claims))
		}
	}
	switch out {
	case model.Solved:
		m.lay(step)
		return found, true, nil
	case model.Unsolved:
		return []validators.Finding{m.unexplainedBatch(step, b)}, false, nil
	}
	return nil, false, validators.OutOfBudget(step, m.count(), "objects", m.budget)
}

// searched is the search for the step's actions. Until it ends, the nodes that differ
// are up and down.
func (m *machine) searched() *batch {
	if m.search == nil {
		m.search = m.newBatch()
	}
	return m.search
}

func (m *machine) endSearch() {
	if m.search != nil {
		for _, n := range m.search.flex {
			n.either = false
		}
		m.search = nil
	}
}

// solve finds a sequence for every instance or, as long as there is no worker,
// for one candidate.
func (b *batch) solve() model.Outcome {
	m := b.m
	m.by, m.plans = nil, nil
	views, oneSuffices := m.listViews()
	for _, n := range views {
		p, out := b.explain(n)
		switch {
		case out == model.Exhausted:
			return out
		case p != nil:
			m.plans = append(m.plans, p)
		case !oneSuffices:
			m.plans = nil
			return out
		}
		if oneSuffices && p != nil {
			break
		}
	}
	if len(m.plans) == 0 {
		return model.Unsolved
	}
	return model.Solved
}

// unexplainedBatch is the finding of a step that no sequence explains.
func (m *machine) unexplainedBatch(step *trace.Step, b *batch) validators.Finding {
	at, what := m.at(m.subjectNode()).subject()
	var list []validators.Near
	if it := b.culprit(); it != nil {
		at, what, list = it.line, it.what(), b.nearestTo(it)
	}
	text := fmt.Sprintf("no sequence of WorkerImpl's actions explains this step: %s%s", what, validators.Among(m.count(), "objects", false))
	return validators.Unexplained(step, at, text, list, m.changes())
}
