package workerimpl

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// CreateTask wants all tasks of a service to have one mode. Where a service has
// tasks in slots and global ones, before the step, after it or standing, its
// items are a group: a word of theirs has letters of the service besides, from
// each of which on it has tasks of one mode only, and gets more.

// group is the items of services with tasks of both modes.
type group struct {
	items    []int
	services []*service
	stands   map[*service][2]bool // whether tasks with and without a slot stand that the step does not change
}

// findGroups makes the groups. A task that is made anew for another service
// joins two.
func (b *batch) findGroups() {
	var services []*service
	index := map[*service]int{}
	var slotted, global []int // of each service, the tasks that it has or gets
	var changing [][2]int     // of these, those that it has and the step changes
	at := func(sv *service) int {
		i, ok := index[sv]
		if !ok {
			i = len(services)
			index[sv] = i
			services = append(services, sv)
			slotted, global = append(slotted, sv.slotted), append(global, sv.global)
			changing = append(changing, [2]int{})
		}
		return i
	}
	for i := range b.items {
		it := &b.items[i]
		if !it.moves {
			continue
		}
		if it.hasOld {
			changing[at(it.old.service)][modeOf(&it.old)]++
		}
		if it.hasNew || !it.hasOld {
			if k := at(it.new.service); it.new.isGlobal() {
				global[k]++
			} else {
				slotted[k]++
			}
		}
	}
	mixed := func(sv *service) bool { i := index[sv]; return slotted[i] > 0 && global[i] > 0 }
	of := map[*service]int{} // the group
	for i := range b.items {
		it := &b.items[i]
		if !it.moves {
			continue
		}
		var both []*service
		if it.hasOld && mixed(it.old.service) {
			both = append(both, it.old.service)
		}
		if (it.hasNew || !it.hasOld) && mixed(it.new.service) && !slices.Contains(both, it.new.service) {
			both = append(both, it.new.service)
		}
		for _, sv := range both {
			if _, ok := of[sv]; !ok {
				of[sv] = len(b.groups)
				k := index[sv]
				stands := [2]bool{sv.slotted > changing[k][0], sv.global > changing[k][1]}
				b.groups = append(b.groups, group{services: []*service{sv}, stands: map[*service][2]bool{sv: stands}})
			}
		}
		if len(both) == 0 {
			continue
		}
		it.group = of[both[0]]
		b.groups[it.group].items = append(b.groups[it.group].items, i)
		if len(both) == 2 && of[both[1]] != it.group {
			b.join(it.group, of[both[1]], of)
		}
	}
}

// modeOf is 0 of a task in a slot, 1 of a global one.
func modeOf(v *taskValue) int {
	if v.isGlobal() {
		return 1
	}
	return 0
}

// join moves the second group's services and items to the first.
func (b *batch) join(first, second int, of map[*service]int) {
	from := &b.groups[second]
	for _, sv := range from.services {
		of[sv] = first
		b.groups[first].stands[sv] = from.stands[sv]
	}
	for _, i := range from.items {
		b.items[i].group = first
	}
	to := &b.groups[first]
	to.services = append(to.services, from.services...)
	to.items = append(to.items, from.items...)
	*from = group{}
}

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
