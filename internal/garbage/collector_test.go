package garbage

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestDue: garbage may take 30 % of what lives, new objects included.
func TestDue(t *testing.T) {
	c := Collector{percent: 30, live: 1000, objects: 10, size: 50}
	for objects, want := range map[int]int{10: 30, 0: 30, 12: 43, 20: 95, 1000: mostPercent} {
		if got := c.due(objects); got != want {
			t.Errorf("%d objects: %d %%, want %d", objects, got, want)
		}
	}
	c.percent = 400
	if got := c.due(1000); got != 400 {
		t.Errorf("%d %%, want 400", got)
	}
}

// TestFirst: the first collection comes later if many objects live.
func TestFirst(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	var c Collector
	c.Begin(30)
	const objects, most = leastHeap, 1 << 40 // of one byte
	c.size = 1
	for n, want := range map[int]int{0: firstPercent, objects: firstPercent + 130, most: mostFirst} {
		c.set = 0
		c.Follow(n)
		if set := debug.SetGCPercent(1000); set != want {
			t.Errorf("%d objects: %d %%, want %d", n, set, want)
		}
	}
	runtime.KeepAlive(&c)
}

// TestNoPercent: the percentage of the environment stays.
func TestNoPercent(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	var c Collector
	c.Begin(0)
	c.Follow(1 << 20)
	if set := debug.SetGCPercent(77); set != 77 {
		t.Errorf("%d %%, want 77", set)
	}
}

// TestFollow: a collection measures the size of an object.
func TestFollow(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	c := Collector{percent: 30}
	c.begun.Store(true)
	const objects, size = 2 * leastGrowth, 500
	for n := range 3 {
		keep := make([]byte, n*objects*size)
		runtime.GC()
		c.Follow(n * objects)
		runtime.KeepAlive(keep)
	}
	if c.size < size*9/10 || c.size > size*11/10 {
		t.Errorf("an object has %d bytes, want %d", c.size, size)
	}
	c.Follow(3 * objects)
	due := c.due(3 * objects)
	if set := debug.SetGCPercent(1000); set != due || set <= 30 {
		t.Errorf("%d %%, want %d", set, due)
	}
}

// TestBegin: the first collection does not lead to another one, and 4 MB of garbage may wait.
func TestBegin(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	var c Collector
	c.Begin(30)
	runtime.GC()
	var first, last runtime.MemStats
	runtime.ReadMemStats(&first)
	for !c.begun.Load() {
		time.Sleep(time.Millisecond)
	}
	for range 64 {
		waste = make([]byte, 64<<10)
	}
	runtime.ReadMemStats(&last)
	if more := last.NumGC - first.NumGC; more > 0 {
		t.Errorf("%d more collections", more)
	}
	runtime.KeepAlive(&c)
}

var waste []byte
