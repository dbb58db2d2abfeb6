package garbage

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
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
	c.Begin(30, false)
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
	c.Begin(0, true)
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
	c.Begin(30, false)
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

// TestEnlarge: the memory after the first collection has large pages, and the room for it takes
// no memory before it is used. A process can do that once.
func TestEnlarge(t *testing.T) {
	const again = "TRACECHECK_TEST_ENLARGE"
	if os.Getenv(again) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestEnlarge$", "-test.v")
		cmd.Env = append(os.Environ(), again+"=1", "GOGC=off")
		out, err := cmd.CombinedOutput()
		if t.Logf("%s", out); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !advises() {
		t.Skip("this system does not use large pages on request")
	}
	const size, object = 64 << 20, 4 << 10
	before := resident(t, "Rss")
	var c Collector
	c.Begin(30, true)
	if grown := resident(t, "Rss") - before; grown > size {
		t.Errorf("memory grew by %d bytes before any use", grown)
	}
	if set := debug.SetGCPercent(1000); set != 30 {
		t.Errorf("%d %%, want 30", set)
	}
	before = resident(t, "AnonHugePages")
	var keep [size / object][]byte
	for i := range keep {
		keep[i] = make([]byte, object)
		keep[i][0] = 1
	}
	if grown := resident(t, "AnonHugePages") - before; grown < size/2 {
		t.Errorf("%d bytes more have large pages, want most of %d", grown, size)
	}
	if c.enlarge() {
		t.Error("the first collection was long ago, and there is room again")
	}
	runtime.KeepAlive(&keep)
	runtime.KeepAlive(&c)
}

// resident returns a sort of memory of this process, in bytes.
func resident(t *testing.T, sort string) (size int) {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, sort+":"); is {
			if _, err := fmt.Sscan(rest, &size); err != nil {
				t.Fatal(err)
			}
		}
	}
	return size << 10
}

// TestReadAhead: blocks that are read ahead may live, without another collection.
func TestReadAhead(t *testing.T) {
	c := Collector{percent: 30, live: ballast, objects: -readAhead / usualSize, size: usualSize}
	if got, want := c.due(0), 30+130*readAhead/ballast; got < want-1 || got > want {
		t.Errorf("%d %%, want %d", got, want)
	}
}
