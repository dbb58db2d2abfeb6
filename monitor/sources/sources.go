// Package sources has a monitor's sources: growing files, and live swarms.
package sources

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"tracecheck/monitor"
)

// run calls judge for the parts, as monitor.Source requires. This process owns
// them throughout.
func run(ctx context.Context, parts []monitor.Part, judge func(context.Context, monitor.Part) error) error {
	going, stop := context.WithCancel(ctx)
	defer stop()
	var wait sync.WaitGroup
	var once sync.Once
	var failed error
	for _, p := range parts {
		wait.Go(func() {
			if err := judge(going, p); err != nil && !(going.Err() != nil && errors.Is(err, going.Err())) {
				once.Do(func() { failed = err })
				stop()
			}
		})
	}
	wait.Wait()
	return failed
}

// patience is the first and the longest time before a retry.
type patience struct{ first, most time.Duration }

var defaultPatience = patience{500 * time.Millisecond, time.Minute}

// takeError is an error of the function that takes batches. It is not retried.
type takeError struct{ error }

// following reads a part from a position, and retries from where it stopped. It
// returns final errors.
type following func(ctx context.Context, from monitor.Position, take func(*monitor.Batch) error) (final bool, err error)

func (p patience) again(ctx context.Context, log *zap.Logger, from monitor.Position, take func(*monitor.Batch) error, follow following) error {
	for pause := p.first; ; pause = min(2*pause, p.most) {
		final, err := follow(ctx, from, func(b *monitor.Batch) error {
			if err := take(b); err != nil {
				return takeError{err}
			}
			from, pause = b.Next, p.first
			return nil
		})
		if failed, ok := errors.AsType[takeError](err); ok {
			return failed.error
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if final {
			return err
		}
		log.Warn("cannot be read; retrying", zap.Error(err), zap.Duration("in", pause))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
