package swarmkit

import (
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// vslotKey is VSlot(t): the slot, or the node where the slot is global.
type vslotKey struct {
	slot int64
	node *node // only where slot = global; nil = unassigned
}

// taskValue is a task without its id.
type taskValue struct {
	service *service
	slot    int64
	taskRest
}

// taskRest is what a task's vslot does not tell of it. The node of a global task is both.
type taskRest struct {
	node *node // nil = unassigned
	taskStates
	docker taskNote // under the profile moby
}

// taskStates are apart, since the compiler keeps no struct of more than four fields in registers.
type taskStates struct {
	state, desired State
	marks
}

// taskNote is a task's job_iteration, and whether it is known that the spec it was
// made by has it replaced whenever it stops: tasks are many.
type taskNote int32

func (n taskNote) iteration() int32 { return int32(n >> 1) }
func (n taskNote) restarts() bool   { return n&1 != 0 }

func (n taskNote) withIteration(i int32) taskNote { return taskNote(i)<<1 | n&1 }
func (n taskNote) withRestarts(is bool) taskNote  { return n&^1 | taskNote(b2i(is)) }

func (v taskValue) vslot() vslotKey {
	if v.slot == globalSlot {
		return vslotKey{globalSlot, v.node}
	}
	return vslotKey{slot: v.slot}
}

// sharesVSlot is v.vslot() == w.vslot().
func (v *taskValue) sharesVSlot(w *taskValue) bool {
	return v.slot == w.slot && (v.slot != globalSlot || v.node == w.node)
}

// t EXCEPT; the field's new value is within its type.
func (v taskValue) withState(s State) taskValue {
	v.state, v.bad = s, v.bad&^ofState
	return v
}

func (v taskValue) withDesired(s State) taskValue {
	v.desired, v.bad = s, v.bad&^ofDesired
	return v
}

func (v taskValue) withNode(n *node) taskValue {
	v.node, v.bad = n, v.bad&^ofNode
	return v
}

// newTask is NewTask(sid, vslot, id, desired) of Tasks.tla.
func newTask(sid *service, vslot vslotKey, desired State) taskValue {
	return taskValue{sid, vslot.slot, taskRest{node: vslot.node, taskStates: taskStates{state: New, desired: desired}}}
}

// task is a live task. It fills a cache line.
type task struct {
	taskRest
	in     *vslot
	waits  *validators.Obligation // what it waits for; of two things, the first
	id     string
	after  *task // in the vslot's list
	*extra       // nil until there is any
}

func (t *task) value() (v taskValue) {
	t.copyTo(&v)
	return v
}

// copyTo is *v = t.value(), without a copy on the way.
func (t *task) copyTo(v *taskValue) {
	v.service, v.slot, v.taskRest = t.in.service, t.in.key.slot, t.taskRest
}

// vslot is a non-empty TasksOfVSlot(sid, vslot), with the counts that guards
// read. In the frame of a batched step the counts include tasks that the list
// leaves out.
type vslot struct {
	service *service
	key     vslotKey
	first   *task // of the list of its tasks
	*slotRest
	idle bool // in state.idle
	codec.Mark
}

// slotRest is the counts of a vslot, and what it waits for. Most vslots have few tasks, and wait
// for nothing: those with the same counts share them.
type slotRest struct {
	taskCounts
	waits held
	own   bool // not shared
}

// taskCounts are the counts of a vslot's tasks.
type taskCounts struct {
	count           int32 // Cardinality(TasksOfVSlot)
	runnable        int32 // Runnable(t)
	running         int32 // State(t) = running
	terminated      int32 // State(t) \in { complete, shutdown, failed, rejected }
	terminatedGoing int32 // of these, desired_state = remove
	notRemove       int32 // desired_state # remove
	wanted          int32 // in RunnableWantedTasks
	ready           int32 // State(t) = ready /\ t.desired_state = ready

	docker *dockerSlot // under the profile moby: then they are not shared
}

// sharedCounts are those of one task at most, by their bits, where the vslot waits for nothing.
var sharedCounts = func() (all [1 << 8]slotRest) {
	for i := range all {
		c := &all[i].taskCounts
		for n, count := range [...]*int32{&c.count, &c.runnable, &c.running, &c.terminated, &c.terminatedGoing, &c.notRemove, &c.wanted, &c.ready} {
			*count = int32(i >> n & 1)
		}
	}
	return all
}()

// bits are the counts, in so many bits each. They fit: none is larger than the number of tasks.
func (c *taskCounts) bits(n int) uint16 {
	return uint16(c.count | c.runnable<<n | c.running<<(2*n) | c.terminated<<(3*n) | c.terminatedGoing<<(4*n) |
		c.notRemove<<(5*n) | c.wanted<<(6*n) | c.ready<<(7*n))
}

// shared is the record with these counts, of one task at most. Nothing changes it.
func (c *taskCounts) shared() *slotRest { return &sharedCounts[c.bits(1)] }

// serviceValue is a ServiceSpec.
type serviceValue struct {
	replicas int64 // globalReplicas, or at least 0
	remove   bool
	marks
}

func (v serviceValue) flagged() serviceValue {
	v.remove, v.bad = true, v.bad&^ofRemove
	return v
}

func (v serviceValue) isReplicated() bool { return v.replicas >= 0 }
func (v serviceValue) isGlobal() bool     { return v.replicas == globalReplicas }

// service is a service that exists, or that a task names.
type service struct {
	serviceValue
	exists  bool // in DOMAIN services
	created bool // by a step, under --attach: all its tasks have been shown
	gone    bool // was, and is no more
	idle    bool // in state.idle
	unknown bool // represents a service that is not known

	slots        int   // Cardinality(VSlotsOf(sid))
	wanted       int   // Cardinality(RunnableWantedTasks(sid))
	wantedGlobal int32 // of these, t.slot = global
	tasks        int32 // Cardinality(TasksOf(sid))
	notRemove    int32 // desired_state # remove
	running      int32 // State(t) = running
	runningNodes int32 // nodes that are a vslot with a running task
	nodeSlots    int32 // nodes that are a vslot
	fullSlots    int32 // vslots with more than maxTerminated tasks that are ~Runnable
	cleanupSlots int32 // vslots where CleanupTerminated may stutter

	noted facts // as last counted in state.totals

	global int32 // its place in state.globals, if noted.global
	spread int32 // its place in state.spread, if vslots.nodes is not nil

	*mobyService // nil but under the profile moby

	waits  held
	id     string
	vslots vslots // also those that the current step has emptied
}

// vslot is the vslot of the key, nil if it is empty.
func (sv *service) vslot(key vslotKey) *vslot {
	if vs := sv.vslots.get(key); vs != nil && vs.count > 0 {
		return vs
	}
	return nil
}

// someTask returns a task of the service, always the same one, nil if it has
// none. It looks at them all: for reports.
func (sv *service) someTask() *task {
	var first *task
	for vs := range sv.vslots.all {
		for t := range vs.all {
			if first == nil || t.id < first.id {
				first = t
			}
		}
	}
	return first
}

// nodeValue is a NodeState.
type nodeValue struct {
	up bool
	marks
}

// node is a node that the stream has shown, or that a task names.
type node struct {
	shown  bool // in Node: the stream has shown it, though it may be gone
	exists bool // in DOMAIN nodes
	nodeValue
	idle   bool  // in state.idle
	either bool  // in the search for a batched step: up or down, as an action needs it
	number int32 // from 1, as no other node of the state has
	owned  int32 // tasks that OrphanTasks would affect
	named  int32 // tasks that name it

	waits     held
	connected validators.Gate // IsUp(n)

	id     string
	docker *dockerNode // nil but under the profile moby
}

// isUp is IsUp(n); a node that is gone is not up.
func (n *node) isUp() bool { return n != nil && (n.exists && n.up || n.either) }

// isDown is n \in Node /\ ~IsUp(n).
func (n *node) isDown() bool { return n != nil && n.shown && (!n.exists || !n.up || n.either) }

// numberOr0 is the node's number; 0 where there is none.
func (n *node) numberOr0() int64 {
	if n == nil {
		return 0
	}
	return int64(n.number)
}

// numbers are small, and given to one node at a time.
type numbers struct {
	last int32
	free []int32 // of nodes that are gone
}

func (n *numbers) take() int32 {
	if last := len(n.free) - 1; last >= 0 {
		x := n.free[last]
		n.free = n.free[:last]
		return x
	}
	n.last++
	return n.last
}
