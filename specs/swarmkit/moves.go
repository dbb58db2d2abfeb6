package swarmkit

import "slices"

// move is one action on the items of a frame.
type move struct {
	action  *action
	item    *item        // the task; nil: none
	to      taskValue    // what it becomes
	other   *item        // RestartTask: the replacement; else nil
	service *serviceItem // nil: none
	node    *node        // OrphanTasks
	global  bool         // CreateService: in which mode
}

// moves proposes what may be done in the frame: a superset, of which the
// actions' clauses accept those that are steps.
func (b *batch) moves(f *frame, try func(move)) {
	for _, t := range f.items {
		if b.left < 0 {
			return
		}
		if t.here {
			b.movesOf(f, t, try)
		} else {
			b.creations(f, t, try)
		}
	}
	for _, n := range f.places[1:] {
		owned := func(t *item) bool { return t.here && t.now.node == n && t.now.state.Owned() }
		if k := slices.IndexFunc(f.items, owned); k >= 0 {
			try(move{action: orphanTasks, item: f.items[k], node: n})
		}
	}
	marked := map[*service]bool{}
	for _, t := range f.items { // of a service that is flagged already
		if t.here && t.change == nil && t.service.remove && t.now.desired != Remove && !marked[t.service] {
			marked[t.service] = true
			try(move{action: removeService, item: t})
		}
	}
	for _, c := range f.services {
		for _, a := range [...]*action{createService, updateService, removeService, cleanupService} {
			if !c.allows(a) {
				continue
			}
			mv := move{action: a, service: c, global: c.lasting().isGlobal()}
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
		return sv.exists && (!c.lasts() || c.new.remove)
	default:
		return sv.exists && !c.lasts()
	}
}

func (b *batch) movesOf(f *frame, t *item, try func(move)) {
	to := func(by *action, v taskValue) {
		if !t.lasts() || canBecome(&v, &t.new) {
			try(move{action: by, item: t, to: v})
		}
	}
	for _, w := range ways()[t.now.state][t.now.desired] {
		if w.by != scheduler || t.now.node != nil {
			to(w.by, w.of(t.now, t.now.node))
			continue
		}
		for _, n := range f.places[1:] {
			to(w.by, w.of(t.now, n))
		}
	}
	if !t.lasts() {
		try(move{action: reaper, item: t})
	}
}

// creations proposes how an item that does not exist may be created.
func (b *batch) creations(f *frame, t *item, try func(move)) {
	if b.s.tasks.Get(t.id) != nil {
		return // the same id, in another slot
	}
	created := newTask(t.service, t.vslot, Running)
	try(move{action: createSlot, item: t, to: created})
	try(move{action: replaceTask, item: t, to: created})
	for _, old := range f.items {
		if old.here && old.service == t.service && old.vslot == t.vslot {
			new := old.now.withDesired(Shutdown)
			if !old.lasts() || canBecome(&new, &old.new) {
				try(move{action: restartTask, item: old, to: new, other: t})
			}
		}
	}
}

// pairOf makes the move's pair of states.
func (b *batch) pairOf(f *frame, mv *move) *pair {
	p := &b.p
	p.s = b.s
	p.tasks, p.services, p.nodes = p.tasks[:0], p.services[:0], p.nodes[:0]
	switch mv.action {
	case orphanTasks:
		p.node = mv.node
		b.addAll(f, orphansOwned)
	case requestRemoval:
		b.p.lookVSlot(&mv.item.now)
		p.sid = p.vslot.service
		b.addAll(f, removesSlot)
	case removeService:
		if mv.service == nil {
			p.sid = mv.item.service
		} else if p.sid = mv.service.record; !p.sid.remove {
			b.addService(mv.service, p.sid.flagged(), true)
		}
		b.addAll(f, removesAll)
	case createService:
		b.addService(mv.service, mv.service.incarnation(mv.global), true)
	case updateService:
		new := mv.service.record.serviceValue
		new.replicas++
		b.addService(mv.service, new, true)
	case cleanupService:
		b.addService(mv.service, serviceValue{}, false)
	case reaper:
		b.add(mv.item, taskValue{}, false)
	default:
		b.add(mv.item, mv.to, true)
		if t := mv.other; t != nil {
			b.add(t, newTask(t.service, t.vslot, Ready), true)
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

func (b *batch) add(t *item, new taskValue, is bool) {
	b.p.tasks = append(b.p.tasks, taskChange{id: t.id, old: t.now, new: new, span: span{was: t.here, is: is, line: t.at}})
}

// addAll adds what the effect changes, for the witnesses that the pair has.
func (b *batch) addAll(f *frame, e *effect) {
	for _, t := range f.items {
		if t.here && e.of(&b.p, &t.now) {
			if to := e.to(t.now); to != t.now {
				b.add(t, to, true)
			}
		}
	}
}

func (b *batch) addService(c *serviceItem, new serviceValue, is bool) {
	b.p.services = append(b.p.services, serviceChange{
		id: c.id, old: c.record.serviceValue, new: new, span: span{was: c.record.exists, is: is, line: c.at}})
}
