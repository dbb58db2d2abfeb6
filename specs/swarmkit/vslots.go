package swarmkit

import (
	"cmp"
	"slices"
	"strings"
)

// vslots are the vslots of a service, by key: the slots 1, 2, … of a replicated
// one in a list, which takes a fifth of a map's memory, where they are
// dense; all others in maps.
type vslots struct {
	list  []*vslot // slot n at n-1; nil: there is none
	used  int      // how many of them there are
	rest  map[int64]*vslot
	nodes map[*node]*vslot // global ones
}

func (v *vslots) listed(key vslotKey) bool { return key.slot >= 1 && key.slot <= int64(len(v.list)) }

func (v *vslots) get(key vslotKey) *vslot {
	switch {
	case v.listed(key):
		return v.list[key.slot-1]
	case key.slot == globalSlot:
		return v.nodes[key.node]
	}
	return v.rest[key.slot]
}

// put adds a vslot that is not there.
func (v *vslots) put(vs *vslot) {
	key := vs.key
	switch {
	case v.listed(key):
		v.list[key.slot-1] = vs
		v.used++
	case key.slot == globalSlot:
		if v.nodes == nil {
			v.nodes = map[*node]*vslot{}
		}
		v.nodes[key.node] = vs
	case key.slot >= 1 && key.slot <= int64(2*(v.used+len(v.rest))+8):
		v.extend(int(key.slot))
		v.list[key.slot-1] = vs
		v.used++
	default:
		if v.rest == nil {
			v.rest = map[int64]*vslot{}
		}
		v.rest[key.slot] = vs
	}
}

// extend makes the list reach the slot, and has it take over from the map.
func (v *vslots) extend(slot int) {
	for n := len(v.list) + 1; n <= slot; n++ {
		vs := v.rest[int64(n)]
		v.list = append(v.list, vs)
		if vs != nil {
			delete(v.rest, int64(n))
			v.used++
		}
	}
}

// drop takes out one that is there.
func (v *vslots) drop(key vslotKey) {
	switch {
	case key.slot == globalSlot:
		delete(v.nodes, key.node)
		return
	case !v.listed(key):
		delete(v.rest, key.slot)
		return
	}
	v.list[key.slot-1] = nil
	if v.used--; v.used*4 >= len(v.list) {
		return
	}
	// Few are left: memory follows them, not the slots that there were.
	old := v.list
	v.list, v.used = nil, 0
	for _, vs := range old {
		if vs != nil {
			v.put(vs)
		}
	}
}

// all yields each of them, in no order.
func (v *vslots) all(yield func(*vslot) bool) {
	for _, vs := range v.list {
		if vs != nil && !yield(vs) {
			return
		}
	}
	for _, vs := range v.rest {
		if !yield(vs) {
			return
		}
	}
	for _, vs := range v.nodes {
		if !yield(vs) {
			return
		}
	}
}

// inOrder lists them, always in the same order.
func (v *vslots) inOrder() []*vslot {
	list := slices.AppendSeq(make([]*vslot, 0, v.used+len(v.rest)+len(v.nodes)), v.all)
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
