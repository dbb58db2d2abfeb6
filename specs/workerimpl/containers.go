package workerimpl

import "fmt"

// What happens to containers on the node, whether or not it is connected.

var containerExit = &action{
	Name: "ContainerExit", Actor: agentActor, Doc: "A running container finishes on its own, or crashes.",
	Bind: bindContainer,
	Clauses: []clause{
		{Text: `UNCHANGED << nodes, tasks >>`, Holds: func(p *pair) bool { return p.sameNodes() && p.sameTasks() }},
		{Text: `id \in DOMAIN containers`, Holds: func(p *pair) bool { return p.c.was }},
		{
			Text:  `s2 \in { failed, complete }`,
			Holds: func(p *pair) bool { return p.c.is && p.c.new.state.dead() },
			Shows: func(p *pair) string { return "s2 = " + p.c.becomes() },
		},
		{
			Text:  `containers[id] = running`,
			Holds: func(p *pair) bool { return p.c.old.state == isRunning },
			Shows: showContainer,
		},
		{
			Text: `containers' = [containers EXCEPT ![id] = s2]`, Effect: true,
			Holds: func(p *pair) bool { return p.setsContainer(p.c.new.state) },
		},
	},
}

var shutdownComplete = &action{
	Name: "ShutdownComplete", Actor: agentActor, Doc: "A container finishes because the worker stopped it.",
	Bind: bindContainer,
	Clauses: []clause{
		{Text: `UNCHANGED << nodes, tasks, nEvents >>`, Holds: func(p *pair) bool { return p.sameNodes() && p.sameTasks() }},
		{
			Text:  `containers[id] = terminating`,
			Holds: func(p *pair) bool { return p.c.old.state == isTerminating },
			Shows: showContainer,
		},
		{
			Text: `containers' = [containers EXCEPT ![id] = failed]`, Effect: true,
			Holds: func(p *pair) bool { return p.setsContainer(isFailed) },
		},
	},
}

var workerReboot = &action{
	Name: "WorkerReboot", Actor: agentActor, Doc: "The worker reboots: all its containers are terminated.",
	Bind: bindContainer,
	Clauses: []clause{
		{Text: `UNCHANGED << nodes, tasks >>`, Holds: func(p *pair) bool { return p.sameNodes() && p.sameTasks() }},
		{
			Text:   `containers' = [ id \in DOMAIN containers |-> CASE containers[id] \in {running, terminating} -> failed [] containers[id] \in {complete, failed} -> containers[id] ]`,
			Effect: true,
			Holds: func(p *pair) bool {
				return p.setsAll(p.node.live, func(c *containerChange) (containerState, bool) {
					if c.old.state.live() {
						return isFailed, true
					}
					return c.old.state, true
				})
			},
			Shows: func(p *pair) string {
				return fmt.Sprintf("%d containers are running or terminating on %s; the step changes %d", p.node.live, p.node.id, len(p.containers))
			},
		},
	},
	Stutter: func(p *pair) bool { return p.s.workerTotals().still > 0 },
}

// becomes names the state that the container gets.
func (c *containerChange) becomes() string {
	if !c.is {
		return "none: the container is removed"
	}
	return c.new.state.String()
}

func showContainer(p *pair) string { return "containers[id] = " + p.c.old.state.String() }
