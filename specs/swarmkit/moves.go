package swarmkit

// move is one action on the items of a frame.
type move struct {
	action  *action
	item    int       // the task, an index into batch.items; -1: none
	to      taskValue // what it becomes
	other   int       // RestartTask: the replacement; else -1
	service int       // an index into batch.services; -1: none
	node    *node     // OrphanTasks
	global  bool      // CreateService: in which mode
}

// moves proposes what may be done in the frame: a superset, of which the
// actions' clauses accept those that are steps.
func (b *batch) moves(f *frame, try func(move)) {
	for _, i := range f.items {
		t := &b.items[i]
		if t.here {
			b.movesOf(f, i, try)
		} else {
			b.creations(f, i, try)
		}
	}
	for n, at := range f.places {
		if at == nil {
			continue
		}
		for _, i := range f.items {
			if t := &b.items[i]; t.here && t.now.node == f.places[n] && t.now.state.Owned() {
				try(move{action: orphanTasks, item: i, other: -1, service: -1, node: at})
				break
			}
		}
	}
	marked := map[*service]bool{}
	for _, i := range f.items { // of a service that is flagged already
		if t := &b.items[i]; t.here && t.change < 0 && t.service.remove && t.now.desired != Remove && !marked[t.service] {
			marked[t.service] = true
			try(move{action: removeService, item: i, other: -1, service: -1})
		}
	}
	for _, at := range f.services {
		c := &b.services[at]
		for _, a := range [...]*action{createService, updateService, removeService, cleanupService} {
			if !c.allows(a) {
				continue
			}
			mv := move{action: a, item: -1, other: -1, service: at, global: c.lasting().isGlobal()}
			try(mv)
			if a == createService && b.claims { // one that does not last may be what a claim is about
				mv.global = !mv.global
				try(mv)
			}
		}
	}
}

// allows says that the action may be of use on the service at the moment;
// UpdateService only to meet a claim, since replicas are left open.
func (c *serviceItem) allows(a *action) bool {
	sv := c.record
	switch a {
	case createService:
		return !sv.exists
	case updateService:
		return len(c.claims) > 0 && sv.exists && sv.isReplicated() && !sv.remove
	case removeService:
		return sv.exists && (!c.stands() || c.new.remove)
	default:
		return sv.exists && !c.stands()
	}
}

func (b *batch) movesOf(f *frame, i int, try func(move)) {
	t := &b.items[i]
	v := t.now
	to := func(a *action, new taskValue) {
		if !t.stands() || leadsTo(&new, &t.new) {
			try(move{action: a, item: i, to: new, other: -1, service: -1})
		}
	}
	switch {
	case v.state == New:
		to(allocateTask, v.withState(Pending))
	case v.state == Pending && v.node != nil:
		to(scheduler, v.withState(Assigned))
	case v.state == Pending:
		for _, n := range f.places {
			if n != nil {
				to(scheduler, v.withState(Assigned).withNode(n))
			}
		}
	case Assigned.Preceq(v.state) && v.state.Preceq(Starting):
		to(progressTask, v.withState(v.state+1))
		to(rejectTask, v.withState(Rejected))
	case v.state == Running:
		to(shutdownComplete, v.withState(Shutdown)) // before what is a setback: as Next has it
		to(containerExit, v.withState(Complete))
		to(containerExit, v.withState(Failed))
		to(containerExit, v.withState(Shutdown))
	}
	if v.desired == Ready {
		to(releaseReady, v.withDesired(Running))
	}
	if v.desired != Remove {
		to(cleanupTerminated, v.withDesired(Remove))
		to(requestRemoval, v.withDesired(Remove))
	}
	if !t.stands() {
		try(move{action: reaper, item: i, other: -1, service: -1})
	}
}

// creations proposes how an item that does not stand may be created.
func (b *batch) creations(f *frame, i int, try func(move)) {
	t := &b.items[i]
	if b.s.tasks.Get(t.id) != nil {
		return // the same id, in another slot
	}
	created := newTask(t.service, t.vslot, Running)
	try(move{action: createSlot, item: i, to: created, other: -1, service: -1})
	try(move{action: replaceTask, item: i, to: created, other: -1, service: -1})
	for _, j := range f.items {
		old := &b.items[j]
		if old.here && old.service == t.service && old.vslot == t.vslot {
			new := old.now.withDesired(Shutdown)
			if !old.stands() || leadsTo(&new, &old.new) {
				try(move{action: restartTask, item: j, to: new, other: i, service: -1})
			}
		}
	}
}

// leadsTo says that a task which stands throughout may yet get from v to goal:
// nothing goes back in the order of the states, nor in that of the desired
// states.
func leadsTo(v, goal *taskValue) bool {
	if v.desired > goal.desired {
		return false
	}
	if v.node != goal.node && (v.node != nil || !v.state.Prec(Assigned)) {
		return false
	}
	switch {
	case v.state == goal.state:
		return true
	case goal.state.Runnable():
		return v.state.Prec(goal.state)
	case goal.state == Rejected:
		return v.state.Preceq(Starting)
	}
	return v.state.Runnable()
}

// pairOf makes the move's pair of states.
func (b *batch) pairOf(f *frame, mv *move) *pair {
	p := &b.p
	p.s = b.s
	p.tasks, p.services, p.nodes = p.tasks[:0], p.services[:0], p.nodes[:0]
	switch mv.action {
	case orphanTasks:
		b.addAll(f, func(t *item) bool { return t.now.node == mv.node && t.now.state.Owned() },
			func(v taskValue) taskValue { return v.withState(Orphaned) })
	case requestRemoval:
		old := &b.items[mv.item]
		b.addAll(f, func(t *item) bool {
			return t.service == old.service && t.vslot == old.vslot && t.now.desired != Remove
		}, func(v taskValue) taskValue { return v.withDesired(Remove) })
	case removeService:
		var sv *service
		if mv.service >= 0 {
			sv = b.services[mv.service].record
			if !sv.remove {
				b.addService(mv.service, sv.flagged(), true)
			}
		} else {
			sv = b.items[mv.item].service
		}
		b.addAll(f, func(t *item) bool { return t.service == sv && t.now.desired != Remove },
			func(v taskValue) taskValue { return v.withDesired(Remove) })
	case createService:
		b.addService(mv.service, b.services[mv.service].incarnation(mv.global), true)
	case updateService:
		new := b.services[mv.service].record.serviceValue
		new.replicas++
		b.addService(mv.service, new, true)
	case cleanupService:
		b.addService(mv.service, serviceValue{}, false)
	case reaper:
		b.add(mv.item, taskValue{}, false)
	default:
		b.add(mv.item, mv.to, true)
		if mv.other >= 0 {
			t := &b.items[mv.other]
			b.add(mv.other, newTask(t.service, t.vslot, Ready), true)
		}
	}
	return p
}

// lasting is the spec that the service ends with or, where it is deleted,
// begins with.
func (c *serviceItem) lasting() serviceValue {
	if c.is {
		return c.new
	}
	return c.old
}

// incarnation is a spec with which the service may be created in the mode.
func (c *serviceItem) incarnation(global bool) serviceValue {
	switch v := c.lasting(); {
	case v.isGlobal() == global:
		return serviceValue{replicas: v.replicas}
	case global:
		return serviceValue{replicas: globalReplicas}
	}
	return serviceValue{}
}

func (b *batch) add(i int, new taskValue, is bool) {
	t := &b.items[i]
	b.p.tasks = append(b.p.tasks, taskChange{id: t.id, old: t.now, was: t.here, new: new, is: is, line: i})
}

func (b *batch) addAll(f *frame, member func(*item) bool, become func(taskValue) taskValue) {
	for _, i := range f.items {
		if t := &b.items[i]; t.here && member(t) {
			b.add(i, become(t.now), true)
		}
	}
}

func (b *batch) addService(at int, new serviceValue, is bool) {
	c := &b.services[at]
	b.p.services = append(b.p.services, serviceChange{
		id: c.id, old: c.record.serviceValue, was: c.record.exists, new: new, is: is, line: at})
}
