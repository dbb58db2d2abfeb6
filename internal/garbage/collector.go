package garbage

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Collector sets how much garbage there may be, relative to what lives.
type Collector struct {
	percent int // 0: the runtime's stays
	ballast []byte
	begun   atomic.Bool // there was a collection
	follows atomic.Bool // Follow is called

	set     int    // the runtime's percentage
	cycles  uint64 // collections
	live    int    // bytes after the last one
	objects int    // live objects at that time
	latest  int    // live objects at the latest call, the last one before a collection
	size    int    // bytes of an object
}

// Begin sets the percentage of what lives. 0: the runtime's stays. A large input is worth some
// milliseconds for large pages.
func (c *Collector) Begin(percent int, large bool) {
	if c.percent = percent; percent == 0 {
		return
	}
	c.size = usualSize
	if large && advises() && c.enlarge() {
		return
	}
	// A lower percentage may start a collection, so it is set after the first one. Until then there
	// is little to collect: a short run has none.
	c.use(firstPercent)
	// While little lives, some more garbage may wait. The ballast is never written to, so it takes
	// no memory. The first collection must count it, or it would start another one.
	c.ballast = make([]byte, ballast)
	runtime.AddCleanup(new([]byte), func(c *Collector) {
		percent := c.percent
		if c.follows.Load() { // it soon sets the percentage, with what is new since then
			percent = max(percent, mostPercent)
		}
		debug.SetGCPercent(percent)
		c.begun.Store(true)
	}, c)
}

// enlarge begins with a collection, which leaves room in the heap that has large pages. Judging
// reads memory here and there, and a processor knows the addresses of few pages. It must be the
// process's first collection, else enlarge returns false: freed memory would be cleared first,
// and then take memory.
func (c *Collector) enlarge() bool {
	debug.SetGCPercent(-1)
	if cycles, _ := collected(); cycles > 0 {
		return false
	}
	c.ballast = make([]byte, ballast)
	advise(make([]byte, reserve))
	runtime.GC()
	c.cycles, c.live = collected()
	c.objects = -readAhead / usualSize // the memory of blocks will live, too
	c.begun.Store(true)
	c.use(c.percent)
	return true
}

// collected returns the number of collections, and how many bytes the last one left.
func collected() (cycles uint64, live int) {
	now := [...]metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(now[:])
	return now[0].Value.Uint64(), int(now[1].Value.Uint64())
}

// Follow is called often with the number of live objects. While only they grow, there is
// almost no garbage, and collections would free nothing. So the runtime's percentage includes
// the memory of new objects. Their size is what the heap has grown by between collections.
func (c *Collector) Follow(objects int) {
	if c.percent == 0 {
		return
	}
	before := c.latest
	c.latest = objects
	if !c.begun.Load() {
		c.follows.Store(true)
		c.use(c.first(objects))
		return
	}
	if cycles, live := collected(); cycles != c.cycles {
		if more := before - c.objects; c.cycles > 0 && more > leastGrowth {
			c.size = max(0, live-c.live) / more
		}
		c.cycles, c.live, c.objects = cycles, live, before
	}
	c.use(c.due(objects))
}

// use sets the runtime's percentage, if it differs enough.
func (c *Collector) use(percent int) {
	if percent < c.set || percent > c.set+c.set/leastChange {
		c.set = percent
		debug.SetGCPercent(percent)
	}
}

// first returns the percentage of the runtime's least heap, before the first collection.
func (c *Collector) first(objects int) int {
	return min(firstPercent+(100+c.percent)*objects*c.size/leastHeap, mostFirst)
}

// due returns the percentage while so many objects live.
func (c *Collector) due(objects int) int {
	grown := max(0, objects-c.objects) * c.size
	return min(c.percent+(100+c.percent)*grown/max(1, c.live), max(c.percent, mostPercent))
}

const (
	ballast      = 32 << 20
	reserve      = 512 << 20 // bytes of address space
	readAhead    = 10 << 20
	leastHeap    = 4 << 20 // the runtime's
	firstPercent = 1400    // of the least heap: the first collection is at the ballast and 24 MB
	mostFirst    = 4200    // so that the size is measured before it is wrong for most objects
	usualSize    = 250     // bytes of an object, until it is measured
	leastGrowth  = 10_000  // objects: the memory of fewer is not measured
	mostPercent  = 200     // as mostFirst
	leastChange  = 16      // the least increase, as a part of the percentage
)
