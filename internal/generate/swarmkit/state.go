// Package swarmkit walks SwarmKit.tla: services, their tasks and the nodes that
// these run on. It implements the spec's actions, and uses nothing of
// the checker.
package swarmkit

import (
	"strconv"

	"tracecheck/internal/generate/walk"
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// state is a TaskState or a DesiredState, in the order of the module Types.
type state uint8

const (
	stNew state = iota
	pending
	assigned
	accepted
	preparing
	ready
	starting
	running
	complete
	shutdown
	failed
	rejected
	remove
	orphaned
)

var stateNames = [...]string{
	"new", "pending", "assigned", "accepted", "preparing", "ready", "starting", "running",
	"complete", "shutdown", "failed", "rejected", "remove", "orphaned",
}

// global is the replicas of a service that wants a task on each node.
const global = -1

// service is an element of DOMAIN services.
type service struct {
	walk.Mark
	id       int64
	replicas int64
	remove   bool
	held     bool // the walk leaves it alone, since it is to wait

	slots  walk.Set[*vslot] // VSlotsOf(sid)
	wanted walk.Set[*vslot] // of these, with a task among RunnableWantedTasks(sid)
	want   int64            // Cardinality(RunnableWantedTasks(sid))
	free   []int32          // UnusedVSlot(sid): slots up to last, or nodes
	last   int32            // the highest slot so far

	turned uint64 // the last large step that turned it one way
	way    way

	places [serviceSets]int32
}

// Sets of services.
const (
	creating   = iota // CreateSlot is enabled
	shrinking         // RequestRemoval
	forgetting        // CleanupService
	living            // not being removed
	serviceSets
)

func (sv *service) Place(set int) *int32 { return &sv.places[set] }

func (sv *service) isGlobal() bool { return sv.replicas == global }

// vslot is a VSlot that has tasks.
type vslot struct {
	service *service
	key     int32 // the slot, or the node's index
	tasks   []*task

	runnable, notRemove, terminated, terminatedGoing, wants int32

	places [vslotSets]int32
}

// Sets of vslots.
const (
	replacing = iota // ReplaceTask is enabled
	cleaning         // CleanupTerminated, and it would change something
	ofService        // service.slots
	wanted           // service.wanted
	vslotSets
)

func (v *vslot) Place(set int) *int32 { return &v.places[set] }

// task is an element of tasks.
type task struct {
	walk.Mark
	id      int64
	in      *vslot
	node    *node // nil: unassigned
	state   state
	desired state
	held    bool // as a service's

	places [taskSets]int32
}

// Sets of tasks.
const (
	allocating  = iota // AllocateTask is enabled
	scheduling         // Scheduler
	progressing        // ProgressTask, where the node is up
	stopping           // ShutdownComplete, likewise
	releasing          // ReleaseReady
	reaping            // Reaper
	early              // RejectTask, where the node is up
	active             // running
	restarting         // RestartTask
	onNode             // node.owned
	taskSets
)

func (t *task) Place(set int) *int32 { return &t.places[set] }

// runnable is Runnable(t).
func (t *task) runnable() bool { return t.state <= running }

// isTerminated is of the tasks that CleanupTerminated counts.
func (t *task) isTerminated() bool { return complete <= t.state && t.state <= rejected }

// node is an element of Node, with nodes[n].
type node struct {
	walk.Mark
	index  int32
	up     bool
	pinned bool            // may not go down
	held   bool            // may not come up
	owned  walk.Set[*task] // { t \in TasksOwnedByNode(n) : Runnable(t) }

	orphaned uint64 // the last step that orphaned its tasks: one does so once

	places [nodeSets]int32
}

// Sets of nodes.
const (
	ups = iota
	returning
	orphaning
	nodeSets
)

func (n *node) Place(set int) *int32 { return &n.places[set] }

// Fields of the objects, by number.
const (
	fieldState walk.Fields = 1 << iota
	fieldDesired
	fieldNode
	fieldReplicas
	fieldRemove
)

func (sv *service) Kind() trace.Kind { return kinds.Service }
func (t *task) Kind() trace.Kind     { return kinds.Task }
func (n *node) Kind() trace.Kind     { return kinds.Node }

func appendID(b []byte, prefix byte, n int64) []byte {
	return strconv.AppendInt(append(b, prefix), n, 10)
}

func (sv *service) AppendID(b []byte) []byte { return appendID(b, 's', sv.id) }
func (t *task) AppendID(b []byte) []byte     { return appendID(b, 't', t.id) }
func (n *node) AppendID(b []byte) []byte     { return appendID(b, 'n', int64(n.index)+1) }

func (sv *service) AppendFields(b []byte, f walk.Fields) []byte {
	b = append(b, '{')
	if f&fieldReplicas != 0 {
		if b = append(b, `"replicas":`...); sv.isGlobal() {
			b = append(b, `"global"`...)
		} else {
			b = strconv.AppendInt(b, sv.replicas, 10)
		}
	}
	if f&fieldRemove != 0 {
		if f&fieldReplicas != 0 {
			b = append(b, ',')
		}
		b = strconv.AppendBool(append(b, `"remove":`...), sv.remove)
	}
	return append(b, '}')
}

func (t *task) AppendFields(b []byte, f walk.Fields) []byte {
	sep := byte('{')
	key := func(name string) {
		b = append(append(append(b, sep, '"'), name...), '"', ':')
		sep = ','
	}
	if f == walk.All {
		key("service")
		b = append(t.in.service.AppendID(append(b, '"')), '"')
		if key("slot"); t.in.service.isGlobal() {
			b = append(b, `"global"`...)
		} else {
			b = strconv.AppendInt(b, int64(t.in.key), 10)
		}
	}
	if f&fieldNode != 0 {
		key("node")
		if b = append(b, '"'); t.node != nil {
			b = t.node.AppendID(b)
		}
		b = append(b, '"')
	}
	if f&fieldState != 0 {
		key("state")
		b = append(append(append(b, '"'), stateNames[t.state]...), '"')
	}
	if f&fieldDesired != 0 {
		key("desired_state")
		b = append(append(append(b, '"'), stateNames[t.desired]...), '"')
	}
	if sep == '{' {
		b = append(b, sep)
	}
	return append(b, '}')
}

func (n *node) AppendFields(b []byte, _ walk.Fields) []byte {
	if n.up {
		return append(b, `{"state":"up"}`...)
	}
	return append(b, `{"state":"down"}`...)
}
