package workerimpl

import "slices"

// sequence is what explains a batched step for one instance: a word of letters
// and what each item does between them.
type sequence struct {
	b         *batch
	node      *node
	word      []letter
	autos     map[int]*auto     // of the items on the node that are in no group
	ensembles map[int]*ensemble // of the groups with an item on the node
	rest      *rest             // of all others
}

// rest is what the items do in the eyes of an instance that they are not on.
// They need no letter for it: to the instance they are tasks of other workers,
// which UpdateTask takes wherever their workers do.
type rest struct {
	autos      []*auto     // of each item, nil where it is in a group
	ensembles  []*ensemble // of each group
	fails      []int       // items that cannot do it
	failGroups []int
	out        outcome // exhausted, or solved
}

// automaton is an auto or an ensemble.
type automaton interface {
	step(at int, l letter) int
	accepts(at int) bool
}

// explain finds a sequence for the instance of worker n, nil if there is none.
func (b *batch) explain(n *node) (*plan, outcome) {
	if b.bad || b.m.ofNone {
		return nil, unsolved
	}
	r := b.restOf()
	if r.out != solved {
		return nil, r.out
	}
	q := &sequence{b: b, node: n, rest: r, autos: map[int]*auto{}, ensembles: map[int]*ensemble{}}
	claimed := func(i int) bool { return b.claims && b.primary(i, n) == n }
	var all []automaton
	var at []int
	seen := map[*auto]bool{}
	for _, i := range b.own[n] {
		if g := b.items[i].group; g >= 0 {
			q.ensembles[g] = nil
			continue
		}
		a := b.auto(i, n, claimed(i))
		q.autos[i] = a
		if !seen[a] {
			seen[a] = true
			all, at = append(all, a), append(at, a.start(allowAll))
		}
	}
	for g := range q.ensembles {
		// Its items that are on other nodes have their claims met here too.
		e := b.ensemble(&b.groups[g], n, func(i int) bool {
			return claimed(i) || b.claims && b.primary(i, n) == b.s.elsewhere
		})
		q.ensembles[g] = e
		all, at = append(all, e), append(at, e.start())
	}
	for _, i := range r.fails {
		if !slices.Contains(b.items[i].nodes, n) {
			return nil, unsolved
		}
	}
	for _, g := range r.failGroups {
		if q.ensembles[g] == nil {
			return nil, unsolved
		}
	}
	word, out := b.search(all, at, b.letters(n))
	if out != solved {
		return nil, out
	}
	q.word = word
	return &plan{sequence: q}, solved
}

// restOf makes the rest, once with the claims and once without.
func (b *batch) restOf() *rest {
	which := 0
	if b.claims {
		which = 1
	}
	if b.rests[which] != nil {
		return b.rests[which]
	}
	r := &rest{autos: make([]*auto, len(b.items))}
	b.rests[which] = r
	// An instance on whose node the item is sees to its claims, where there is
	// one.
	claimed := func(i int) bool { return b.claims && b.primary(i, b.s.elsewhere) == b.s.elsewhere }
	for i := range b.items {
		if b.items[i].group >= 0 {
			continue
		}
		a := b.auto(i, b.s.elsewhere, claimed(i))
		r.autos[i] = a
		if !a.accepts(a.start(allowAll)) {
			r.fails = append(r.fails, i)
		}
	}
	for g := range b.groups {
		e := b.ensemble(&b.groups[g], b.s.elsewhere, claimed)
		r.ensembles = append(r.ensembles, e)
		if !e.accepts(e.start()) {
			r.failGroups = append(r.failGroups, g)
		}
	}
	if b.left < 0 {
		r.out = exhausted
	}
	return r
}

// reached is where a word has led all automata.
type reached struct {
	at     []int
	parent int
	letter letter
}

// search finds a shortest word after which all automata accept.
func (b *batch) search(all []automaton, at []int, letters []letter) ([]letter, outcome) {
	seen := map[string]bool{vectorKey(at): true}
	list := []reached{{at: at, parent: -1}}
	for i := 0; i < len(list); i++ {
		if b.left < 0 {
			return nil, exhausted
		}
		from := list[i]
		if accept(all, from.at) {
			var word []letter
			for ; i > 0; i = list[i].parent {
				word = append(word, list[i].letter)
			}
			slices.Reverse(word)
			return word, solved
		}
		for _, l := range letters {
			to := b.stepAll(all, from.at, l)
			if to == nil {
				continue
			}
			if key := vectorKey(to); !seen[key] {
				seen[key] = true
				list = append(list, reached{to, i, l})
			}
		}
	}
	if b.left < 0 {
		return nil, exhausted
	}
	return nil, unsolved
}

func accept(all []automaton, at []int) bool {
	for k, a := range all {
		if !a.accepts(at[k]) {
			return false
		}
	}
	return true
}

// stepAll is where the letter leads the automata, nil if one cannot take it.
func (b *batch) stepAll(all []automaton, at []int, l letter) []int {
	to := make([]int, len(all))
	for k, a := range all {
		b.left--
		if to[k] = a.step(at[k], l); to[k] == noSet {
			return nil
		}
	}
	return to
}

// alone says whether the item could do what it does if the step changed nothing
// else.
func (b *batch) alone(i int, n *node, claimed bool) bool {
	a := b.auto(i, n, claimed)
	key := soloKey{a, n}
	if _, known := b.solo[key]; !known {
		_, out := b.search([]automaton{a}, []int{a.start(allowAll)}, b.letters(n))
		b.solo[key] = out != unsolved
	}
	return b.solo[key]
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
	if b.s.workers == 0 {
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
