package workerimpl

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// ensemble is a group's automaton for one instance. Its sets are of vectors: a
// vector has a set of each member's.
type ensemble struct {
	*group
	b       *batch
	members []member
	member  map[int]int // of each item
	modes   [][]letter  // the group's own letters: each is one letter to each member
	sets    []vectors
	index   map[string]int
}

// member is the items of a group that are alike.
type member struct {
	*auto
	allowed allowance // at the start
}

type vectors struct {
	list   [][]int
	accept bool
	next   map[letter]int
}

func (b *batch) ensemble(g *group, n *node, claimed func(int) bool) *ensemble {
	e := &ensemble{group: g, b: b, member: map[int]int{}, index: map[string]int{}}
	for _, sv := range g.services {
		for mode := range 2 {
			if !g.stands[sv][1-mode] {
				e.modes = append(e.modes, nil)
			}
		}
	}
	seen := map[string]int{}
	for _, i := range g.items {
		a := b.auto(i, n, claimed(i))
		m := member{a, b.allowed(i)}
		var letters []letter
		for _, sv := range g.services {
			for mode := range 2 {
				if !g.stands[sv][1-mode] {
					letters = append(letters, b.modeLetter(i, a, sv, mode == 1))
				}
			}
		}
		key := fmt.Sprintf("%p %d %v", a, m.allowed, letters)
		k, ok := seen[key]
		if !ok {
			k = len(e.members)
			seen[key] = k
			e.members = append(e.members, m)
			for j, l := range letters {
				e.modes[j] = append(e.modes[j], l)
			}
		}
		e.member[i] = k
	}
	return e
}

// modeLetter is what the service's getting tasks of the mode means to a member.
func (b *batch) modeLetter(i int, a *auto, sv *service, global bool) letter {
	it := &b.items[i]
	var of [2]letter
	for v := range of {
		if !a.versions[v].is || b.serviceOf(it, v) != sv {
			continue
		}
		of[v] = forbid
		if a.versions[v].global == global {
			of[v] = allow
		}
	}
	return modes(of[0], of[1])
}

// serviceOf is the service of the item's task in the version.
func (b *batch) serviceOf(it *item, version int) *service {
	if it.hasOld && version == 0 {
		return it.old.service
	}
	return it.new.service
}

// allowed says which versions of the item's task CreateTask may make at the
// start: those of services with tasks of one mode.
func (b *batch) allowed(i int) allowance {
	it := &b.items[i]
	if it.group < 0 {
		return allowAll
	}
	all := allowAll
	for v := range 2 {
		if slices.Contains(b.groups[it.group].services, b.serviceOf(it, v)) {
			all &^= 1 << v
		}
	}
	return all
}

// start is the set of the empty word.
func (e *ensemble) start() int {
	vector := make([]int, len(e.members))
	for k := range e.members {
		vector[k] = e.members[k].start(e.members[k].allowed)
	}
	return e.intern(e.closure([][]int{vector}))
}

// step is the set after another letter.
func (e *ensemble) step(at int, l letter) int {
	if to, ok := e.sets[at].next[l]; ok {
		return to
	}
	var list [][]int
	for _, v := range e.sets[at].list {
		if w := e.all(v, func(int) letter { return l }); w != nil {
			list = append(list, w)
		}
	}
	to := noSet
	if len(list) > 0 {
		to = e.intern(e.closure(list))
	}
	e.sets[at].next[l] = to
	return to
}

// all is the vector after each member's letter, nil if some has no set then.
func (e *ensemble) all(v []int, l func(k int) letter) []int {
	w := make([]int, len(v))
	for k := range v {
		e.b.left--
		if w[k] = e.members[k].step(v[k], l(k)); w[k] == noSet {
			return nil
		}
	}
	return w
}

// closure is what the group's own letters lead to, sorted.
func (e *ensemble) closure(list [][]int) [][]int {
	seen := map[string]bool{}
	var todo [][]int
	add := func(v []int) {
		if key := vectorKey(v); !seen[key] {
			seen[key] = true
			todo = append(todo, v)
		}
	}
	for _, v := range list {
		add(v)
	}
	for i := 0; i < len(todo) && e.b.left >= 0; i++ {
		for _, letters := range e.modes {
			if w := e.all(todo[i], func(k int) letter { return letters[k] }); w != nil {
				add(w)
			}
		}
	}
	slices.SortFunc(todo, slices.Compare)
	return todo
}

func (e *ensemble) intern(list [][]int) int {
	var key strings.Builder
	for _, v := range list {
		key.WriteString(vectorKey(v))
	}
	at, ok := e.index[key.String()]
	if !ok {
		at = len(e.sets)
		e.index[key.String()] = at
		e.sets = append(e.sets, vectors{list: list, next: map[letter]int{}, accept: slices.ContainsFunc(list, e.acceptsAll)})
	}
	return at
}

func (e *ensemble) accepts(at int) bool { return e.sets[at].accept }

func (e *ensemble) acceptsAll(v []int) bool {
	for k := range v {
		if !e.members[k].accepts(v[k]) {
			return false
		}
	}
	return true
}

func vectorKey(v []int) string {
	key := make([]byte, 0, 4*len(v))
	for _, at := range v {
		key = binary.LittleEndian.AppendUint32(key, uint32(at))
	}
	return string(key)
}
