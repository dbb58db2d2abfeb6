package swarmkit

import (
	"encoding/binary"
	"slices"
)

// likewise is the plan of a frame that is alike, for this one.
func (b *batch) likewise(f, alike *frame) []move {
	plan := slices.Clone(alike.plan)
	for k := range plan {
		mv := &plan[k]
		mv.item, mv.other = counterpart(mv.item, alike.items, f.items), counterpart(mv.other, alike.items, f.items)
		mv.service = counterpart(mv.service, alike.services, f.services)
		mv.node = counterpart(mv.node, alike.places, f.places)
		if t := mv.item; mv.to.service != nil {
			mv.to.service, mv.to.slot, mv.to.node = t.service, t.vslot.slot, counterpart(mv.to.node, alike.places, f.places)
		}
	}
	return plan
}

// counterpart is what the second list has where the first has v; else v.
func counterpart[T comparable](v T, in, of []T) T {
	if at := slices.Index(in, v); at >= 0 {
		return of[at]
	}
	return v
}

// signature is all that the outcome of the frame's search depends on, with
// the nodes and the service named by their place in the frame.
func (b *batch) signature(f *frame) string {
	sig := b.startKey(f)
	num := func(n ...int) {
		for _, v := range n {
			sig = binary.AppendVarint(sig, int64(v))
		}
	}
	num(len(f.items), len(f.services), b2i(f.own))
	for _, t := range f.items {
		sig = f.appendItem(sig, &t.new, t.is, false, 0)
		num(b2i(t.lasts()), b2i(t.remade), b2i(t.vslot.slot == globalSlot), f.place(t.vslot.node))
		for _, ev := range t.claims {
			sig = append(append(append(append(sig, ev.Actor...), 0), ev.Action...), 0)
		}
	}
	for _, n := range f.places[1:] {
		num(b2i(n.isUp()), b2i(n.isDown()), b2i(n.shown), int(n.owned), b2i(b.fates[n].doomed), b2i(b.fates[n].kept))
	}
	if len(f.items) > 0 {
		sv := f.items[0].service
		num(b2i(sv.exists), int(min(sv.replicas, 0)), b2i(sv.remove), b2i(sv.tasks > 0), b2i(sv.notRemove > 0))
		if vs := sv.vslot(f.items[0].vslot); vs != nil {
			num(int(vs.count), int(vs.runnable), int(vs.terminated), int(vs.notRemove), int(vs.wanted))
		}
	}
	for _, c := range f.services {
		num(c.at) // few, and never alike
	}
	return string(sig)
}
