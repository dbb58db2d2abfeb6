package workerimpl

import (
	"fmt"

	"tracecheck/validators"
)

// plan is what explains a batched step for one instance: a word of symbols, and what each
// item does between them. As a sequence of actions it is written out only where that is
// asked for.
type plan struct {
	b    *batch
	node *node
	word []symbol
	on   map[int]automaton // of the groups with an item on the node
	rest *rest             // of all others

	list []planned
	up   map[*node]bool // of the nodes that differ, at the moment
}

// planned is an action of the explanation.
type planned struct {
	*action
	id string // of the object, or of one of them
}

// actions are in order.
func (p *plan) actions() []planned {
	if p.up == nil {
		p.write()
	}
	return p.list
}

// shown is the plan for a reader, as far as a report goes.
func (p *plan) shown() []string {
	list := p.actions()
	return validators.Sequence(len(list), func(i int) string { return fmt.Sprintf("%s(%s)", list[i].Name, list[i].id) })
}

// part is a group on its way: what its items do between the symbols of the word, and
// at them.
type part struct {
	rounds  [][]move
	symbols [][]move // by no arc
}

type move struct {
	item     int
	from, to code
	*arc
}

func (p *plan) write() {
	p.up = map[*node]bool{}
	b := p.b
	b.m.eachNode(func(c *nodeChange) {
		v := c.old
		if !c.was || c.remade {
			v = c.new
		}
		p.up[b.s.nodes.Get(c.id)] = v.up
	})
	desired := make([]State, len(b.items))
	for i := range b.items {
		desired[i] = b.items[i].old.desired
	}
	parts := p.parts()
	for g := range len(p.word) + 1 {
		for _, pt := range parts {
			for _, mv := range at(pt.rounds, g) {
				p.move(mv, desired)
			}
		}
		if g < len(p.word) {
			p.symbol(g, parts, desired)
		}
	}
	for i := range b.items {
		if it := &b.items[i]; it.moves && it.is && desired[i] != it.new.desired {
			p.add(updateTask, it.id)
		}
	}
	b.m.eachNode(func(c *nodeChange) {
		if c.is {
			p.set(b.s.nodes.Get(c.id), c.new.up)
		}
	})
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

// at is the i-th list, of one that is as long as the word.
func at(lists [][]move, i int) []move {
	if i < len(lists) {
		return lists[i]
	}
	return nil
}

func (p *plan) move(mv move, desired []State) {
	i := mv.item
	it := &p.b.items[i]
	switch {
	case mv.by == createTask:
		if desired[i] = Running; it.is && mv.with(it.new.desired) {
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

// symbol writes a symbol, after what it needs. A task that ends up as shutdown
// best gets desired_state shutdown: WorkerSpec knows no other reason.
func (p *plan) symbol(g int, parts []part, desired []State) {
	l := p.word[g]
	for _, pt := range parts {
		for _, mv := range at(pt.symbols, g) {
			if p.b.items[mv.item].moves {
				p.want(mv.item, desired, func(d State) bool {
					to := mv.from.effect(d, l)
					return to == (effect{mv.to.task(), mv.to.cont()}) && (to.task != Shutdown || mv.from.task() == Shutdown || d == Shutdown)
				})
			}
		}
	}
	if is := wholes[l].Link; is != nil {
		p.set(p.node, is(&node{nodeValue: nodeValue{up: true}, shown: true, exists: true}))
	}
	p.add(wholes[l], p.node.id)
}

// want ensures that the item's desired_state is as an action needs it.
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

// needUp ensures that the node of an item's task is up.
func (p *plan) needUp(it *item, at place) {
	n := p.node
	switch at {
	case atOld:
		n = it.old.node
	case atNew:
		n = it.new.node
	case atSpare:
		n = p.spare()
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

// set takes a node up or down, if it is one that differs.
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
