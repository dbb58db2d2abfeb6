package validators

import (
	"iter"
	"math/rand/v2"
	"slices"
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
	seed    uint64 // differs between tables: else to copy one into another would be slow
	buckets []bucket[P]
	used    int
}

// bucket has some records, and its free places behind them. If P is a pointer, it fills a
// cache line.
type bucket[P Keyed] struct {
	tags    [inBucket]tag
	records [inBucket]P
}

const inBucket = 5

// tag is half of an id's hash, or free. Most other records are skipped by their
// tags alone.
type tag uint32

const free tag = 0

func (b *bucket[P]) isFull() bool { return b.tags[inBucket-1] != free }

// remove moves the last record to the place.
func (b *bucket[P]) remove(place int) {
	last := inBucket - 1
	for b.tags[last] == free {
		last--
	}
	b.records[place], b.tags[place] = b.records[last], b.tags[last]
	var none P
	b.records[last], b.tags[last] = none, free
}

// tag returns the tag of an id with the hash.
func (x *Index[P]) tag(hash uint32) tag { return tag((uint64(hash)^x.seed)*hashFactor>>32) | 1 }

// hashFactor spreads the bits of a hash. It is 2^64 divided by the golden ratio.
const hashFactor = 0x9e3779b97f4a7c15

// start is the number of the bucket where the search for the tag begins. It ends at a bucket
// that is not full.
func (x *Index[P]) start(t tag) int { return int(uint64(t) * uint64(len(x.buckets)) >> 32) }

// find returns the bucket of the id with the hash, and its place there; -1: there is none.
func (x *Index[P]) find(id string, hash uint32) (at, place int) {
	if x.used == 0 {
		return 0, -1
	}
	t := x.tag(hash)
	for at = x.start(t); ; at = x.next(at) {
		b := &x.buckets[at]
		for i, tag := range &b.tags {
			if tag == t && b.records[i].Key() == id {
				return at, i
			}
		}
		if !b.isFull() || len(x.buckets) == 1 {
			return at, -1
		}
	}
}

func (x *Index[P]) next(at int) int {
	if at++; at < len(x.buckets) {
		return at
	}
	return 0
}

// Get returns the record of the id, or the zero P.
func (x *Index[P]) Get(id string) P { return x.get(id, trace.HashID(id)) }

// Of returns the record of the event's object, or the zero P.
func (x *Index[P]) Of(ev *trace.Event) P { return x.get(ev.ID, ev.Hash) }

func (x *Index[P]) get(id string, hash uint32) (p P) {
	if at, i := x.find(id, hash); i >= 0 {
		p = x.buckets[at].records[i]
	}
	return p
}

// Place returns where the search for the id with the hash begins, for Look and Likely.
func (x *Index[P]) Place(hash uint32) int { return int(x.tag(hash)) }

// Look prefetches what Of reads first. The result has no meaning.
func (x *Index[P]) Look(place int) int {
	if len(x.buckets) == 0 {
		return 0
	}
	return int(x.buckets[x.start(tag(place))].tags[0])
}

// Likely returns the record that Of most likely finds, or the zero P.
func (x *Index[P]) Likely(place int) (p P) {
	if len(x.buckets) == 0 {
		return p
	}
	t := tag(place)
	b := &x.buckets[x.start(t)]
	for i := range b.tags {
		if b.tags[i] == t {
			return b.records[i]
		}
	}
	return p
}

// Put adds a record with a new id.
func (x *Index[P]) Put(p P) {
	if x.isFull() {
		n := len(x.buckets)
		x.resize(max(1, n+(n+1)/2)) // doubling would leave more places free
	}
	x.put(p, x.tag(trace.HashID(p.Key())))
	x.used++
}

// isFull reports whether there is no room for one more. With few free places, many searches
// would read several buckets.
func (x *Index[P]) isFull() bool {
	if len(x.buckets) <= 1 {
		return x.used == inBucket*len(x.buckets)
	}
	return 4*(x.used+1) > 3*inBucket*len(x.buckets)
}

func (x *Index[P]) put(p P, t tag) {
	at := x.start(t)
	for x.buckets[at].isFull() {
		at = x.next(at)
	}
	b := &x.buckets[at]
	i := slices.Index(b.tags[:], free)
	b.records[i], b.tags[i] = p, t
}

// putAll puts the records of a bucket that is in the table no more.
func (x *Index[P]) putAll(b *bucket[P]) {
	for i, t := range b.tags {
		if t != free {
			x.put(b.records[i], t)
		}
	}
}

// Delete removes the record of the id, if there is one.
func (x *Index[P]) Delete(id string) {
	hole, place := x.find(id, trace.HashID(id))
	if place < 0 {
		return
	}
	wasFull := x.buckets[hole].isFull()
	x.buckets[hole].remove(place)
	// Later records may move up.
	for at := x.next(hole); wasFull && at != hole; at = x.next(at) {
		b := x.buckets[at]
		wasFull, x.buckets[at] = b.isFull(), bucket[P]{}
		x.putAll(&b)
	}
	if x.used--; len(x.buckets) > 1 && 8*x.used < inBucket*len(x.buckets) {
		x.resize(len(x.buckets) / 2)
	}
}

func (x *Index[P]) resize(size int) {
	old := x.buckets
	if old == nil {
		x.seed = rand.Uint64()
	}
	x.buckets = make([]bucket[P], size)
	for i := range old {
		x.putAll(&old[i])
	}
}

// Len returns the number of records.
func (x *Index[P]) Len() int { return x.used }

// All yields the ids and records, in no order.
func (x *Index[P]) All() iter.Seq2[string, P] {
	return func(yield func(string, P) bool) {
		for _, p := range x.List() {
			if !yield(p.Key(), p) {
				return
			}
		}
	}
}

// List returns the records, in no order, without reading them.
func (x *Index[P]) List() []P {
	list := make([]P, 0, x.used)
	for i := range x.buckets {
		for j, t := range x.buckets[i].tags {
			if t != free {
				list = append(list, x.buckets[i].records[j])
			}
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
