package workerimpl

import (
	"slices"

	"tracecheck/validators/model"
)

// rest is what the items do in the eyes of an instance that they are not on.
// They need no symbol for it: to the instance they are tasks of other workers,
// which UpdateTask takes wherever their workers do.
type rest struct {
	of    []automaton // of each group
	fails []int       // groups that cannot do it
	out   model.Outcome
}

// automaton is an auto or an ensemble.
type automaton interface {
	step(at int, l symbol) int
	accepts(at int) bool
	part(items []int, word []symbol) part
}

// automaton is that of the group for the instance of worker n.
func (b *batch) automaton(g int, n *node, claimed func(int) bool) automaton {
	if of := &b.groups[g]; of.services != nil {
		return b.ensemble(of, n, claimed)
	}
	i := b.groups[g].items[0]
	return b.auto(i, n, claimed(i), allowAll)
}

// explain finds a sequence for the instance of worker n, nil if there is none.
func (b *batch) explain(n *node) (*plan, model.Outcome) {
	if b.bad || b.m.ofNone {
		return nil, model.Unsolved
	}
	r := b.restOf()
	if r.out != model.Solved {
		return nil, r.out
	}
	p := &plan{b: b, node: n, rest: r, on: map[int]automaton{}}
	// A group's items that are on other nodes have their claims met here too.
	claimed := func(i int) bool {
		primary := b.primary(i, n)
		return b.claims && (primary == n || primary == b.s.elsewhere)
	}
	var all []automaton
	seen := map[automaton]bool{}
	for _, i := range b.own[n] {
		g := b.items[i].group
		if p.on[g] != nil {
			continue
		}
		a := b.automaton(g, n, claimed)
		p.on[g] = a
		if !seen[a] {
			seen[a] = true
			all = append(all, a)
		}
	}
	for _, g := range r.fails {
		if p.on[g] == nil {
			return nil, model.Unsolved
		}
	}
	word, out := b.search(all, b.symbols(n))
	if out != model.Solved {
		return nil, out
	}
	p.word = word
	return p, model.Solved
}

// restOf is the rest, with the claims or without.
func (b *batch) restOf() *rest { return memo(b.rests, b.claims, b.findRest) }

func (b *batch) findRest() *rest {
	r := &rest{of: make([]automaton, len(b.groups))}
	// An instance on whose node the item is sees to its claims, where there is
	// one.
	claimed := func(i int) bool { return b.claims && b.primary(i, b.s.elsewhere) == b.s.elsewhere }
	for g := range b.groups {
		a := b.automaton(g, b.s.elsewhere, claimed)
		if r.of[g] = a; !a.accepts(start) {
			r.fails = append(r.fails, g)
		}
	}
	if b.left < 0 {
		r.out = model.Exhausted
	}
	return r
}

// search finds a shortest word after which all automata accept.
func (b *batch) search(all []automaton, symbols []symbol) ([]symbol, model.Outcome) {
	accept := func(at []int) bool { return acceptAll(all, at) && b.left >= 0 }
	at := make([]int, len(all)) // each at start
	if accept(at) {             // as mostly
		return nil, model.Solved
	}
	_, word, found := shortest([][]int{at}, vectorKey, accept, func(from []int, try func([]int, symbol)) {
		for i := 0; i < len(symbols) && b.left >= 0; i++ {
			l := symbols[i]
			if to := stepAll(&b.left, from, func(k int) int { return all[k].step(from[k], l) }); to != nil {
				try(to, l)
			}
		}
	})
	switch {
	case b.left < 0:
		return nil, model.Exhausted
	case !found:
		return nil, model.Unsolved
	}
	return word, model.Solved
}

// stepAll is where each automaton is after its step, nil if one cannot take it.
func stepAll(left *int, at []int, step func(k int) int) []int {
	to := make([]int, len(at))
	for k := range at {
		*left--
		if to[k] = step(k); to[k] == noSet {
			return nil
		}
	}
	return to
}

func acceptAll[A interface{ accepts(at int) bool }](all []A, at []int) bool {
	for k, a := range all {
		if !a.accepts(at[k]) {
			return false
		}
	}
	return true
}

// alone says whether the item could do what it does if the step changed nothing
// else.
func (b *batch) alone(i int, n *node, claimed bool) bool {
	a := b.auto(i, n, claimed, allowAll)
	return memo(b.solo, soloKey{a, n}, func() bool {
		_, out := b.search([]automaton{a}, b.symbols(n))
		return out != model.Unsolved
	})
}

type soloKey struct {
	*auto
	node *node
}

// primary is the instance in which the claims of an item are to be met, where
// the one of n is asked about: that of its container, or else of its task, or
// any other.
func (b *batch) primary(i int, n *node) *node {
	it := &b.items[i]
	if b.s.workers() == 0 {
		if slices.Contains(it.nodes, n) {
			return n
		}
		return b.s.elsewhere
	}
	for _, at := range it.nodes { // a container's comes first
		if at.isWorker {
			return at
		}
	}
	return b.s.elsewhere
}
