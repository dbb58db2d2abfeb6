package workerimpl

import "tracecheck/trace"

// local proposes what the item's own actions make of a code, and by which.
func (a *auto) local(c code, allowed allowance, try func(code, *action)) {
	task := func(to code, by *action) { try(a.meet(c, to, by, trace.KindTask), by) }
	switch {
	case c.task() == NoState:
		a.creations(c, allowed, task)
	case a.moves:
		a.updates(c, task)
		a.progress(c, try)
		if isRejectable(c.task()) && c.place() == atWorker && a.up[atWorker] {
			task(c.withTask(Rejected), rejectTask)
		}
		if !a.lasts && isRemovable(c.task()) {
			task(c.without(), removeTask)
		}
	}
	if !a.contMoves {
		return
	}
	cont := func(to containerState, by *action) { try(a.meet(c, c.withCont(to), by, trace.KindContainer), by) }
	switch c.cont() {
	case isRunning:
		cont(isComplete, containerExit)
		cont(isFailed, containerExit)
	case isTerminating:
		cont(isFailed, shutdownComplete)
	}
}

// creations is CreateTask.
func (a *auto) creations(c code, allowed allowance, try func(code, *action)) {
	if !a.moves || a.lasts || c.cont() != noContainer {
		return
	}
	for v, version := range a.versions {
		at := unassigned
		if version.global {
			at = version.at
		}
		if version.is && allowed&(1<<v) != 0 && (!version.global || a.in[at]) {
			try(c.withTask(New).withPlace(at)|code(v)<<versionAt, createTask)
		}
	}
}

// updates is UpdateTask.
func (a *auto) updates(c code, try func(code, *action)) {
	from, global := c.task(), a.versions[c.version()].global
	if len(a.claims) > 0 && !isStuck(c) {
		try(c, updateTask) // of its desired_state
	}
	if (from == Pending || from == Assigned) && c.place() == unassigned {
		for p := atWorker; p < places && !global; p++ {
			if a.in[p] {
				try(c.withTask(Assigned).withPlace(p), updateTask)
			}
		}
		if from == Pending {
			return
		}
	}
	for to := from + 1; to <= Orphaned; to++ {
		by := transitions[from][to]
		if by&byOthers != 0 || by&byAgent != 0 && c.place() != atWorker {
			try(c.withTask(to), updateTask)
		}
	}
}

// progress is ProgressTask.
func (a *auto) progress(c code, try func(code, *action)) {
	from := c.task()
	if !isProgress(from, from+1) || !a.up[c.place()] {
		return
	}
	to := c.withTask(from + 1)
	kinds := []trace.Kind{trace.KindTask}
	if from+1 == Running && c.cont() != isRunning {
		if !a.contMoves {
			return
		}
		to = to.withCont(isRunning)
		kinds = append(kinds, trace.KindContainer)
	}
	try(a.meet(c, to, progressTask, kinds...), progressTask)
}

// isStuck says that UpdateTask cannot change the desired_state alone.
func isStuck(c code) bool { return c.task() == Assigned && c.place() == unassigned }

// letter proposes what a letter makes of a code. That is nothing where it would
// change what the step does not.
func (a *auto) letter(c code, l letter, try func(code)) {
	switch l {
	case letterSync:
		a.sync(c, try)
	case letterOrphan:
		if c.place() != atWorker || !c.task().Owned() {
			try(c)
		} else if a.moves {
			try(a.meet(c, c.withTask(Orphaned), orphanTasks, trace.KindTask))
		}
	case letterReboot:
		if !c.cont().live() {
			try(c)
		} else if a.contMoves {
			try(a.meet(c, c.withCont(isFailed), workerReboot, trace.KindContainer))
		}
	default:
		if c.task() == NoState || l.mode(c.version()) != forbid {
			try(c)
		}
	}
}

// sync is what SyncWithManager makes of the item. A task that changes has
// whatever desired_state is of use.
func (a *auto) sync(c code, try func(code)) {
	free := a.moves && !isStuck(c)
	conts := [2]containerState{c.cont(), c.cont()}
	switch {
	case c.cont().dead() && c.task() == NoState:
		conts = [2]containerState{}
	case c.cont() != isRunning:
	case c.task() == NoState || !free && Running.Prec(a.desired):
		conts = [2]containerState{isTerminating, isTerminating}
	case free:
		conts[1] = isTerminating
	}
	tasks := [2]State{c.task(), c.task()}
	if c.task() == Running && c.place() == atWorker {
		switch {
		case c.cont() == noContainer:
			tasks = [2]State{Shutdown, Shutdown}
		case c.cont() == isFailed && free:
			tasks = [2]State{Failed, Shutdown}
		case c.cont() == isFailed && a.desired == Shutdown:
			tasks = [2]State{Shutdown, Shutdown}
		default:
			tasks[0] = c.cont().report()
			tasks[1] = tasks[0]
		}
	}
	for i := range 2 {
		to := c.withTask(tasks[i])
		if to != c && !a.moves {
			continue
		}
		var kinds [2]trace.Kind
		if to != c {
			kinds[0] = trace.KindTask
		}
		if conts[i] != c.cont() {
			if !a.contMoves || conts[i] == noContainer && a.contLasts {
				continue
			}
			to = to.withCont(conts[i])
			kinds[1] = trace.KindContainer
			if conts[i] == noContainer {
				to |= contAnew
			}
		}
		try(a.meet(c, to, syncWithManager, kinds[:]...))
	}
}
