package validators

import (
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"tracecheck/trace/codec"
)

// Keyed is a record that knows its id, which never changes.
type Keyed interface {
	comparable
	Key() string
}

// Index finds records by id, where there may be very many: it takes a third of
// a map's memory, as the ids are kept in the records alone. The zero value is
// ready; the zero P is no record.
type Index[P Keyed] struct {
	seed  maphash.Seed
	slots []P
	tags  []tag // of the slots
	used  int
}

// tag is half of an id's hash, or free: what is asked of records that are not
// the one in question, it answers without a look at them.
type tag uint32

const (
	free     tag = 0
	leastCap int = 4 // slots; their number is a power of two

	mostAtOnce = cacheLine / 4 // tags
)

func (x *Index[P]) tag(id string) tag { return tag(maphash.String(x.seed, id)) | 1 }

// home is where the search for an id of the tag begins.
func (x *Index[P]) home(t tag) int { return int(t>>1) & (len(x.slots) - 1) }

// find returns the slot of the id, -1 if it is not there.
func (x *Index[P]) find(id string) int {
	if x.used == 0 {
		return -1
	}
	t := x.tag(id)
	for i := x.home(t); x.tags[i] != free; i = x.next(i) {
		if x.tags[i] == t && x.slots[i].Key() == id {
			return i
		}
	}
	return -1
}

func (x *Index[P]) next(i int) int { return (i + 1) & (len(x.slots) - 1) }

// Get returns the record of the id, the zero P if there is none.
func (x *Index[P]) Get(id string) (p P) {
	if i := x.find(id); i >= 0 {
		p = x.slots[i]
	}
	return p
}

// Place is where Get begins to look for the id, for Look and Likely.
func (x *Index[P]) Place(id string) int {
	if x.used == 0 {
		return 0
	}
	return int(x.tag(id))
}

// Look reads what Get reads first; what it returns has no meaning.
func (x *Index[P]) Look(place int) int {
	i := x.home(tag(place))
	if i >= len(x.slots) {
		return 0
	}
	var none P
	if x.slots[i] == none {
		return 0
	}
	return int(x.tags[i])
}

// Likely is the record that Get finds, if not another; the zero P if there is
// none.
func (x *Index[P]) Likely(place int) (p P) {
	if len(x.slots) == 0 {
		return p
	}
	for i, t := x.home(tag(place)), tag(place); x.tags[i] != free; i = x.next(i) {
		if x.tags[i] == t {
			return x.slots[i]
		}
	}
	return p
}

// Put adds a record whose id is not there.
func (x *Index[P]) Put(p P) {
	if x.isFull() {
		x.resize(max(leastCap, 2*len(x.slots)))
	}
	x.put(p, x.tag(p.Key()))
}

// isFull says that there is no room for one more: a search ends at a slot that is
// free, and takes long where few are. Of few slots, it reads all tags at once.
func (x *Index[P]) isFull() bool {
	if len(x.slots) <= mostAtOnce {
		return x.used+1 >= len(x.slots)
	}
	return 4*(x.used+1) > 3*len(x.slots)
}

// Set puts the record where that of its id is, if there is one, or adds it.
func (x *Index[P]) Set(p P) {
	if i := x.find(p.Key()); i >= 0 {
		x.slots[i] = p
		return
	}
	x.Put(p)
}

func (x *Index[P]) put(p P, t tag) {
	i := x.home(t)
	for x.tags[i] != free {
		i = x.next(i)
	}
	x.slots[i], x.tags[i] = p, t
	x.used++
}

// Delete takes out the record of the id, if it is there.
func (x *Index[P]) Delete(id string) {
	hole := x.find(id)
	if hole < 0 {
		return
	}
	// Those behind it move up, unless they are where they belong.
	for i := x.next(hole); x.tags[i] != free; i = x.next(i) {
		if home := x.home(x.tags[i]); (i-home)&(len(x.slots)-1) >= (i-hole)&(len(x.slots)-1) {
			x.slots[hole], x.tags[hole] = x.slots[i], x.tags[i]
			hole = i
		}
	}
	var none P
	x.slots[hole], x.tags[hole] = none, free
	if x.used--; len(x.slots) > leastCap && 8*x.used < len(x.slots) {
		x.resize(len(x.slots) / 2)
	}
}

func (x *Index[P]) resize(size int) {
	old, tags := x.slots, x.tags
	if old == nil {
		x.seed = maphash.MakeSeed()
	}
	x.slots, x.tags, x.used = make([]P, size), make([]tag, size), 0
	for i, t := range tags {
		if t != free {
			x.put(old[i], t)
		}
	}
}

// Len is how many records there are.
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

// List lists the records, in no order. It does not look at them.
func (x *Index[P]) List() []P {
	list := make([]P, 0, x.used)
	for i, t := range x.tags {
		if t != free {
			list = append(list, x.slots[i])
		}
	}
	return list
}

// ToWrite lists the records for codec.Records, which in parts takes any order.
func (x *Index[P]) ToWrite(c *codec.Codec) []P {
	if c.IsDivided() {
		return x.List()
	}
	return x.Sorted()
}

// Sorted lists the records by id.
func (x *Index[P]) Sorted() []P {
	list := x.List()
	slices.SortFunc(list, func(a, b P) int { return strings.Compare(a.Key(), b.Key()) })
	return list
}
