package workerimpl_test

func agentOnContainers(s oState, worker int8, u universe, add func(string, oState)) {
	for i := range s.conts {
		if !s.has(i, worker) || u.may != nil && !u.may.conts[i] {
			continue
		}
		to := func(action string, state uint8) {
			next := s
			next.conts[i].state = state
			add(action, next)
		}
		switch s.conts[i].state {
		case cRunning:
			to("ContainerExit", cComplete)
			to("ContainerExit", cFailed)
		case cTerminating:
			to("ShutdownComplete", cFailed)
		}
	}
	reboot := s
	for i := range s.conts {
		if s.has(i, worker) && (s.conts[i].state == cRunning || s.conts[i].state == cTerminating) {
			reboot.conts[i].state = cFailed
		}
	}
	add("WorkerReboot", reboot)
	if s.up(worker) {
		add("SyncWithManager", synced(s, worker))
	}
}

// synced is DoSync.
func synced(s oState, worker int8) oState {
	next := s
	for i := range s.conts {
		if s.has(i, worker) {
			t, state := s.tasks[i], s.conts[i].state
			switch wantShutdown := !t.here || t.desired > oRunning; {
			case (state == cComplete || state == cFailed) && !t.here:
				next.conts[i] = oCont{}
			case state == cRunning && wantShutdown:
				next.conts[i].state = cTerminating
			}
		}
		if t := s.tasks[i]; t.here && t.node == worker && t.state == oRunning {
			report := oRunning
			switch {
			case !s.has(i, worker):
				report = oShutdown
			case s.conts[i].state == cFailed && t.desired == oShutdown:
				report = oShutdown
			case s.conts[i].state == cFailed:
				report = oFailed
			case s.conts[i].state == cComplete:
				report = oComplete
			}
			next.tasks[i].state = report
		}
	}
	return next
}
