package workerimpl

import (
	"fmt"

	"tracecheck/internal/generate/walk"
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

const (
	wsFair  = "WF_wsVars(WS!AgentProgress)"
	ownFair = "WF_vars(AgentProgress)"
)

// Spec is WorkerImpl.
var Spec = &walk.Spec{
	Name:  "workerimpl",
	Kinds: []trace.Kind{kinds.Task, kinds.Node, kinds.Container},
	Rules: []walk.Rule{
		{Name: "Next"}, {Name: "TypeOK"},
		{Name: "WSSpec", Atomic: "the task may have to stop meanwhile, which WorkerSpec knows"},
		{Name: "action"}, {Name: "actor"},
		{Name: `[][WS!Agent \/ OtherComponent]_wsVars`, Cannot: "steps that break it are reported under WSSpec: break that"},
		{Name: wsFair, Waits: true}, {Name: ownFair, Waits: true},
	},
	New: New,
}

// Break implements walk.Walk.
func (w *Walk) Break(rule string, s *walk.Step, _ int) (walk.Broken, bool) {
	switch rule {
	case "Next":
		u := w.ended()
		if u == nil {
			return walk.Broken{}, false
		}
		w.setContainer(s, nil, u, isRunning)
		return did("container %s has ended, and runs again", &u.cont)
	case "TypeOK":
		n := walk.NewStray(kinds.Node, "drained", `{"state":"drained"}`)
		s.Create(nil, n)
		return did("node %s appears in a state that is neither up nor down", n)
	case "WSSpec":
		return w.lose(s)
	case wsFair:
		w.wired = true
		n := w.nodes[1]
		if !n.up {
			return walk.Broken{}, false
		}
		t := walk.NewStray(kinds.Task, "stopping", `{"service":"stray","slot":1,"node":%q,"state":"running","desired_state":"shutdown"}`, walk.Name(n))
		s.Snapshot(t)
		return waits("task %s is to stop, and does not", t)
	case ownFair:
		w.wired = true
		c := walk.NewStray(kinds.Container, "stopping", `{"node":%q,"state":"terminating"}`, walk.Name(w.worker()))
		s.Snapshot(c)
		return waits("container %s is terminating, and does not end", c)
	}
	return w.misclaim(rule, s)
}

func did(format string, o walk.Object) (walk.Broken, bool) {
	return walk.Broken{What: fmt.Sprintf(format, walk.Name(o))}, true
}

func waits(format string, o walk.Object) (walk.Broken, bool) {
	return walk.Broken{What: fmt.Sprintf(format, walk.Name(o)), Waits: true}, true
}

// ended is a unit whose container has ended.
func (w *Walk) ended() *unit {
	for i := range w.stale.Len() {
		if u := w.stale.At(i); u.cont.state >= isComplete {
			return u
		}
	}
	return nil
}

// lose shows a task that runs without its container, and then reports that: the
// one report of a worker that WorkerSpec does not know.
func (w *Walk) lose(s *walk.Step) (walk.Broken, bool) {
	if w.script == nil {
		if !w.worker().up || w.stale.Len() > 0 {
			return walk.Broken{}, false
		}
		u := w.newUnit()
		u.task.slot, u.task.node, u.task.state, u.task.desired = w.lastTask, w.worker(), running, running
		w.script = u
		w.file(u)
		s.Snapshot(&u.task)
		return walk.Broken{Further: true}, true
	}
	w.syncWithManager(s) // which has nothing else to tell
	return did("task %s runs without a container, and is reported as shut down", &w.script.task)
}

func (w *Walk) misclaim(rule string, s *walk.Step) (walk.Broken, bool) {
	if rule == "actor" {
		if w.early.Len() == 0 || !w.worker().up {
			return walk.Broken{}, false
		}
		u := w.early.Pick(w.r)
		w.rejectTask(s, u)
		s.Lines[0].Claim, s.Lines[0].Insist = &walk.Action{Name: rejectTask.Name, Actor: "orchestrator"}, true
		return did("task %s is rejected, and the line says by the orchestrator", &u.task)
	}
	if w.allocate.Len() == 0 {
		return walk.Broken{}, false
	}
	u := w.allocate.Pick(w.r)
	w.updateTask(s, u, pending, u.task.desired, u.task.node)
	s.Lines[0].Claim, s.Lines[0].Insist = createTask, true
	return did("task %s is updated, and the line says that it is created", &u.task)
}
