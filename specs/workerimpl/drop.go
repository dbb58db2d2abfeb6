package workerimpl

import "slices"

// drop leaves only what differs between the two states.
func (b *binder) drop() {
	drop(&b.tasks, &b.idleTasks, (*taskValue).sameID)
	drop(&b.conts, &b.idleConts, func(v, w *containerValue) bool { return v.node == w.node })
	nodes := b.nodes
	b.nodes = b.nodes[:0]
	for _, c := range nodes {
		switch {
		case c.was != c.is || c.remade:
			b.environment = append(b.environment, c)
			if c.is { // it appears before anything else of the step happens
				b.s.setNode(c.id, &c.new)
			}
		case c.was && c.old != c.new:
			b.nodes = append(b.nodes, c)
		}
	}
}

// drop leaves in a list what differs. What does not, but may go and come on the way, is
// idle. An object that is recreated as another becomes two changes.
func drop[V comparable](list, idle *[]change[V], same func(v, w *V) bool) {
	if len(*list) == 0 {
		return
	}
	differ := (*list)[:0]
	var created []change[V]
	for i := range *list {
		c := &(*list)[i]
		switch {
		case !c.was && !c.is, c.was && c.is && c.old == c.new:
			if !c.kept { // and so may go and come on the way
				*idle = append(*idle, *c)
			}
			continue
		case c.remade && c.is && !same(&c.old, &c.new):
			created = append(created, change[V]{id: c.id, unit: c.unit, new: c.new, span: span{is: true, line: c.line}})
			c.is, c.remade = false, false
		}
		if n := len(differ); n < i { // some before it do not differ
			(*list)[n] = *c
		}
		differ = differ[:len(differ)+1]
	}
	if *list = differ; created != nil {
		*list = append(differ, created...)
	}
}

// group puts the containers of each worker next to each other, and lists the
// workers on which the step changes anything.
func (b *binder) group() {
	b.touched = b.touched[:0]
	b.ofNone = false
	for i := range b.conts {
		n := workerOf(&b.conts[i])
		b.touch(n)
		b.ofNone = b.ofNone || n == nil
	}
	place := func(c *containerChange) int {
		if n := workerOf(c); n != nil {
			return n.from
		}
		return 0
	}
	if len(b.touched) > 1 || b.ofNone {
		slices.SortStableFunc(b.conts, func(c, d containerChange) int { return place(&c) - place(&d) })
	}
	for i := range b.conts {
		if n := workerOf(&b.conts[i]); n != nil {
			if n.to == 0 {
				n.from = i
			}
			n.to = i + 1
		}
	}
	for i := range b.tasks {
		c := &b.tasks[i]
		if c.was {
			b.touch(c.old.node)
		}
		if c.is {
			b.touch(c.new.node)
		}
		b.touch(c.unit.cont.node)
	}
}

func (b *binder) touch(n *node) {
	if n != nil && n.mark != b.number {
		b.touched = append(b.touched, n)
		n.mark, n.from, n.to = b.number, len(b.touched), 0
	}
}

// at makes the pair that of the instance of worker n.
func (b *binder) at(n *node) *pair {
	p := &b.pair
	p.node, p.containers = n, nil
	if n.mark == b.number && n.to > 0 {
		p.containers = b.conts[n.from:n.to]
	}
	return p
}
