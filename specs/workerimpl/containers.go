package workerimpl

import "fmt"

// What happens to containers on the node, whether or not it is connected.

var containerExit = &action{
	Name: "ContainerExit", Actor: agentActor, Doc: "A running container finishes on its own, or crashes.",
	Some: someContainer, Unchanged: unchanged(`UNCHANGED << nodes, tasks >>`, nodes|tasks),
	Guards: []clause{
		{Text: `id \in DOMAIN containers`, Holds: func(p *pair) bool { return p.c.was }},
		{
			Text:  `s2 \in { failed, complete }`,
			Holds: func(p *pair) bool { return p.c.is && p.c.new.state.dead() },
			Shows: func(p *pair) string {
				if !p.c.is {
					return "s2 = none: the container is removed"
				}
				return "s2 = " + p.c.new.state.String()
			},
		},
		containerIs(isRunning),
	},
	Effect: func(p *pair, u *local) { u.cont = p.c.new.inDomain() },
	Primed: []primed{{Text: `containers' = [containers EXCEPT ![id] = s2]`, Of: containers}},
}

var shutdownComplete = &action{
	Name: "ShutdownComplete", Actor: agentActor, Doc: "A container finishes because the worker stopped it.",
	Some: someContainer, Unchanged: unchanged(`UNCHANGED << nodes, tasks, nEvents >>`, nodes|tasks),
	Guards: []clause{containerIs(isTerminating)},
	Effect: func(_ *pair, u *local) { u.cont = isFailed },
	Primed: []primed{{Text: `containers' = [containers EXCEPT ![id] = failed]`, Of: containers}},
}

var workerReboot = &action{
	Name: "WorkerReboot", Actor: agentActor, Doc: "The worker reboots: all its containers are terminated.",
	Some: someContainer, Unchanged: unchanged(`UNCHANGED << nodes, tasks >>`, nodes|tasks),
	Whole: true,
	Effect: func(_ *pair, u *local) {
		if u.cont == isRunning || u.cont == isTerminating {
			u.cont = isFailed
		}
	},
	Primed: []primed{{
		Text: `containers' = [ id \in DOMAIN containers |-> CASE containers[id] \in {running, terminating} -> failed [] containers[id] \in {complete, failed} -> containers[id] ]`,
		Of:   containers,
		Shows: func(p *pair) string {
			return fmt.Sprintf("%d containers are running or terminating on %s; the step changes %d", p.node.wholes[symbolReboot].containers, p.node.id, len(p.containers))
		},
	}},
	Stutters: func(s *state) bool { return s.workerTotals().idle[symbolReboot] > 0 },
}

func containerIs(s containerState) clause {
	text := func(s containerState) string { return "containers[id] = " + s.String() }
	return clause{
		Text: text(s), Holds: func(p *pair) bool { return p.c.old.state == s },
		Shows: func(p *pair) string { return text(p.c.old.state) },
	}
}
