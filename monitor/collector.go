package monitor

import (
	"runtime"
	"runtime/debug"
	"sync"

	"tracecheck/monitor/board"
)

const (
	// loadPercent is the garbage collector's percentage while checkpoints are loaded
	// and nothing is judged yet: almost all that is allocated then stays, and to look
	// for garbage as it grows takes longer than the loading.
	loadPercent = 100
	// savePercent is that while a large checkpoint is written, which makes garbage
	// while events are judged: the process is to take no more memory then.
	savePercent = 20
)

// collector sets how often the garbage collector comes.
type collector struct {
	percent int // the process's; 0: the garbage collector is left alone

	mu              sync.Mutex
	loading, saving int // parts
}

// during counts one more, until the caller calls what it returns. It waits for
// the garbage collector where that is at work.
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

// whileLoading has the garbage collector come rarely until all that are loading
// have called what it returns, unless a part is judged already.
func (m *Monitor) whileLoading() (over func()) {
	for _, p := range m.all() {
		if p.view.state() != board.Loading {
			return func() {}
		}
	}
	return m.collector.during(&m.collector.loading)
}

// whileSaving has the garbage collector come often, if the part's checkpoints are
// large, until what it returns is called. It comes now, where no other part is being
// saved: else the heap would be larger than it may be, and who notes the streams,
// while the judging stops, would have to help the collector.
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
