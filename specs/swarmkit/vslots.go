package swarmkit

import (
	"cmp"
	"slices"
	"strings"
)

// vslots are the vslots of a service, by key.
type vslots struct {
	slots numbered  // by slot
	nodes *numbered // global ones, by the number of their node; nil: there was none yet
}

func (v *vslots) get(key vslotKey) *vslot {
	switch {
	case key.slot != globalSlot:
		return v.slots.get(key.slot)
	case v.nodes == nil:
		return nil
	}
	return v.nodes.get(key.node.numberOr0())
}

// put adds a vslot that is not there.
func (v *vslots) put(vs *vslot) {
	switch {
	case vs.key.slot != globalSlot:
		v.slots.put(vs.key.slot, vs)
		return
	case v.nodes == nil:
		v.nodes = &numbered{}
	}
	v.nodes.put(vs.key.node.numberOr0(), vs)
}

// drop takes out one that is there.
func (v *vslots) drop(key vslotKey) {
	if key.slot == globalSlot {
		v.nodes.drop(key.node.numberOr0())
	} else {
		v.slots.drop(key.slot)
	}
}

// all yields each of them, in no order.
func (v *vslots) all(yield func(*vslot) bool) {
	if v.slots.all(yield) && v.nodes != nil {
		v.nodes.all(yield)
	}
}

// inOrder lists them, always in the same order.
func (v *vslots) inOrder() []*vslot {
	n := v.slots.len()
	if v.nodes != nil {
		n += v.nodes.len()
	}
	list := make([]*vslot, 0, n)
	v.all(func(vs *vslot) bool {
		list = append(list, vs)
		return true
	})
	slices.SortFunc(list, func(a, b *vslot) int {
		return cmp.Or(cmp.Compare(a.key.slot, b.key.slot), strings.Compare(a.key.nodeID(), b.key.nodeID()))
	})
	return list
}

// nodeID is "" where there is no node: none has such an id.
func (k vslotKey) nodeID() string {
	if k.node == nil {
		return ""
	}
	return k.node.id
}

// numbered are vslots by number: 1, 2, … in a list, which takes a fifth of a map's
// memory, where they are dense; all others in a map.
type numbered struct {
	list []*vslot // number n at n-1; nil: there is none
	used int      // how many of them there are
	rest map[int64]*vslot
}

func (l *numbered) len() int { return l.used + len(l.rest) }

func (l *numbered) listed(n int64) bool { return n >= 1 && n <= int64(len(l.list)) }

func (l *numbered) get(n int64) *vslot {
	if l.listed(n) {
		return l.list[n-1]
	}
	return l.rest[n]
}

func (l *numbered) put(n int64, vs *vslot) {
	switch {
	case l.listed(n):
	case n >= 1 && n <= int64(2*l.len()+8):
		l.extend(int(n))
	default:
		if l.rest == nil {
			l.rest = map[int64]*vslot{}
		}
		l.rest[n] = vs
		return
	}
	l.list[n-1] = vs
	l.used++
}

// extend makes the list reach the number, and has it take over from the map.
func (l *numbered) extend(to int) {
	if l.list == nil {
		l.list = make([]*vslot, 0, max(to, 4)) // few services have one slot
	}
	for n := len(l.list) + 1; n <= to; n++ {
		vs := l.rest[int64(n)]
		l.list = append(l.list, vs)
		if vs != nil {
			delete(l.rest, int64(n))
			l.used++
		}
	}
	if len(l.rest) == 0 {
		l.rest = nil // an empty map keeps its memory
	}
}

func (l *numbered) drop(n int64) {
	if !l.listed(n) {
		delete(l.rest, n)
		return
	}
	l.list[n-1] = nil
	if l.used--; l.used*4 >= len(l.list) {
		return
	}
	// Few are left: memory follows them, not the numbers that there were.
	old := l.list
	l.list, l.used = nil, 0
	for i, vs := range old {
		if vs != nil {
			l.put(int64(i+1), vs)
		}
	}
}

// all returns whether it has yielded each of them, in no order.
func (l *numbered) all(yield func(*vslot) bool) bool {
	for _, vs := range l.list {
		if vs != nil && !yield(vs) {
			return false
		}
	}
	for _, vs := range l.rest {
		if !yield(vs) {
			return false
		}
	}
	return true
}
