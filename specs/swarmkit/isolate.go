package swarmkit

// What the searches do to the state: the step's objects leave it and come
// and go as a search has them.

// unbounded is as many replicas, or as few, as a guard needs.
const unbounded = 1 << 40

// open lets the guards of a service's counts pass (d = 1), or no more (-1).
func (b *batch) open(sv *service, d int) {
	sv.slots -= d * unbounded
	sv.wanted += d * unbounded
	b.s.refresh(sv)
}

// isolate takes the step's tasks out of the state, so that its counts are
// those of everything else, and leaves open what an action can set at will: the
// nodes that differ (and the replicas of the services that do: load). Where
// loose, the replicas of the other services are open too.
func (b *batch) isolate(loose bool) {
	for _, t := range b.items {
		if t.here {
			b.s.dropTask(t.id)
			t.here = false
		}
	}
	if loose {
		b.openOthers(+1)
	}
	for i := range b.nodes {
		b.nodes[i].record.either = true
	}
}

// restore undoes isolate.
func (b *batch) restore(loose bool) {
	if loose {
		b.openOthers(-1)
	}
	for i := range b.nodes {
		b.nodes[i].record.either = false
	}
	b.rollback()
}

// rollback makes the state what it was before the step.
func (b *batch) rollback() {
	for _, c := range b.services {
		b.setOpen(c, false)
		b.putService(c, c.old, c.was)
		c.met = 0
	}
	for _, was := range [...]bool{false, true} { // an id may stand for two items, in different slots
		for _, t := range b.items {
			if t.was == was {
				b.putTask(t, t.old, was)
				t.met = 0
			}
		}
	}
	for i := range b.nodes {
		if c := &b.nodes[i]; c.record.nodeValue != c.old {
			b.s.putNode(c.id, c.old)
		}
	}
	b.plan, b.broken, b.m.moved = b.plan[:0], nil, b.m.moved[:0]
}

// openOthers opens the services that do not differ, or closes them.
func (b *batch) openOthers(d int) {
	done := map[*service]bool{}
	for _, t := range b.items {
		if t.change == nil && !done[t.service] {
			done[t.service] = true
			b.open(t.service, d)
		}
	}
}

// setOpen opens a service that differs while UpdateService can set its
// replicas: until it is flagged.
func (b *batch) setOpen(c *serviceItem, open bool) {
	if c.open != open {
		c.open = open
		b.open(c.record, 2*b2i(open)-1)
	}
}

func (b *batch) putTask(t *item, v taskValue, here bool) {
	switch {
	case here && (!t.here || t.now != v):
		b.s.putTask(t.id, v)
	case !here && t.here:
		b.s.dropTask(t.id)
	}
	t.now, t.here = v, here
}

func (b *batch) putService(c *serviceItem, v serviceValue, here bool) {
	switch {
	case here && (!c.record.exists || c.record.serviceValue != v):
		b.s.putService(c.id, v)
	case !here && c.record.exists:
		b.s.dropService(c.id)
	}
}

// findPlaces lists the nodes that the frame's tasks may be on: those that its
// values name and, for tasks that come and go, one of each sort that can be of
// use: one that goes up and down, one that is up, one that is down and has no
// task of others.
func (b *batch) findPlaces(f *frame) {
	add := func(n *node) {
		if f.place(n) >= 0 {
			return
		}
		f.places = append(f.places, n)
		switch {
		case f.placeOf != nil:
			f.placeOf[n] = len(f.places) - 1
		case len(f.places) > few:
			f.placeOf = map[*node]int{}
			for at, n := range f.places {
				f.placeOf[n] = at
			}
		}
	}
	passing := false
	for _, t := range f.items {
		passing = passing || !t.lasts()
		add(t.old.node)
		add(t.new.node)
	}
	if !passing {
		return
	}
	for i := range b.nodes {
		if n := b.nodes[i].record; n.owned == 0 {
			add(n)
			return // does for all the others
		}
	}
	for _, n := range b.spares() { // in this order: a plan is always the same
		if n != nil {
			add(n)
		}
	}
}

// spares are a node that is up, and one that is down and has no task of others. They are
// nodes that the step does not name: what it makes of others must not depend on them.
// Where there is none, one that it names does, the first by id.
func (b *batch) spares() [2]*node {
	if b.spare != nil {
		return *b.spare
	}
	named := map[*node]bool{}
	for _, t := range b.items {
		named[t.old.node], named[t.new.node] = true, true
	}
	for i := range b.nodes {
		named[b.nodes[i].record] = true
	}
	b.spare = &[2]*node{}
	for k, isFit := range [...]func(*node) bool{(*node).isUp, func(n *node) bool { return n.exists && !n.isUp() && n.owned == 0 }} {
		if [...]int32{b.s.totals.up, b.s.totals.idleDown}[k] == 0 {
			continue
		}
		best := &b.spare[k]
		for _, n := range b.s.nodes.All() {
			if *best != nil && !named[*best] {
				break
			}
			if isFit(n) && (*best == nil || !named[n] || n.id < (*best).id) {
				*best = n
			}
		}
	}
	return *b.spare
}
