package swarmkit

import "slices"

// Merging: each frame has its own plan; they are taken together on the real
// state, in an order that keeps the guards which couple them true for as long
// as can be. Nothing here decides: each action must pass its own clauses.

// class orders the next moves of the frames: what frees comes before what
// binds.
type class int

const (
	free      class = iota // concerns its own slot alone
	adding                 // CreateSlot: before anything lowers the number of replicas
	marking                // RequestRemoval: while there are many
	ending                 // a runnable task ends
	serving                // a service is removed, deleted, created: all its frames at once
	orphaning              // all frames with tasks on the node at once
	entering               // a task comes to a node on which others wait to be orphaned
	classes
)

// schedule merges the frames' plans. Where it is stuck it says on which move.
func (b *batch) schedule() (trouble, bool) {
	for _, c := range b.services {
		if c.lasts() && !c.old.remove && c.old.isReplicated() && c.new.isReplicated() {
			b.setReplicas(c, c.new.replicas)
		}
	}
	for progress := true; progress; {
		progress = false
		for k := free; k < classes && !progress; k++ {
			progress = b.advance(k)
		}
	}
	for i := range b.frames {
		if f := &b.frames[i]; f.done < len(f.plan) {
			return b.stuck(&f.plan[f.done]), false
		}
	}
	return trouble{}, b.finish()
}

// advance takes what moves of the class it can, and whether there were any.
func (b *batch) advance(k class) bool {
	waiting := b.orphaning()
	progress := false
	for i := range b.frames {
		f := &b.frames[i]
		for f.done < len(f.plan) && b.class(f, waiting) == k {
			if !b.take(f) {
				break
			}
			progress = true
			if k != free {
				break
			}
		}
	}
	return progress
}

// orphaning counts the frames that have yet to see a node's tasks orphaned.
func (b *batch) orphaning() map[*node]int {
	var waiting map[*node]int
	for i := range b.frames {
		f := &b.frames[i]
		for _, mv := range f.plan[f.done:] {
			if mv.action == orphanTasks {
				if waiting == nil {
					waiting = map[*node]int{}
				}
				waiting[mv.node]++
				break
			}
		}
	}
	return waiting
}

func (b *batch) class(f *frame, waiting map[*node]int) class {
	switch mv := &f.plan[f.done]; mv.action {
	case createSlot:
		return adding
	case requestRemoval:
		return marking
	case containerExit, shutdownComplete, rejectTask:
		return ending
	case createService, updateService, removeService, cleanupService:
		return serving
	case orphanTasks:
		return orphaning
	case scheduler:
		if waiting[mv.to.node] > 0 && !slices.ContainsFunc(f.plan[f.done:], func(own move) bool {
			return own.action == orphanTasks && own.node == mv.to.node
		}) {
			return entering
		}
	}
	return free
}

// take does the next move of the frame, together with the frames that must do
// it at the same time.
func (b *batch) take(f *frame) bool {
	mv := f.plan[f.done]
	together := []*frame{f}
	all := frame{}
	switch {
	case mv.action == orphanTasks:
		together, all = b.concerned(func(t *item) bool { return t.here && t.now.node == mv.node && t.now.state.Owned() })
	case mv.action == removeService && mv.service == nil:
		sv := mv.item.service
		together, all = b.concerned(func(t *item) bool { return t.here && t.service == sv && t.now.desired != Remove })
	case mv.service != nil && mv.action != updateService:
		c := mv.service
		together = c.frames
		for _, f := range together {
			all.items = append(all.items, f.items...)
		}
		if c.isScalable() && !c.remade {
			b.setReplicas(c, c.new.replicas)
		}
	default:
		all = *f
	}
	for _, f := range together {
		if f.done == len(f.plan) || f.plan[f.done].action != mv.action ||
			f.plan[f.done].node != mv.node || f.plan[f.done].service != mv.service {
			return false
		}
	}
	if !b.do(&all, &mv) {
		return false
	}
	for _, f := range together {
		f.done++
	}
	return true
}

// concerned lists the items that f picks and their frames.
func (b *batch) concerned(f func(*item) bool) (frames []*frame, all frame) {
	seen := map[*frame]bool{}
	for _, t := range b.items {
		if f(t) {
			all.items = append(all.items, t)
			if !seen[t.frame] {
				seen[t.frame] = true
				frames = append(frames, t.frame)
			}
		}
	}
	return frames, all
}

// follow takes a plan of the whole step, move by move.
func (b *batch) follow(all *frame, plan []move) bool {
	for i := range plan {
		mv := &plan[i]
		if c := mv.service; mv.action == removeService && c != nil && c.isScalable() {
			b.setReplicas(c, c.new.replicas)
		}
		if !b.do(all, mv) {
			return false
		}
	}
	return b.finish()
}

// do takes one move, after setting what it needs and the step leaves open.
func (b *batch) do(f *frame, mv *move) bool {
	if t := mv.item; t != nil {
		switch mv.action {
		case progressTask, rejectTask, containerExit, shutdownComplete:
			b.needNode(t.now.node, true)
		case orphanTasks:
			b.needNode(mv.node, false)
		case createSlot, requestRemoval:
			if t.change != nil {
				b.needReplicas(t.change, mv.action)
			}
		}
	}
	for _, t := range [...]*item{mv.item, mv.other} {
		if t != nil && (b.s.tasks.Get(t.id) != nil) != t.here {
			return false // the id is in another slot
		}
	}
	p := b.pairOf(f, mv)
	if !mv.action.Match(p) {
		return false
	}
	b.m.note(mv.action, p)
	if c := b.m.notPermitted(p, mv.action); c != nil && b.broken == nil {
		b.broken = append(b.broken, b.m.transitionFinding(b.step, c, b.items[c.line].line, mv.action))
	}
	id := ""
	for i := range p.tasks {
		c := &p.tasks[i]
		t := b.items[c.line]
		b.putTask(t, c.new, c.is)
		t.met |= b.meets(mv.action, t.claims)
		id = t.id
	}
	for i := range p.services {
		c := &p.services[i]
		b.setService(b.services[c.line], mv.action, c.new, c.is)
		id = c.id
	}
	if len(p.services) == 0 {
		b.plan = append(b.plan, planned{action: mv.action, objectKey: objectKey{kindTask, id}})
	}
	return true
}

func (b *batch) setService(c *serviceItem, a *action, v serviceValue, is bool) {
	b.putService(c, v, is)
	c.met |= b.meets(a, c.claims)
	b.plan = append(b.plan, planned{action: a, objectKey: objectKey{kindService, c.id}})
}

// isScalable says that UpdateService may set the service's replicas to what the step
// makes of them.
func (c *serviceItem) isScalable() bool {
	return c.is && c.record.exists && !c.record.remove && c.record.isReplicated() && c.new.isReplicated()
}

// setReplicas is UpdateService.
func (b *batch) setReplicas(c *serviceItem, n int64) {
	if v := c.record.serviceValue; v.replicas != n {
		v.replicas = n
		b.setService(c, updateService, v, true)
	}
}

// needReplicas sets the replicas that the action needs, where they are not
// fit.
func (b *batch) needReplicas(c *serviceItem, a *action) {
	sv := c.record
	switch {
	case !sv.exists || sv.remove || !sv.isReplicated():
	case a == createSlot && sv.replicas <= int64(sv.slots):
		b.setReplicas(c, int64(sv.slots+len(b.items)))
	case a == requestRemoval && sv.replicas >= int64(sv.wanted):
		b.setReplicas(c, 0)
	}
}

func (b *batch) needNode(n *node, up bool) {
	if n == nil || n.isUp() == up {
		return
	}
	for i := range b.nodes {
		if b.nodes[i].record == n {
			b.setNode(&b.nodes[i], up)
		}
	}
}

// setNode is WorkerUp or WorkerDown.
func (b *batch) setNode(c *nodeItem, up bool) {
	b.s.putNode(c.id, nodeValue{up: up})
	a := workerDown
	if up {
		a = workerUp
	}
	b.plan = append(b.plan, planned{action: a, objectKey: objectKey{kindNode, c.id}})
}

// finish sets what was left open to what the step shows, and says whether all
// is as it shows.
func (b *batch) finish() bool {
	for _, c := range b.services {
		if c.isScalable() {
			if b.claims && c.met != full(c.claims) && b.meets(updateService, c.claims)&^c.met != 0 {
				b.setReplicas(c, c.new.replicas+1)
			}
			b.setReplicas(c, c.new.replicas)
		}
		if c.record.exists != c.is || c.is && c.record.serviceValue != c.new || b.claims && c.met != full(c.claims) {
			return false
		}
	}
	for _, t := range b.items {
		if t.here != t.is || t.is && t.now != t.new || b.claims && t.met != full(t.claims) {
			return false
		}
	}
	for i := range b.nodes {
		if c := &b.nodes[i]; c.record.up != c.new.up {
			b.setNode(c, c.new.up)
		}
	}
	return true
}

// stuck says which clause the next move of a frame does not pass.
func (b *batch) stuck(mv *move) trouble {
	if mv.item == nil {
		return trouble{subject: mv.service.subject()}
	}
	return trouble{mv.item.subject(), relation{mv.action}.Nearest(b.pairOf(mv.item.frame, mv), 1)}
}

// nearestTo says what came nearest to explaining a frame's change, were it
// atomic.
func (b *batch) nearestTo(f *frame) trouble {
	p := pair{s: b.s}
	if len(f.items) == 0 {
		c := f.services[0]
		p.services = append(p.services, *c.serviceChange)
		return trouble{c.subject(), next.Nearest(&p, nearestShown)}
	}
	for _, t := range f.items {
		p.tasks = append(p.tasks, *t.taskChange)
	}
	return trouble{f.items[0].subject(), next.Nearest(&p, nearestShown)}
}
