package swarmkit

// Module Allocator: actions performed by the allocator.

var allocateTask = &action{
	Name: "AllocateTask", Actor: "allocator", Doc: "Pick a new task and move it to pending.",
	Bind: bindState, Clauses: []clause{
		onlyTasks,
		inState(New),
		becomes(Pending),
	},
}
