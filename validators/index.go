package validators

import (
	"iter"
	"math/rand/v2"
	"sort"

	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// Keyed is a record with an immutable id.
type Keyed interface {
	comparable
	Key() string
}

// Index is a hash table of records by id, for very many records. It needs a
// third of a map's memory, since only the records hold the ids. The zero value
// is empty; the zero P is not a record.
type Index[P Keyed] struct {
	seed  uint64 // differs between tables: else to copy one into another would be slow
	slots []P
	tags  []tag // one for each slot
	used  int
}

// tag is half of an id's hash, or free. Most other records are skipped by their
// tags alone.
type tag uint32

const (
	free     tag = 0
	leastCap int = 4 // slots

	mostAtOnce = cacheLine / 4 // tags in a cache line
)

// tag returns the tag of an id with the hash.
func (x *Index[P]) tag(hash uint32) tag { return tag((uint64(hash)^x.seed)*hashFactor>>32) | 1 }

// hashFactor spreads the bits of a hash. It is 2^64 divided by the golden ratio.
const hashFactor = 0x9e3779b97f4a7c15

// start is the slot where the search for the tag begins.
func (x *Index[P]) start(t tag) int { return int(uint64(t) * uint64(len(x.slots)) >> 32) }

// find returns the slot of the id with the hash, or -1.
func (x *Index[P]) find(id string, hash uint32) int {
	if x.used == 0 {
		return -1
	}
	t := x.tag(hash)
	for i := x.start(t); x.tags[i] != free; i = x.next(i) {
		if x.tags[i] == t && x.slots[i].Key() == id {
			return i
		}
	}
	return -1
}

func (x *Index[P]) next(i int) int {
	if i++; i < len(x.slots) {
		return i
	}
	return 0
}

// distance is how often next leads from one slot to the other.
func (x *Index[P]) distance(from, to int) int {
	if to >= from {
		return to - from
	}
	return to - from + len(x.slots)
}

// Get returns the record of the id, or the zero P.
func (x *Index[P]) Get(id string) P { return x.get(id, trace.HashID(id)) }

// Of returns the record of the event's object, or the zero P.
func (x *Index[P]) Of(ev *trace.Event) P { return x.get(ev.ID, ev.Hash) }

func (x *Index[P]) get(id string, hash uint32) (p P) {
	if i := x.find(id, hash); i >= 0 {
		p = x.slots[i]
	}
	return p
}

// Place returns where Of begins to search, for Look and Likely.
func (x *Index[P]) Place(ev *trace.Event) int {
	if x.used == 0 {
		return 0
	}
	return int(x.tag(ev.Hash))
}

// Look prefetches what Of reads first. The result has no meaning.
func (x *Index[P]) Look(place int) int {
	i := x.start(tag(place))
	if i >= len(x.slots) {
		return 0
	}
	var none P
	if x.slots[i] == none {
		return 0
	}
	return int(x.tags[i])
}

// Likely returns the record that Of most likely finds, or the zero P.
func (x *Index[P]) Likely(place int) (p P) {
	if len(x.slots) == 0 {
		return p
	}
	for i, t := x.start(tag(place)), tag(place); x.tags[i] != free; i = x.next(i) {
		if x.tags[i] == t {
			return x.slots[i]
		}
	}
	return p
}

// Put adds a record with a new id.
func (x *Index[P]) Put(p P) {
	if x.isFull() {
		size := max(leastCap, 2*len(x.slots))
		if size > mostAtOnce {
			size = len(x.slots) + len(x.slots)/2 // doubling would leave more slots free
		}
		x.resize(size)
	}
	x.put(p, x.tag(trace.HashID(p.Key())))
}

// isFull reports whether there is no room for one more. A search ends at a free
// slot, so few free slots make it slow. A small table is searched at once.
func (x *Index[P]) isFull() bool {
	if len(x.slots) <= mostAtOnce {
		return x.used+1 >= len(x.slots)
	}
	return 4*(x.used+1) > 3*len(x.slots)
}

func (x *Index[P]) put(p P, t tag) {
	i := x.start(t)
	for x.tags[i] != free {
		i = x.next(i)
	}
	x.slots[i], x.tags[i] = p, t
	x.used++
}

// Delete removes the record of the id, if there is one.
func (x *Index[P]) Delete(id string) {
	hole := x.find(id, trace.HashID(id))
	if hole < 0 {
		return
	}
	// Later records move up, unless they are in their places.
	for i := x.next(hole); x.tags[i] != free; i = x.next(i) {
		if home := x.start(x.tags[i]); x.distance(home, i) >= x.distance(hole, i) {
			x.slots[hole], x.tags[hole] = x.slots[i], x.tags[i]
			hole = i
		}
	}
	var none P
	x.slots[hole], x.tags[hole] = none, free
	if x.used--; len(x.slots) > leastCap && 8*x.used < len(x.slots) {
		x.resize(max(leastCap, len(x.slots)/2))
	}
}

func (x *Index[P]) resize(size int) {
	old, tags := x.slots, x.tags
	if old == nil {
		x.seed = rand.Uint64()
	}
	x.slots, x.tags, x.used = make([]P, size), make([]tag, size), 0
	for i, t := range tags {
		if t != free {
			x.put(old[i], t)
		}
	}
}

// Len returns the number of records.
func (x *Index[P]) Len() int { return x.used }

// All yields the ids and records, in no order.
func (x *Index[P]) All() iter.Seq2[string, P] {
	return func(yield func(string, P) bool) {
		for i, t := range x.tags {
			if t != free && !yield(x.slots[i].Key(), x.slots[i]) {
				return
			}
		}
	}
}

// List returns the records, in no order, without reading them.
func (x *Index[P]) List() []P {
	list := make([]P, 0, x.used)
	for i, t := range x.tags {
		if t != free {
			list = append(list, x.slots[i])
		}
	}
	return list
}

// ToWrite returns the records for codec.Records. Saving in parts needs no
// order.
func (x *Index[P]) ToWrite(c *codec.Codec) []P {
	if c.IsDivided() {
		return x.List()
	}
	return x.Sorted()
}

// Sorted returns the records by id.
func (x *Index[P]) Sorted() []P {
	list := x.List()
	// slices.SortFunc would be compiled for each type of record.
	sort.Slice(list, func(i, j int) bool { return list[i].Key() < list[j].Key() })
	return list
}
