package workerimpl

import (
	"fmt"

	"tracecheck/specs/internal/swarm"
)

// OtherComponent: actions of the worker's environment, SwarmKit and the other
// workers. They have no actor.

var createTask = &action{
	Name: "CreateTask", Doc: "A new task is created.",
	Some: someCreated, Unchanged: unchanged(`UNCHANGED << containers, nEvents, nodes >>`, containers|nodes),
	Guards: []clause{
		{Text: `t \in Task`, Holds: func(p *pair) bool { return p.isTask(&p.t.new) }},
		{
			Text:  `Id(t) \notin IdSet(tasks)`,
			Holds: func(p *pair) bool { return !p.t.unit.hasTask || !p.t.unit.task.sameID(&p.t.new) },
		},
		{
			Text:   `Id(t) \notin DOMAIN containers`,
			Holds:  func(p *pair) bool { return p.t.unit.on(p.node) == nil },
			Refute: true, Shows: func(p *pair) string { return "the container of an earlier task of that id is still there" },
		},
		{
			Text:  `State(t) = new`,
			Holds: func(p *pair) bool { return p.t.new.state == New },
			Shows: func(p *pair) string { return "State(t) = " + p.t.new.state.String() },
		},
		{
			Text:  `t.desired_state \in { ready, running }`,
			Holds: func(p *pair) bool { return p.t.new.desired == Ready || p.t.new.desired == Running },
			Shows: func(p *pair) string { return "t.desired_state = " + p.t.new.desired.String() },
		},
		{
			Text: `\/ t.node = unassigned /\ t.slot \in Slot \/ t.node \in Node /\ t.slot = global`,
			Holds: func(p *pair) bool {
				t := &p.t.new
				return t.node == nil && t.slot > 0 || p.inNode(t.node) && t.isGlobal()
			},
			Shows: func(p *pair) string {
				return fmt.Sprintf("t.node = %s, t.slot = %s", p.t.new.node.name(), p.t.new.slotName())
			},
		},
		{
			Text:  `~\E t2 \in tasks : t.service = t2.service /\ (t.slot = global) # (t2.slot = global)`,
			Holds: func(p *pair) bool { return p.t.new.service.tasks[1-modeOf(&p.t.new)] == 0 },
			Shows: func(p *pair) string {
				sv := p.t.new.service
				return fmt.Sprintf("service %s has %d tasks in slots and %d global ones", sv.id, sv.tasks[0], sv.tasks[1])
			},
		},
	},
	Effect: func(p *pair, u *local) { u.has, u.task = true, p.t.new },
	Primed: []primed{{Text: `tasks' = tasks \union {t}`, Of: tasks}},
}

var updateTask = &action{
	Name: "UpdateTask", Doc: "The state or desired_state of a task is updated.",
	Some: someUpdated, Unchanged: unchanged(`UNCHANGED << containers, nEvents, nodes >>`, containers|nodes),
	Guards: []clause{
		{Text: `t2 \in Task`, Holds: func(p *pair) bool { return p.isTask(&p.t.new) }},
		{Text: `Id(t) = Id(t2)`, Holds: func(p *pair) bool { return p.t.old.sameID(&p.t.new) }},
		{
			Text:   `State(t) # State(t2) => \E actor \in DOMAIN Transitions : (actor = "agent" => t.node # node) /\ << State(t), State(t2) >> \in Transitions[actor]`,
			Effect: true,
			Holds: func(p *pair) bool {
				t, t2 := &p.t.old, &p.t.new
				actor := swarm.Actor(t.state, t2.state)
				return t.state == t2.state || actor != "" && (actor != agentActor || t.node != p.node)
			},
			Shows: func(p *pair) string {
				text := fmt.Sprintf("<< %s, %s >>", p.t.old.state, p.t.new.state)
				if p.t.old.node == p.node {
					text += ", t.node = node = " + p.node.name()
				}
				return text
			},
		},
		{
			Text: `IF State(t2) = assigned /\ t.node = unassigned THEN t2.node \in Node ELSE t2.node = t.node`,
			Holds: func(p *pair) bool {
				if p.t.new.state == Assigned && p.t.old.node == nil {
					return p.inNode(p.t.new.node)
				}
				return p.t.new.node == p.t.old.node
			},
			Shows: func(p *pair) string {
				return fmt.Sprintf("State(t2) = %s, t.node = %s, t2.node = %s", p.t.new.state, p.t.old.node.name(), p.t.new.node.name())
			},
		},
	},
	Effect:   func(p *pair, u *local) { u.task = p.t.new },
	Primed:   []primed{{Text: `UpdateTasks(t :> t2)`, Of: tasks}},
	Stutters: func(s *state) bool { return s.calm > 0 },
}

var removeTask = &action{
	Name: "RemoveTask", Doc: "The reaper removes a task.",
	Some: someDeleted, Unchanged: unchanged(`UNCHANGED << containers, nEvents, nodes >>`, containers|nodes),
	Guards: []clause{{
		Text:  `<< State(t), null >> \in Transitions.reaper`,
		Holds: func(p *pair) bool { return swarm.Actor(p.t.old.state, NoState) == "reaper" },
		Shows: func(p *pair) string { return "State(t) = " + p.t.old.state.String() },
	}},
	Effect: func(_ *pair, u *local) { u.has = false },
	Primed: []primed{{Text: `tasks' = tasks \ {t}`, Of: tasks}},
}

// isTask is v \in Task.
func (p *pair) isTask(v *taskValue) bool { return v.Bad == 0 && (v.node == nil || p.inNode(v.node)) }
