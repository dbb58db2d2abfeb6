package generate

import (
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
)

func started(t testing.TB, spec string, events int64) *generator {
	t.Helper()
	g, err := newGenerator(Options{
		Specs: []string{spec}, Events: events, Streams: 1, Objects: 200,
		Start: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Interval: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// live is the bytes that are in use once the generator has that many events to
// go.
func live(g *generator, left int64) uint64 {
	for g.left > left {
		g.next()
		g.out = g.out[:0]
	}
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	runtime.KeepAlive(g)
	return m.HeapAlloc
}

// Memory grows with live objects, not with the trace.
func TestMemory(t *testing.T) {
	events := exhaustive.Or[int64](300_000, 1_000_000)
	for _, spec := range SpecNames() {
		g := started(t, spec, events)
		short := live(g, events-50_000)
		long := live(g, 1000)
		// 200 objects are less than 100 kB; the events between, if they left one
		// byte each, would be more than this.
		if most := uint64(events) * 2 / 5; long > short+most {
			t.Errorf("%s: %d bytes after 50,000 events, %d after %d", spec, short, long, events-1000)
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, spec := range SpecNames() {
		for _, objects := range []int{200, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", spec, objects), func(b *testing.B) {
				b.ReportAllocs()
				o := Options{
					Specs: []string{spec}, Events: int64(b.N) + 1_000_000, Streams: 1, Objects: objects, Snapshot: true,
					Start: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Interval: time.Millisecond,
				}
				g, err := newGenerator(o)
				if err != nil {
					b.Fatal(err)
				}
				for g.streams[0].opens() >= 0 {
					g.next()
					g.out = g.out[:0]
				}
				from := g.left
				b.ResetTimer()
				for from-g.left < int64(b.N) {
					g.next()
					if len(g.out) > blockSize {
						io.Discard.Write(g.out)
						g.out = g.out[:0]
					}
				}
			})
		}
	}
}
