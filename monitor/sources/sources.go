// Package sources is where a monitor's events come from: files that grow, and
// live swarms.
package sources

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"tracecheck/monitor"
)

// run has judge take the parts, which are this process's from start to end, as
// monitor.Source says.
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

// patience is how long to wait before what failed is tried again: first, and at
// most.
type patience struct{ first, most time.Duration }

var defaultPatience = patience{500 * time.Millisecond, time.Minute}

// takeError is an error of who takes the batches: it is not tried again.
type takeError struct{ error }

// following reads a part on from a position, and again when that fails, from where
// it has come to. An error that is final is returned.
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
		log.Warn("cannot be read now; it is tried again", zap.Error(err), zap.Duration("in", pause))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
