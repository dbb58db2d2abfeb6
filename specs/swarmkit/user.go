package swarmkit

import (
	"fmt"

	"tracecheck/internal/amount"
)

// Module User: actions performed by users.

var createService = &action{
	Name: "CreateService", Actor: "user", Doc: "Create a new service with any ServiceSpec.",
	Bind: bindService(false, true), Clauses: []clause{
		unchanged("tasks", "nodes", "nEvents"),
		{Text: `spec \in ServiceSpec`, Holds: func(p *pair) bool { return p.spec.new.bad == 0 }},
		{Text: `spec.remove = FALSE`, Holds: func(p *pair) bool { return !p.spec.new.remove }},
		{Text: `services' = services @@ sid :> spec`, Effect: true, Holds: func(p *pair) bool { return len(p.services) == 1 }},
	},
}

var updateService = &action{
	Name: "UpdateService", Actor: "user", Doc: "Update an existing service's spec.",
	Bind: bindService(true, true), Clauses: []clause{
		unchanged("tasks", "nodes"),
		{Text: `newSpec \in ServiceSpec`, Holds: func(p *pair) bool { return p.spec.new.bad == 0 }},
		{Text: `services[sid].remove = FALSE`, Holds: func(p *pair) bool { return !p.spec.old.remove && p.spec.old.bad&ofRemove == 0 }},
		{Text: `newSpec.remove = FALSE`, Holds: func(p *pair) bool { return !p.spec.new.remove }},
		{
			Text:  `(services[sid].replicas = global) <=> (newSpec.replicas = global)`,
			Holds: func(p *pair) bool { return p.spec.old.isGlobal() == p.spec.new.isGlobal() },
		},
		{Text: `services' = [services EXCEPT ![sid] = newSpec]`, Effect: true, Holds: func(p *pair) bool { return len(p.services) == 1 }},
	},
	Stutter: func(p *pair) bool { return p.s.totals.updatable > 0 },
}

var removeService = &action{
	Name: "RemoveService", Actor: "user", Doc: "Flag a service, and every task of it, for removal.",
	Bind: func(p *pair) bool {
		if p.findService(true, true) {
			return p.spec.new.remove
		}
		return bindRemoved(p)
	},
	Clauses: []clause{
		unchanged("nodes"),
		hasService,
		{Text: `services' = [services EXCEPT ![sid].remove = TRUE]`, Effect: true, Holds: func(p *pair) bool {
			if len(p.services) == 0 {
				return p.sid.remove
			}
			return len(p.services) == 1 && p.findService(true, true) && p.spec.new == p.sid.flagged()
		}},
		removesAll.clause(`UpdateTasks([t \in TasksOf(sid) |-> [t EXCEPT !.desired_state = remove]])`,
			func(p *pair) string {
				return fmt.Sprintf("%d tasks of the service are not yet marked; the step changes %s", p.sid.notRemove, amount.Of(len(p.tasks), "task"))
			}),
	},
	Stutter: func(p *pair) bool { return p.s.totals.flagged > 0 },
}
