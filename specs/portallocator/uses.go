package portallocator

import (
	"iter"
	"math/rand/v2"
)

// uses is what is known of the addresses: a hash table of its own, because a
// step looks up each of its addresses some ten times. One whose use is none is
// not in it.
type uses struct {
	slots []usedAddress // a power of two of them; one without use is free
	seed  uint64
	count int
}

type usedAddress struct {
	a address
	use
}

const leastSlots = 8

// home is where the search for the address begins.
func (u *uses) home(a address) int {
	h := uint64(a) * u.seed
	return int(h>>32^h>>48) & (len(u.slots) - 1)
}

// slot is the address's slot, or the free one that it would get.
func (u *uses) slot(a address) int {
	i := u.home(a)
	for u.slots[i].a != a && u.slots[i].use != (use{}) {
		i = u.next(i)
	}
	return i
}

func (u *uses) next(i int) int { return (i + 1) & (len(u.slots) - 1) }

func (u *uses) get(a address) use {
	if u.count == 0 {
		return use{}
	}
	if s := &u.slots[u.slot(a)]; s.a == a {
		return s.use
	}
	return use{}
}

// at is the address's slot, or one for it: for put.
func (u *uses) at(a address) int {
	if 4*(u.count+1) > 3*len(u.slots) {
		u.resize(max(leastSlots, 2*len(u.slots)))
	}
	return u.slot(a)
}

func (u *uses) put(i int, a address, is use) {
	was := u.slots[i].use
	u.slots[i] = usedAddress{a, is}
	switch {
	case was == is:
	case was == use{}:
		u.count++
	case is == use{}:
		u.count--
		u.close(i)
	}
}

// close fills the hole with those behind it that belong there.
func (u *uses) close(hole int) {
	for i := u.next(hole); u.slots[i].use != (use{}); i = u.next(i) {
		if mask := len(u.slots) - 1; (i-u.home(u.slots[i].a))&mask >= (i-hole)&mask {
			u.slots[hole], hole = u.slots[i], i
		}
	}
	u.slots[hole] = usedAddress{}
	if len(u.slots) > leastSlots && 8*u.count < len(u.slots) {
		u.resize(len(u.slots) / 2)
	}
}

func (u *uses) resize(size int) {
	old := u.slots
	if old == nil {
		u.seed = rand.Uint64() | 1
	}
	u.slots = make([]usedAddress, size)
	for i := range old {
		if old[i].use != (use{}) {
			u.slots[u.slot(old[i].a)] = old[i]
		}
	}
}

// all yields the addresses in no order.
func (u *uses) all() iter.Seq2[address, use] {
	return func(yield func(address, use) bool) {
		for i := range u.slots {
			if s := &u.slots[i]; s.use != (use{}) && !yield(s.a, s.use) {
				return
			}
		}
	}
}
