package service

import (
	"context"
	"sync"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/ingest/mapping"
	"tracecheck/monitor"
	"tracecheck/trace"
)

// mapped is a source of files in another format. Rules turn their lines into events.
type mapped struct {
	files monitor.Source
	rules *mapping.Rules
	log   *zap.Logger

	mu     sync.Mutex
	counts mapping.Counts
}

func (m *mapped) decoder() ingest.LineDecoder { return m.rules.Decoder() }

// read adds the counts of the lines.
func (m *mapped) read(lines ingest.LineDecoder) {
	if d, ok := lines.(*mapping.Decoder); ok {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.counts.Add(&d.Counts)
	}
}

// Run implements monitor.Source.
func (m *mapped) Run(ctx context.Context, judge func(context.Context, monitor.Part) error) error {
	err := m.files.Run(ctx, func(ctx context.Context, p monitor.Part) error {
		return judge(ctx, &mappedPart{p.(follower), m.rules.Opening()})
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log.Info("lines that no rule matched", zap.Int("count", m.counts.Unmapped))
	return err
}

// mappedPart puts the rules' meta line before the first event of each stream. After a
// restart it does so only if the meta line has changed.
type mappedPart struct {
	follower
	opening *mapping.Opening
}

// follower has all optional interfaces of a followed file.
type follower interface {
	monitor.Part
	monitor.Reporter
	monitor.Peer
}

// Resume implements monitor.Resumer.
func (p *mappedPart) Resume(stream, meta string) { p.opening.Resume(stream, meta) }

func (p *mappedPart) Follow(ctx context.Context, from monitor.Position, take func(*monitor.Batch) error) error {
	var all []trace.Event
	return p.follower.Follow(ctx, from, func(b *monitor.Batch) error {
		own, inserted := 0, []int{} // before which of the batch's events
		all = all[:0]
		err := p.opening.Each(b.Events, func(events []trace.Event) error {
			if len(events) == 1 && events[0].Kind == trace.KindMeta {
				inserted = append(inserted, own)
			} else {
				own += len(events)
			}
			all = append(all, events...)
			return nil
		})
		if err != nil {
			return err
		}
		opened := *b
		opened.Events, opened.Bad = all, append([]ingest.Malformed(nil), b.Bad...)
		for i := range opened.Bad {
			for _, at := range inserted {
				if at < b.Bad[i].Before {
					opened.Bad[i].Before++
				}
			}
		}
		return take(&opened)
	})
}
