package workerimpl

import (
	"fmt"

	"tracecheck/validators"
)

// plan is the sequence of actions that a batched step was found to be. It is
// written out only where it is asked for.
type plan struct {
	*sequence
	list []planned
	up   map[*node]bool // of the nodes that differ, at the moment
}

// planned is an action of the explanation.
type planned struct {
	action *action
	id     string // of the object, or of one of them
}

// names are the actions, in order.
func (p *plan) names() []string {
	p.write()
	list := make([]string, len(p.list))
	for i := range p.list {
		list[i] = p.list[i].action.Name
	}
	return list
}

// shown is the plan for a reader, as far as a report goes.
func (p *plan) shown() []string {
	p.write()
	return validators.Sequence(len(p.list), func(i int) string {
		return fmt.Sprintf("%s(%s)", p.list[i].action.Name, p.list[i].id)
	})
}

// part is an item on its path, or a group's items on theirs: what happens
// between the letters, and at them.
type part struct {
	items []int
	paths []path
	stops []bool // after each stretch of the paths: a letter of the word, not of the group
	at    int    // the stretch at hand
}

// path is one item's way through its automaton.
type path struct {
	stretches [][]move
	letters   [][2]code // between the stretches: from and to
}

type move struct {
	from, to code
	*arc
}

func (p *plan) write() {
	if p.up != nil {
		return
	}
	p.up = map[*node]bool{}
	b := p.b
	for _, nodes := range [...][]nodeChange{b.m.nodes, b.m.environment} {
		for i := range nodes {
			c := &nodes[i]
			v := c.old
			if !c.was || c.remade {
				v = c.new
			}
			p.up[b.s.nodes[c.id]] = v.up
		}
	}
	desired := make([]State, len(b.items))
	for i := range b.items {
		desired[i] = b.items[i].old.desired
	}
	parts := p.parts()
	for g := 0; ; g++ {
		for i := range parts {
			p.stretch(&parts[i], desired)
		}
		if g == len(p.word) {
			break
		}
		p.letter(p.word[g], parts, desired)
	}
	for i := range b.items {
		if it := &b.items[i]; it.moves && it.hasNew && desired[i] != it.new.desired {
			p.add(updateTask, it.id)
		}
	}
	for _, nodes := range [...][]nodeChange{b.m.nodes, b.m.environment} {
		for i := range nodes {
			if c := &nodes[i]; c.is {
				p.set(b.s.nodes[c.id], c.new.up)
			}
		}
	}
}

// parts are all items on their paths.
func (p *plan) parts() []part {
	var parts []part
	for g := range p.b.groups {
		a, word := p.on[g], p.word
		if a == nil {
			a, word = p.rest.of[g], nil
		}
		parts = append(parts, a.part(p.b.groups[g].items, word))
	}
	return parts
}

// stretch writes what the part does up to the next letter of the word.
func (p *plan) stretch(pt *part, desired []State) {
	for ; ; pt.at++ {
		for k, i := range pt.items {
			if pt.at < len(pt.paths[k].stretches) {
				for _, mv := range pt.paths[k].stretches[pt.at] {
					p.move(i, mv, desired)
				}
			}
		}
		if pt.at >= len(pt.stops) || pt.stops[pt.at] {
			pt.at++
			return
		}
	}
}

func (p *plan) move(i int, mv move, desired []State) {
	it := &p.b.items[i]
	switch {
	case mv.by == createTask:
		if desired[i] = Running; it.hasNew && mv.with(it.new.desired) {
			desired[i] = it.new.desired
		}
	case mv.from<<claimsAt == mv.to<<claimsAt: // of the desired_state, for a claim
		p.want(i, desired, func(d State) bool { return d != desired[i] })
		return
	case mv.tasks:
		p.want(i, desired, mv.with)
	}
	if mv.up {
		p.needUp(it, mv.from.place())
	}
	p.add(mv.by, it.id)
}

// letter writes a letter, after what it needs. A task that ends up as shutdown
// is best told to shut down: WorkerSpec knows no other reason.
func (p *plan) letter(l letter, parts []part, desired []State) {
	for _, pt := range parts {
		for k, i := range pt.items {
			if at := pt.at - 1; at < len(pt.paths[k].letters) && p.b.items[i].moves {
				c := pt.paths[k].letters[at]
				p.want(i, desired, func(d State) bool {
					to := c[0].effect(d, l)
					return to == (effect{c[1].task(), c[1].cont()}) && (to.task != Shutdown || c[0].task() == Shutdown || d == Shutdown)
				})
			}
		}
	}
	if is := wholes[l].Link; is != nil {
		p.set(p.node, is(&node{nodeValue: nodeValue{up: true}, shown: true, exists: true}))
	}
	p.add(wholes[l], p.node.id)
}

// want sees to it that the item's desired_state is as an action needs it.
func (p *plan) want(i int, desired []State, fits func(State) bool) {
	if fits(desired[i]) {
		return
	}
	for _, d := range [...]State{p.b.items[i].new.desired, Running, Shutdown, Ready} {
		if fits(d) && d.IsDesiredState() {
			desired[i] = d
			p.add(updateTask, p.b.items[i].id)
			return
		}
	}
}

// needUp sees to it that the node of an item's task is up.
func (p *plan) needUp(it *item, at place) {
	n := p.node
	switch at {
	case atOld:
		n = it.old.node
	case atNew:
		n = it.new.node
	case atSpare:
		if n = p.spare(); n == nil {
			return
		}
	}
	p.set(n, true)
}

// spare is a node other than the worker that is up or may go up, nil if it is
// one that the step leaves alone.
func (p *plan) spare() *node {
	up := p.b.s.up
	var may *node
	for _, n := range p.b.flex {
		if n.up {
			up--
		}
		if n != p.node && (may == nil || p.up[n] && !p.up[may]) {
			may = n
		}
	}
	if _, differs := p.up[p.node]; p.node.up && !differs {
		up--
	}
	if up > 0 {
		return nil
	}
	return may
}

// set takes a node that differs up or down.
func (p *plan) set(n *node, up bool) {
	if now, ok := p.up[n]; !ok || now == up {
		return
	}
	p.up[n] = up
	if up {
		p.add(workerUp, n.id)
	} else {
		p.add(workerDown, n.id)
	}
}

func (p *plan) add(a *action, id string) { p.list = append(p.list, planned{a, id}) }
