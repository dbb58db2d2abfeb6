package workerimpl

import (
	"fmt"

	"tracecheck/internal/amount"
)

// The worker synchronises with a manager: one step over all its containers and
// all tasks that it has.

var syncWithManager = &action{
	Name: "SyncWithManager", Actor: agentActor,
	Doc:  "The agent on the node synchronises with a manager (DoSync).",
	Some: func(p *pair) bool { return someContainer(p) || someState(p) }, Unchanged: unchanged(`UNCHANGED << nodes, nEvents >>`, nodes),
	Link: (*node).isUp, Guards: []clause{linked(`IsUp(node)`, (*node).isUp)},
	Whole: true, Effect: doSync,
	Primed: []primed{
		{
			Text: `containers' = DesiredContainers`, Of: containers,
			Shows: func(p *pair) string {
				text := ""
				if someContainer(p) {
					text = p.showDesired() + "; "
				}
				return text + fmt.Sprintf("DesiredContainers changes %d containers on %s, the step %d", p.node.wholes[symbolSync].containers, p.node.id, len(p.containers))
			},
		},
		{
			Text: `UpdateTasks(RequiredTaskUpdates)`, Of: tasks,
			Shows: func(p *pair) string {
				text := fmt.Sprintf("RequiredTaskUpdates changes %s on %s, the step %d", amount.Of(p.node.wholes[symbolSync].tasks, "task"), p.node.id, len(p.tasks))
				if someState(p) && p.t.old.node == p.node && p.t.old.state == Running {
					u := p.before(p.unit)
					doSync(p, &u)
					text = fmt.Sprintf("ReportFor(%s) = %s, State(t2) = %s; %s", p.unit.id, u.task.state, p.t.new.state, text)
				}
				return text
			},
		},
	},
	Stutters: func(s *state) bool { return s.workerTotals().idle[symbolSync] > 0 },
}

func doSync(p *pair, u *local) {
	c := u.cont
	switch wantShutdown := !u.has || Running.Prec(u.task.desired); {
	case c == isRunning && wantShutdown:
		u.cont = isTerminating
	case c.dead() && !u.has: // rm
		u.cont = noContainer
	}
	if !u.has || u.task.node != p.node || u.task.state != Running {
		return // of oldTasks it is none
	}
	switch { // ReportFor(t)
	case c == noContainer, c == isFailed && u.task.desired == Shutdown:
		u.task.state = Shutdown
	case c == isFailed:
		u.task.state = Failed
	case c == isComplete:
		u.task.state = Complete
	} // of one that is terminating, no progress of the shutdown is recorded
}

// showDesired says what DesiredContainers makes of the container that the pair has.
func (p *pair) showDesired() string {
	u := p.before(p.unit)
	switch doSync(p, &u); {
	case u.cont == noContainer:
		return fmt.Sprintf("DesiredContainers has no %s", p.unit.id)
	case u.has:
		return fmt.Sprintf("DesiredContainers[%s] = %s (the task's desired_state is %s)", p.unit.id, u.cont, u.task.desired)
	}
	return fmt.Sprintf("DesiredContainers[%s] = %s (it has no task)", p.unit.id, u.cont)
}

var progressTask = &action{
	Name: "ProgressTask", Actor: agentActor,
	Doc:  "A container advances towards its task's desired_state, up to running.",
	Some: someState, Unchanged: unchanged(`UNCHANGED << nodes, nEvents >>`, nodes),
	Guards: []clause{
		{
			Text:  `s2 \preceq t.desired_state`,
			Holds: func(p *pair) bool { return p.t.new.state.Preceq(p.t.old.desired) },
			Shows: func(p *pair) string {
				return fmt.Sprintf("s2 = %s, t.desired_state = %s", p.t.new.state, p.t.old.desired)
			},
		},
		{
			Text:   `<< State(t), State(t2) >> \in { << assigned, accepted >>, << accepted, preparing >>, << preparing, ready >>, << ready, starting >>, << starting, running >> }`,
			Effect: true,
			Holds:  func(p *pair) bool { return p.t.old.state.IsProgress(p.t.new.state) },
			Shows:  func(p *pair) string { return fmt.Sprintf("<< %s, %s >>", p.t.old.state, p.t.new.state) },
		},
		{
			Text:  `IsUp(t.node)`,
			Holds: func(p *pair) bool { return p.t.old.node.isUp() },
			Shows: func(p *pair) string { return showNode(p.t.old.node) },
		},
	},
	Effect: func(p *pair, u *local) {
		if u.task.state = p.t.new.state; u.task.state == Running {
			u.cont = isRunning
		}
	},
	Primed: []primed{
		{
			Text: `IF s2 = running THEN containers' = Id(t) :> running @@ containers ELSE UNCHANGED containers`, Of: containers,
			Refute: true,
			Shows: func(p *pair) string {
				if p.t.new.state != Running {
					return fmt.Sprintf("the step changes %d containers on %s", len(p.containers), p.node.id)
				}
				return fmt.Sprintf("no container %s starts running on %s, or not that alone", p.unit.id, p.node.id)
			},
		},
		{Text: `UpdateTasks(t :> t2)`, Of: tasks},
	},
}
