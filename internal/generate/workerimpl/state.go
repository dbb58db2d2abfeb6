// Package workerimpl walks WorkerImpl.tla: the containers of one worker node, and the tasks
// behind them. The rest of the swarm changes these tasks, too.
package workerimpl

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

// containerState is a ContainerState; 0 is no container.
type containerState uint8

const (
	gone containerState = iota
	isRunning
	terminating
	isComplete
	isFailed
)

var containerNames = [...]string{"", "running", "terminating", "complete", "failed"}

// report is what RequiredTaskUpdates says about a container in the state.
func (c containerState) report() state {
	return [...]state{gone: shutdown, isRunning: running, terminating: running, isComplete: complete, isFailed: failed}[c]
}

// unit is a task and its container, either of which may be there without the
// other.
type unit struct {
	task   task
	cont   container
	places [sets]int32
}

// Sets of units.
const (
	allocating  = iota // new
	scheduling         // pending
	progressing        // ProgressTask, where the node is up
	elsewhere          // a step of another worker's agent, where its node is up
	releasing          // waits at ready
	dead               // RemoveTask
	wanted             // has to stop
	early              // RejectTask
	stopping           // ShutdownComplete
	executing          // ContainerExit
	stale              // SyncWithManager changes it
	live               // WorkerReboot changes it
	owned              // OrphanTasks changes it
	standing           // is a task
	sets
)

// Place implements walk.Member.
func (u *unit) Place(set int) *int32 { return &u.places[set] }

// task is an element of tasks.
type task struct {
	walk.Mark
	id      int64
	slot    int64 // 0: global
	is      bool
	node    *node // nil: unassigned
	state   state
	desired state
}

// container is an element of containers.
type container struct {
	walk.Mark
	of    *unit
	node  *node
	state containerState
}

// node is an element of Node. The first is the worker.
type node struct {
	walk.Mark
	index int
	up    bool
	place int32
}

// Place implements walk.Member.
func (n *node) Place(int) *int32 { return &n.place }

// Fields of the objects, by number.
const (
	fieldState walk.Fields = 1 << iota
	fieldDesired
	fieldNode
)

func (t *task) Kind() trace.Kind      { return kinds.Task }
func (c *container) Kind() trace.Kind { return kinds.Container }
func (n *node) Kind() trace.Kind      { return kinds.Node }

func (t *task) AppendID(b []byte) []byte      { return strconv.AppendInt(append(b, 't'), t.id, 10) }
func (c *container) AppendID(b []byte) []byte { return c.of.task.AppendID(b) }
func (n *node) AppendID(b []byte) []byte {
	return strconv.AppendInt(append(b, 'n'), int64(n.index)+1, 10)
}

func (t *task) AppendFields(b []byte, f walk.Fields) []byte {
	sep := byte('{')
	key := func(name string) {
		b = append(append(append(b, sep, '"'), name...), '"', ':')
		sep = ','
	}
	if f == walk.All {
		if key("service"); t.slot == 0 {
			b = append(b, `"agents","slot":"global"`...)
		} else {
			b = strconv.AppendInt(append(b, `"web","slot":`...), t.slot, 10)
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

func (c *container) AppendFields(b []byte, f walk.Fields) []byte {
	b = append(b, '{')
	if f&fieldNode != 0 {
		b = append(c.node.AppendID(append(b, `"node":"`...)), `",`...)
	}
	return append(append(append(b, `"state":"`...), containerNames[c.state]...), `"}`...)
}

func (n *node) AppendFields(b []byte, _ walk.Fields) []byte {
	if n.up {
		return append(b, `{"state":"up"}`...)
	}
	return append(b, `{"state":"down"}`...)
}
