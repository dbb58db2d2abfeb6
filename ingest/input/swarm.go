package input

import (
	"context"

	"go.uber.org/zap"

	"tracecheck/ingest/swarm"
	"tracecheck/internal/flagvalue"
)

// Swarm is a Source with the events of a live swarm, as record would write them.
type Swarm struct {
	Socket   string
	Duration flagvalue.Duration // 0: until ctx ends
	Log      *zap.Logger
}

// Read implements Source.
func (s *Swarm) Read(ctx context.Context, _ string, take func(Batch) error) error {
	ctx, cancel := flagvalue.Limited(ctx, s.Duration)
	defer cancel()
	source, err := swarm.Open(ctx, swarm.Options{Socket: s.Socket, Log: s.Log})
	if err != nil {
		return NotOpened{err}
	}
	lines := swarm.NewEvents(s.Socket)
	decoded := func(text []byte) error {
		events, err := lines.Decode(text)
		if err != nil {
			return err
		}
		return take(Batch{Events: events})
	}
	if err := decoded(source.Meta()); err != nil {
		return err
	}
	return source.Run(ctx, func(b swarm.Batch) error { return decoded(b.Lines) })
}

// Again implements Source.
func (s *Swarm) Again() bool { return false }
