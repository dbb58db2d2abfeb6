package monitor

import (
	"sync/atomic"

	"go.uber.org/zap"
)

// fewEvents are judged at once: other goroutines would not be faster.
const fewEvents = 128

// ahead is about batches that are judged while the next ones are read.
type ahead struct {
	pushed   bool          // a batch was, since arrive; the part's mu guards it
	flying   atomic.Int64  // batches that are not judged yet
	reserved atomic.Int64  // events that have reserved room for alerts
	landed   chan struct{} // gets a value when no batch is left to judge
}

// later has the batch judged while the next ones are read, if it can be kept, and if there is
// room for its alerts. Otherwise all earlier batches are judged when it returns. Some events may
// then have room.
func (p *part) later(b *Batch) (is bool, reserved int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := &p.ahead
	n := len(b.Events)
	if b.Keep == nil || n < fewEvents || len(b.Bad) > 0 || b.Missed != nil {
		p.arrive()
		return false, 0
	}
	if p.runner.HasNews() {
		p.arrive()
	}
	if reserved, _ = p.m.opts.Outbox.Reserve(n); reserved < n {
		p.arrive()
		return false, reserved
	}
	p.keepLines(b, b.Events)
	a.pushed = true
	a.flying.Add(1)
	a.reserved.Add(int64(n))
	release := b.Keep()
	err := p.runner.PushLater(b.Events, func() {
		release()
		if !p.runner.HasNews() { // so this batch needs no room
			a.reserved.Add(-int64(n))
			p.m.opts.Outbox.Add(p.name, nil, n)
		}
		if a.flying.Add(-1) == 0 {
			select {
			case a.landed <- struct{}{}:
			default:
			}
		}
	})
	if err != nil {
		p.log.Error("cannot judge", zap.Error(err))
	}
	p.position = b.Next
	p.view.heard(b)
	return true, 0
}

// arrive waits until all batches are judged, and adds their alerts; p.mu is held.
func (p *part) arrive() {
	a := &p.ahead
	if !a.pushed {
		return
	}
	a.pushed = false
	if err := p.runner.Wait(); err != nil {
		p.log.Error("cannot judge", zap.Error(err))
	}
	p.m.opts.Outbox.Add(p.name, p.find(), int(a.reserved.Swap(0)))
}

// land is arrive when no batch is left to judge.
func (p *part) land() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ahead.flying.Load() == 0 {
		p.arrive()
	}
}

// lock locks the part between two batches.
func (p *part) lock() {
	p.mu.Lock()
	p.arrive()
}
