package swarmkit

import (
	"sync"

	"tracecheck/validators"
)

type (
	action = validators.Action[pair]
	clause = validators.Clause[pair]
)

// next is the module's Next, in its order. Its last disjunct, for models that
// limit events, is stuttering.
var next = validators.Relation[pair]{
	createService, updateService, removeService, // User
	createSlot, replaceTask, requestRemoval, cleanupTerminated, releaseReady, cleanupService, restartTask, // Orchestrator
	allocateTask,                                                                                 // Allocator
	scheduler,                                                                                    // Scheduler
	progressTask, shutdownComplete, orphanTasks, workerUp, rejectTask, containerExit, workerDown, // AgentTLC
	reaper, // Reaper
}.Prepared()

// match returns the first action of Next that explains the pair. Most steps change one task: then
// it is one of those that do.
func (p *pair) match() *action {
	if len(p.tasks) == 1 && len(p.services)+len(p.nodes) == 0 {
		c := &p.tasks[0]
		switch w := c.writes(); {
		case c.was && c.is && c.old.desired == c.new.desired:
			return leading()[c.new.state].Match(p)
		case w < moves:
			return writing()[w].Match(p)
		}
	}
	return next.Match(p)
}

// writing are the actions that bind to each sort of change of one task, in Next's order.
var writing = sync.OnceValue(func() *[moves]relation {
	var by [moves]relation
	v := taskValue{service: &service{}, taskRest: taskRest{taskStates: taskStates{state: Ready, desired: Ready}}}
	there := span{was: true, is: true}
	for _, c := range []taskChange{
		{old: v, new: v.withDesired(Remove), span: there},
		{old: v, new: v.withDesired(Shutdown), span: there},
		{old: v, new: v.withDesired(Running), span: there},
		{old: v, span: span{was: true}},
		{new: v, span: span{is: true}},
	} {
		for _, a := range next {
			if a.Bind(&pair{tasks: []taskChange{c}}) {
				by[c.writes()] = append(by[c.writes()], a)
			}
		}
	}
	return &by
})
