package swarmkit

import (
	"encoding/binary"
	"slices"
)

// relative is a move in terms of its frame alone, good for another that is
// alike.
type relative struct {
	move
	place int // of to.node, or node
}

func (b *batch) relative(f *frame, plan []move) []relative {
	position := map[int]int{-1: -1}
	for n, i := range f.items {
		position[i] = n
	}
	rel := make([]relative, len(plan))
	for k, mv := range plan {
		n := mv.to.node
		if mv.node != nil {
			n = mv.node
		}
		mv.item, mv.other = position[mv.item], position[mv.other]
		if mv.service >= 0 {
			mv.service = 0
		}
		rel[k] = relative{mv, max(0, slices.Index(f.places, n))}
	}
	return rel
}

func (b *batch) absolute(f *frame, rel []relative) []move {
	plan := make([]move, len(rel))
	for k, r := range rel {
		mv := r.move
		if mv.item >= 0 {
			mv.item = f.items[mv.item]
			t := &b.items[mv.item]
			if mv.to.service != nil {
				mv.to.service, mv.to.slot, mv.to.node = t.service, t.vslot.slot, f.places[r.place]
			}
		}
		if mv.other >= 0 {
			mv.other = f.items[mv.other]
		}
		if mv.service >= 0 {
			mv.service = f.services[mv.service]
		}
		if mv.node != nil {
			mv.node = f.places[r.place]
		}
		plan[k] = mv
	}
	return plan
}

// signature is all that the outcome of the frame's search depends on, with
// the nodes and the service named by their place in the frame.
func (b *batch) signature(f *frame, start []byte) string {
	sig := append([]byte(nil), start...)
	num := func(n ...int) {
		for _, v := range n {
			sig = binary.AppendVarint(sig, int64(v))
		}
	}
	num(len(f.items), len(f.services), b2i(f.own))
	for _, i := range f.items {
		t := &b.items[i]
		sig = f.appendItem(sig, &t.new, t.is, false, 0)
		num(b2i(t.lasts()), b2i(t.remade), b2i(t.vslot.slot == globalSlot), slices.Index(f.places, t.vslot.node))
		for _, j := range f.items { // the same id in another slot
			num(b2i(b.items[j].id == t.id))
		}
		for _, ev := range t.claims {
			sig = append(append(append(append(sig, ev.Actor...), 0), ev.Action...), 0)
		}
	}
	for _, n := range f.places[1:] {
		num(b2i(n.isUp()), b2i(n.isDown()), b2i(n.shown), int(n.owned), b2i(b.fates[n].doomed), b2i(b.fates[n].kept))
	}
	if len(f.items) > 0 {
		sv := b.items[f.items[0]].service
		key := b.items[f.items[0]].vslot
		num(b2i(sv.exists), int(min(sv.replicas, 0)), b2i(sv.remove), b2i(sv.tasks > 0), b2i(sv.notRemove > 0))
		if vs := sv.vslot(key); vs != nil {
			num(int(vs.count), int(vs.runnable), int(vs.terminated), int(vs.notRemove), int(vs.wanted))
		}
	}
	for _, at := range f.services {
		num(at) // few, and never alike
	}
	return string(sig)
}
