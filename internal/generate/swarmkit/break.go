package swarmkit

import (
	"fmt"

	"tracecheck/internal/generate/walk"
	"tracecheck/internal/kinds"
)

const holds = "TLC finds that it holds of every step that an action of the spec explains. A step that no action explains breaks Next instead"

var rules = []walk.Rule{
	{Name: "Next"}, {Name: "TypeOK"}, {Name: "Inv"}, {Name: "action"}, {Name: "actor"},
	{Name: "StepTransitionsOK", Cannot: holds},
	{Name: "TransitionsOK", Cannot: holds},
	{Name: "InDesiredState", Cannot: "it is a report at the end of a run, and no violation; EventuallyAsDesired is, with a deadline"},
	{Name: orchestratorProgress, Waits: true},
	{Name: allocatorProgress, Waits: true},
	{Name: schedulerProgress, Waits: true},
	{Name: agentProgress, Waits: true},
	{Name: reaperProgress, Waits: true},
	{Name: nodeReturns, Waits: true},
	{Name: eventuallyAsDesired, Waits: true},
}

const (
	orchestratorProgress = "WF_vars(OrchestratorProgress)"
	allocatorProgress    = "WF_vars(AllocatorProgress)"
	schedulerProgress    = "WF_vars(Scheduler)"
	agentProgress        = `WF_vars(AgentProgress /\ UNCHANGED services)`
	reaperProgress       = "WF_vars(Reaper)"
	nodeReturns          = `WF_vars(WorkerUp /\ UNCHANGED services)`
	eventuallyAsDesired  = "EventuallyAsDesired"
)

// script is how far the breaking of a rule has come that takes several steps.
type script struct {
	done    int
	service *service
	task    *task
	taken   int // actions since, where the walk has become quiet
	due     int // when the service gets one more slot
}

// Break implements walk.Walk.
func (w *Walk) Break(rule string, s *walk.Step, _ int) (walk.Broken, bool) {
	switch rule {
	case "Next":
		if w.active.Len() == 0 {
			return walk.Broken{}, false
		}
		t := w.active.Pick(w.r)
		w.setState(s, nil, t, preparing)
		return did("task %s goes back from running to preparing", t)
	case "TypeOK":
		n := walk.NewStray(kinds.Node, "drained", `{"state":"drained"}`)
		s.Create(nil, n)
		return did("node %s appears in a state that is neither up nor down", n)
	case "Inv":
		t := walk.NewStray(kinds.Task, "orphan", `{"service":"gone","slot":1,"node":%q,"state":"running","desired_state":"running"}`, walk.Name(w.nodes[0]))
		s.Snapshot(t)
		return did("a snapshot shows task %s, of a service that is not there", t)
	case "action", "actor":
		return w.misclaim(rule, s)
	case nodeReturns:
		return w.loseNode(s)
	case eventuallyAsDesired:
		// A task that stops on request is a ContainerExit, too: all that
		// has to happen happens first.
		if w.quiet = true; w.waiting() > 0 {
			return walk.Broken{}, false
		}
		sv := w.createService(s, 1<<40)
		w.suspend(sv)
		w.script.service = sv
		return waits("nothing goes wrong any more, and service %s has fewer tasks than it wants", sv)
	}
	return w.abandon(rule, s)
}

func did(format string, o walk.Object) (walk.Broken, bool) {
	return walk.Broken{What: fmt.Sprintf(format, walk.Name(o))}, true
}

func waits(format string, o walk.Object) (walk.Broken, bool) {
	return walk.Broken{What: fmt.Sprintf(format, walk.Name(o)), Waits: true}, true
}

func (w *Walk) misclaim(rule string, s *walk.Step) (walk.Broken, bool) {
	if w.allocate.Len() == 0 {
		return walk.Broken{}, false
	}
	t := w.allocate.Pick(w.r)
	w.allocateTask(s, t)
	l := &s.Lines[0]
	l.Insist = true
	if rule == "actor" {
		l.Claim = &walk.Action{Name: allocateTask.Name, Actor: "agent"}
		return did("task %s is allocated, and the line says by the agent", t)
	}
	l.Claim = &walk.Action{Name: scheduler.Name, Actor: allocateTask.Actor}
	return did("task %s is allocated, and the line says that it is scheduled", t)
}

// loseNode lets a node go down, never to come up again.
func (w *Walk) loseNode(s *walk.Step) (walk.Broken, bool) {
	n := w.ups.Pick(w.r)
	if n.pinned {
		return walk.Broken{}, false
	}
	n.held = true
	w.down++
	w.workerDown(s, n)
	return waits("node %s goes down and stays down", n)
}

// suspend leaves the service alone for the rest of the walk.
func (w *Walk) suspend(sv *service) {
	sv.held = true
	w.fileService(sv, true)
}

// abandon makes a service with a task, and leaves it where it waits for what
// the rule says it gets.
func (w *Walk) abandon(rule string, s *walk.Step) (walk.Broken, bool) {
	x := &w.script
	x.done++
	switch x.done {
	case 1:
		x.service = w.createService(s, 1)
		w.suspend(x.service)
		if rule == orchestratorProgress {
			return waits("service %s gets no task", x.service)
		}
	case 2:
		x.task = w.createSlot(s, x.service)
		x.task.held = true
		w.file(x.task)
		if rule == allocatorProgress {
			return waits("task %s is not allocated", x.task)
		}
	case 3:
		w.allocateTask(s, x.task)
		if rule == schedulerProgress {
			return waits("task %s is not scheduled", x.task)
		}
	case 4:
		n := w.ups.Pick(w.r)
		n.pinned = true
		w.scheduler(s, x.task, n)
		if rule == agentProgress {
			return waits("task %s does not advance, though its node is up", x.task)
		}
	case 5:
		w.rejectTask(s, x.task)
	case 6: // nothing else can be done to it
		w.removeService(s, x.service)
		return waits("task %s is to be forgotten, and is not", x.task)
	}
	return walk.Broken{Further: true}, true
}

// linger gives the service that is never content one more slot now and then,
// so that not even this waits for long.
func (w *Walk) linger(s *walk.Step) bool {
	x := &w.script
	if x.service == nil {
		return false
	}
	if x.taken++; x.taken < x.due {
		return false
	}
	x.due = x.taken + max(20, x.taken/8)
	w.createSlot(s, x.service)
	return true
}
