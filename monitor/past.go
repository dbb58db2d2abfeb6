package monitor

import (
	"context"
	"slices"
	"sync"
	"time"

	"tracecheck/monitor/board"
)

// past has the samples of the last hours.
type past struct {
	mu   sync.Mutex
	ring []board.Sample
	next int // the place of the next sample, once the ring is full

	since              time.Time // of the counts, which are as of the last sample
	events, violations int64
}

// add makes a sample of what has happened since the last one. The first call only counts.
func (p *past) add(now time.Time, o *board.Overview) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := board.Sample{At: now, Lag: -1}
	var violations int64
	for _, c := range o.Counted.ByRule {
		violations += c.Count
	}
	for i := range o.Parts {
		if lag := o.Parts[i].Lag; lag >= 0 {
			s.Lag = max(0, s.Lag) + lag
		}
	}
	first := p.since.IsZero()
	s.Violations = violations - p.violations
	if elapsed := now.Sub(p.since).Seconds(); elapsed > 0 {
		s.Rate = float64(o.Counted.Events-p.events) / elapsed
	}
	p.since, p.events, p.violations = now, o.Counted.Events, violations
	switch {
	case first:
	case len(p.ring) < board.MostSamples:
		p.ring = append(p.ring, s)
	default:
		p.ring[p.next] = s
		p.next = (p.next + 1) % len(p.ring)
	}
}

func (p *past) list() []board.Sample {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Concat(p.ring[p.next:], p.ring[:p.next])
}

// Past implements board.Board.
func (m *Monitor) Past() []board.Sample { return m.past.list() }

// remember makes samples until ctx ends.
func (m *Monitor) remember(ctx context.Context) {
	tick := time.NewTicker(board.SampleEvery)
	defer tick.Stop()
	for now := time.Now(); ; {
		o := m.Overview()
		m.past.add(now, &o)
		select {
		case now = <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
