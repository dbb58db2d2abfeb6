package workerimpl

import (
	"encoding/binary"
	"slices"
)

// ensemble is a group's automaton for one instance: the product of its members',
// with symbols of its own. A state is a vector of a set of each member's.
type ensemble struct {
	subsets[string]
	members []member
	member  map[int]int // of each item
	modes   int         // how many symbols of its own the group has
}

// member is the items of a group that are alike.
type member struct {
	*auto
	symbols []symbol // what each of the group's own is to it
}

func (m *member) isLike(o member) bool {
	return m.auto == o.auto && slices.Equal(m.symbols, o.symbols)
}

func (b *batch) ensemble(g *group, n *node, claimed func(int) bool) *ensemble {
	e := &ensemble{member: map[int]int{}, modes: len(g.modes)}
	e.subsets = construct[string](e, &b.left)
	for _, i := range g.items {
		m := member{auto: b.auto(i, n, claimed(i), b.allowed(i))}
		for _, mode := range g.modes {
			m.symbols = append(m.symbols, b.modeSymbol(i, m.auto, mode))
		}
		k := slices.IndexFunc(e.members, m.isLike)
		if k < 0 {
			k = len(e.members)
			e.members = append(e.members, m)
		}
		e.member[i] = k
	}
	e.set([]string{vectorKey(make([]int, len(e.members)))}) // each at start
	return e
}

// modeSymbol is what the service's getting tasks of the mode means to a member.
func (b *batch) modeSymbol(i int, a *auto, mode serviceMode) symbol {
	it := &b.items[i]
	var of [2]symbol
	for v := range of {
		if !a.versions[v].is || b.serviceOf(it, v) != mode.of {
			continue
		}
		of[v] = forbid
		if a.versions[v].global == mode.global {
			of[v] = allow
		}
	}
	return modes(of[0], of[1])
}

// serviceOf is the service of the item's task in the version.
func (b *batch) serviceOf(it *item, version int) *service {
	if it.was && version == 0 {
		return it.old.service
	}
	return it.new.service
}

// allowed says which versions of the item's task CreateTask may make at the
// start: those of services with tasks of one mode.
func (b *batch) allowed(i int) code {
	it := &b.items[i]
	all := allowAll
	for v := range 2 {
		if slices.Contains(b.groups[it.group].services, b.serviceOf(it, v)) {
			all &^= 1 << (allowedAt + v)
		}
	}
	return all
}

// symbol is one that all members take.
func (e *ensemble) symbol(v string, l symbol, try func(string)) {
	if w := e.all(vectorOf(v), func(int) symbol { return l }); w != nil {
		try(vectorKey(w))
	}
}

// local proposes the group's own symbols.
func (e *ensemble) local(v string, try func(string, *arc)) {
	for mode := range e.modes {
		if w := e.all(vectorOf(v), func(k int) symbol { return e.members[k].symbols[mode] }); w != nil {
			try(vectorKey(w), nil)
		}
	}
}

func (e *ensemble) isGoal(v string) bool           { return acceptAll(e.members, vectorOf(v)) }
func (e *ensemble) key(to []byte, v string) []byte { return append(to, v...) }

// all is the vector after each member's symbol, nil if some has no set then.
func (e *ensemble) all(v []int, l func(k int) symbol) []int {
	return stepAll(e.left, v, func(k int) int { return e.members[k].step(v[k], l(k)) })
}

// vectorKey writes a vector as a string, which vectorOf reads.
func vectorKey(v []int) string {
	key := make([]byte, 0, 4*len(v))
	for _, at := range v {
		key = binary.LittleEndian.AppendUint32(key, uint32(at))
	}
	return string(key)
}

func vectorOf(key string) []int {
	v := make([]int, 0, len(key)/4)
	for b := []byte(key); len(b) > 0; b = b[4:] {
		v = append(v, int(binary.LittleEndian.Uint32(b)))
	}
	return v
}
