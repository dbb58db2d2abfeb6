package workerimpl

// drop leaves only what differs between the two states, and makes two changes
// of an object that is made anew as another.
func (b *binder) drop() {
	b.dropTasks()
	b.dropContainers()
	nodes := b.nodes
	b.nodes = b.nodes[:0]
	for _, c := range nodes {
		switch {
		case c.was != c.is || c.remade:
			b.environment = append(b.environment, c)
			if c.is { // it appears before anything else of the step happens
				b.s.putNode(c.id, c.new.up, c.new.bad)
			}
		case c.was && c.old != c.new:
			b.nodes = append(b.nodes, c)
		}
	}
}

func (b *binder) dropTasks() {
	tasks := b.tasks
	b.tasks = b.tasks[:0]
	anew := 0
	for _, c := range tasks {
		switch {
		case !c.was && !c.is, c.was && c.is && c.old == c.new:
			if c.passes() {
				b.idleTasks = append(b.idleTasks, c)
			}
			continue
		case c.remade && c.is && !c.old.sameID(&c.new):
			anew++
		}
		b.tasks = append(b.tasks, c)
	}
	for i := 0; anew > 0; i++ {
		if c := &b.tasks[i]; c.was && c.is && c.remade && !c.old.sameID(&c.new) {
			created := taskChange{id: c.id, new: c.new, span: span{is: true, line: c.line}}
			c.is, c.remade = false, false
			b.tasks = append(b.tasks, created)
			anew--
		}
	}
}

func (b *binder) dropContainers() {
	conts := b.conts
	b.conts = b.conts[:0]
	anew := 0
	for _, c := range conts {
		switch {
		case !c.was && !c.is, c.was && c.is && c.old == c.new:
			if c.passes() {
				b.idleConts = append(b.idleConts, c)
			}
			continue
		case c.remade && c.is && c.old.node != c.new.node:
			anew++
		}
		b.conts = append(b.conts, c)
	}
	for i := 0; anew > 0; i++ {
		if c := &b.conts[i]; c.was && c.is && c.remade && c.old.node != c.new.node {
			created := containerChange{id: c.id, new: c.new, span: span{is: true, line: c.line}}
			c.is, c.remade = false, false
			b.conts = append(b.conts, created)
			anew--
		}
	}
}

// group puts the containers of each worker next to each other, and lists the
// workers on which the step changes anything.
func (b *binder) group() {
	b.touched = b.touched[:0]
	b.ofNone = false
	for i := range b.conts {
		n := b.conts[i].node()
		b.touch(n)
		b.ofNone = b.ofNone || n == nil
	}
	if len(b.touched) == 1 && !b.ofNone {
		b.touched[0].to = len(b.conts)
	} else if len(b.touched) > 0 {
		b.sortContainers()
	}
	for i := range b.tasks {
		c := &b.tasks[i]
		if c.was {
			b.touch(c.old.node)
		}
		if c.is {
			b.touch(c.new.node)
		}
		if u := b.s.units.Get(c.id); u != nil && u.hasCont {
			b.touch(u.cont.node)
		}
	}
}

func (b *binder) touch(n *node) {
	if n != nil && n.mark != b.number {
		n.mark, n.from, n.to = b.number, 0, 0
		b.touched = append(b.touched, n)
	}
}

// sortContainers counts the containers of each worker, and places them so.
func (b *binder) sortContainers() {
	none := 0 // they come first
	for i := range b.conts {
		if n := b.conts[i].node(); n != nil {
			n.to++
		} else {
			none++
		}
	}
	at := none
	for _, n := range b.touched {
		n.from, n.to, at = at, at, at+n.to
	}
	sorted := make([]containerChange, len(b.conts))
	none = 0
	for _, c := range b.conts {
		if n := c.node(); n != nil {
			sorted[n.to] = c
			n.to++
		} else {
			sorted[none] = c
			none++
		}
	}
	copy(b.conts, sorted)
}

// at makes the pair that of the instance of worker n.
func (b *binder) at(n *node) *pair {
	p := &b.pair
	p.node, p.containers = n, nil
	if n.mark == b.number {
		p.containers = b.conts[n.from:n.to]
	}
	return p
}
