package workerimpl

import "fmt"

// The worker synchronises with a manager: one step over all its containers and
// all tasks that it has.

var syncWithManager = &action{
	Name: "SyncWithManager", Actor: agentActor,
	Doc:  "The agent on the node synchronises with a manager (DoSync).",
	Bind: func(p *pair) bool { return bindContainer(p) || bindState(p) },
	Clauses: []clause{
		{Text: `UNCHANGED << nodes, nEvents >>`, Holds: func(p *pair) bool { return p.sameNodes() }},
		{Text: `IsUp(node)`, Holds: func(p *pair) bool { return p.node.isUp() }, Shows: func(p *pair) string { return showNode(p.node) }},
		{
			Text: `containers' = DesiredContainers`, Effect: true,
			Holds: func(p *pair) bool {
				return p.setsAll(p.node.syncs, func(c *containerChange) (containerState, bool) {
					return p.unit(c.id).desiredContainer()
				})
			},
			Shows: func(p *pair) string {
				if bindContainer(p) {
					return p.unit(p.c.id).showDesired() + fmt.Sprintf("; DesiredContainers changes %d containers on %s, the step %d", p.node.syncs, p.node.id, len(p.containers))
				}
				return fmt.Sprintf("DesiredContainers changes %d containers on %s, the step %d", p.node.syncs, p.node.id, len(p.containers))
			},
		},
		{
			Text: `UpdateTasks(RequiredTaskUpdates)`, Effect: true,
			Holds: func(p *pair) bool {
				return p.updatesAll(p.node.reports, func(c *taskChange) bool {
					return c.old.node == p.node && c.old.state == Running &&
						c.new == c.old.withState(p.unit(c.id).reportFor(p.node))
				})
			},
			Shows: func(p *pair) string {
				text := fmt.Sprintf("RequiredTaskUpdates changes %d tasks on %s, the step %d", p.node.reports, p.node.id, len(p.tasks))
				if bindState(p) && p.t.old.node == p.node && p.t.old.state == Running {
					text = fmt.Sprintf("ReportFor(%s) = %s, State(t2) = %s; %s", p.t.id, p.unit(p.t.id).reportFor(p.node), p.t.new.state, text)
				}
				return text
			},
		},
	},
	Stutter: func(p *pair) bool { return p.s.workerTotals().synced > 0 },
}

// showDesired says what DesiredContainers makes of the unit's container.
func (u *unit) showDesired() string {
	state, stays := u.desiredContainer()
	switch {
	case !stays:
		return fmt.Sprintf("DesiredContainers has no %s", u.id)
	case u.hasTask:
		return fmt.Sprintf("DesiredContainers[%s] = %s (the task's desired_state is %s)", u.id, state, u.task.desired)
	}
	return fmt.Sprintf("DesiredContainers[%s] = %s (it has no task)", u.id, state)
}

var progressTask = &action{
	Name: "ProgressTask", Actor: agentActor,
	Doc:  "A container advances towards its task's desired_state; at running, it is there.",
	Bind: bindState,
	Clauses: []clause{
		{Text: `UNCHANGED << nodes, nEvents >>`, Holds: func(p *pair) bool { return p.sameNodes() }},
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
			Holds:  func(p *pair) bool { return isProgress(p.t.old.state, p.t.new.state) },
			Shows:  func(p *pair) string { return fmt.Sprintf("<< %s, %s >>", p.t.old.state, p.t.new.state) },
		},
		{
			Text:  `IsUp(t.node)`,
			Holds: func(p *pair) bool { return p.t.old.node.isUp() },
			Shows: func(p *pair) string { return showNode(p.t.old.node) },
		},
		{
			Text: `IF s2 = running THEN containers' = Id(t) :> running @@ containers ELSE UNCHANGED containers`, Effect: true,
			Holds: func(p *pair) bool {
				if p.t.new.state != Running {
					return p.sameContainers()
				}
				return p.starts(p.t.id)
			},
			Refute: true,
			Shows: func(p *pair) string {
				if p.t.new.state != Running {
					return fmt.Sprintf("the step changes %d containers on %s", len(p.containers), p.node.id)
				}
				return fmt.Sprintf("no container %s starts running on %s, or not that alone", p.t.id, p.node.id)
			},
		},
		{
			Text: `UpdateTasks(t :> t2)`, Effect: true,
			Holds: func(p *pair) bool { return p.updates(p.t.old.withState(p.t.new.state)) },
		},
	},
}

// isProgress says that ProgressTask takes a task from one state to the other.
func isProgress(from, to State) bool {
	return Assigned.Preceq(from) && from.Prec(Running) && to == from+1
}

// starts is containers' = id :> running @@ containers.
func (p *pair) starts(id string) bool {
	if c := p.unit(id).on(p.node); c != nil && c.state == isRunning {
		return p.sameContainers()
	}
	if len(p.containers) != 1 {
		return false
	}
	c := &p.containers[0]
	return c.id == id && c.is && c.new == containerValue{node: p.node, state: isRunning}
}
