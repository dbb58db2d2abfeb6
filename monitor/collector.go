package monitor

import (
	"runtime"
	"runtime/debug"
	"sync"

	"tracecheck/monitor/board"
)

const (
	// loadPercent is the percentage of the garbage collector while checkpoints
	// are loaded and nothing is judged. Almost everything allocated then stays.
	// Collecting would take longer than loading.
	loadPercent = 100
	// savePercent is the percentage while a large checkpoint is written. The
	// garbage of the writing must not make the process grow.
	savePercent = 20
)

// collector sets the percentage of the garbage collector.
type collector struct {
	percent int // the process's;0: it is not changed

	mu              sync.Mutex
	loading, saving int // parts
}

// during increments count until the caller calls over. It waits while the
// garbage collector runs.
func (c *collector) during(count *int) (over func()) {
	if c.percent == 0 {
		return func() {}
	}
	add := func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		before := c.due()
		if *count += n; c.due() != before {
			debug.SetGCPercent(c.due())
		}
	}
	add(1)
	return func() { add(-1) }
}

func (c *collector) due() int {
	switch {
	case c.loading > 0:
		return loadPercent
	case c.saving > 0:
		return min(savePercent, c.percent)
	}
	return c.percent
}

// whileLoading makes collections rare until all loading parts have called over.
// It does nothing if a part is judged already.
func (m *Monitor) whileLoading() (over func()) {
	for _, p := range m.all() {
		if p.view.state() != board.Loading {
			return func() {}
		}
	}
	return m.collector.during(&m.collector.loading)
}

// whileSaving makes collections frequent until over is called, if the part's
// checkpoints are large. If no other part is saved now, it collects at once.
// Otherwise the heap would be too large, and encoding the streams, which stops
// judging, would have to help the collector.
func (p *part) whileSaving() (over func()) {
	p.saver.mu.Lock()
	large := p.saver.bytes > largeSave || p.saver.last.IsZero()
	p.saver.mu.Unlock()
	if !large {
		return func() {}
	}
	c := &p.m.collector
	over = c.during(&c.saving)
	c.mu.Lock()
	first := c.percent > 0 && c.saving == 1
	c.mu.Unlock()
	if first {
		runtime.GC()
	}
	return over
}
