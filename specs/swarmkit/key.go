package swarmkit

import (
	"encoding/binary"
	"slices"
)

// A state of a frame is a key: six bytes an item, two a service.
const (
	itemBytes    = 6 // flags, state, desired state, place (2), claims met
	serviceBytes = 2 // flags, claims met

	isHere    = 1 // the object exists
	wasAbsent = 2 // it did not exist at some time
	isGoing   = 4 // of a service: remove
	isWide    = 8 // of a service: global
)

func (b *batch) startKey(f *frame) []byte {
	var key []byte
	for _, t := range f.items {
		key = f.appendItem(key, &t.old, t.was, !t.was, 0)
	}
	for _, c := range f.services {
		key = appendService(key, c.was, &c.old, !c.was, 0)
	}
	return key
}

// empty is the key in which none of the frame's objects exists.
func (b *batch) empty(f *frame) []byte {
	return make([]byte, itemBytes*len(f.items)+serviceBytes*len(f.services))
}

func (f *frame) appendItem(key []byte, v *taskValue, here, absent bool, met uint8) []byte {
	if !here {
		return append(key, flag(wasAbsent, absent), 0, 0, 0, 0, met)
	}
	place := max(0, f.place(v.node))
	key = append(key, isHere|flag(wasAbsent, absent), byte(v.state), byte(v.desired))
	return append(binary.BigEndian.AppendUint16(key, uint16(place)), met)
}

func appendService(key []byte, here bool, v *serviceValue, absent bool, met uint8) []byte {
	return append(key, flag(isHere, here)|flag(isGoing, v.remove && here)|flag(wasAbsent, absent)|flag(isWide, here && v.isGlobal()), met)
}

func flag(f byte, set bool) byte {
	if set {
		return f
	}
	return 0
}

// valueAt reads the n-th item of the frame from the key.
func (b *batch) valueAt(f *frame, key []byte, n int) (taskValue, bool) {
	k := key[n*itemBytes:]
	if k[0]&isHere == 0 {
		return taskValue{}, false
	}
	t := f.items[n]
	v := newTask(t.service, t.vslot, State(k[2]))
	v.state, v.node = State(k[1]), f.places[binary.BigEndian.Uint16(k[3:])]
	if t.old.bad != 0 && v.state == t.old.state { // from before the step, as it was
		v.bad |= t.old.bad & (ofState | ofNode)
	}
	if t.old.bad != 0 && v.desired == t.old.desired {
		v.bad |= t.old.bad & ofDesired
	}
	return v, true
}

// load makes the key's state the state.
func (b *batch) load(f *frame, key []byte) {
	for n, c := range f.services {
		k := key[len(f.items)*itemBytes+n*serviceBytes:]
		if k[0]&isHere == 0 {
			continue // after its tasks
		}
		v := c.old
		if k[0]&wasAbsent != 0 {
			v = c.incarnation(k[0]&isWide != 0)
		}
		v.remove = k[0]&isGoing != 0
		b.setOpen(c, k[0]&wasAbsent != 0 || !c.old.remove)
		b.putService(c, v, true)
	}
	// First those that go: an id may stand for two items, in different slots.
	for n, t := range f.items {
		if _, here := b.valueAt(f, key, n); !here {
			b.putTask(t, taskValue{}, false)
		}
	}
	for n, t := range f.items {
		if v, here := b.valueAt(f, key, n); here {
			b.putTask(t, v, true)
		}
	}
	for n, c := range f.services {
		if key[len(f.items)*itemBytes+n*serviceBytes]&isHere == 0 {
			b.putService(c, serviceValue{}, false)
		}
	}
}

// after is the key after the move whose pair is p. The slice is reused.
func (b *batch) after(f *frame, mv *move, p *pair, key []byte) []byte {
	b.key = append(b.key[:0], key...)
	for i := range p.tasks {
		c := &p.tasks[i]
		t := b.items[c.line]
		n, _ := slices.BinarySearchFunc(f.items, c.line, func(t *item, at int) int { return t.at - at })
		k := b.key[n*itemBytes:]
		met := k[5] | b.meets(mv.action, t.claims)
		f.appendItem(k[:0:itemBytes], &c.new, c.is, k[0]&wasAbsent != 0 || !c.is, met)
	}
	for i := range p.services {
		c := &p.services[i]
		of := b.services[c.line]
		n, _ := slices.BinarySearchFunc(f.services, c.line, func(of *serviceItem, at int) int { return of.at - at })
		k := b.key[len(f.items)*itemBytes+n*serviceBytes:]
		met := k[1]
		if f.own {
			met |= b.meets(mv.action, of.claims)
		}
		appendService(k[:0:serviceBytes], c.is, &c.new, k[0]&wasAbsent != 0 || !c.is, met)
	}
	return b.key
}

// reached says that the key is the frame's new state, with all claims met.
func (b *batch) reached(f *frame, key []byte) bool {
	for n, t := range f.items {
		k := key[n*itemBytes:]
		v, here := b.valueAt(f, key, n)
		if here != t.is || here && v != t.new || t.remade && k[0]&wasAbsent == 0 ||
			b.claims && k[5] != full(t.claims) {
			return false
		}
	}
	for n, c := range f.services {
		k := key[len(f.items)*itemBytes+n*serviceBytes:]
		here, absent := k[0]&isHere != 0, k[0]&wasAbsent != 0
		switch {
		case here != c.is, c.remade && !absent, b.claims && f.own && k[1] != full(c.claims),
			here && (k[0]&isGoing != 0) != c.new.remove,
			here && (k[0]&isWide != 0) != c.new.isGlobal(),                      // UpdateService keeps the mode
			here && !absent && c.old.remove && c.old.replicas != c.new.replicas: // nothing changes the spec of a flagged service
			return false
		}
	}
	return true
}
