package monitor

import (
	"context"
	"sync"
)

// Gate opens when a given number of parts have come to it.
type Gate struct {
	mu   sync.Mutex
	left int
	open chan struct{}
}

// NewGate returns a gate for the given number of parts, at least 1.
func NewGate(parts int) *Gate { return &Gate{left: parts, open: make(chan struct{})} }

// come counts one more part that the others need not wait for.
func (g *Gate) come() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.left--; g.left == 0 {
		close(g.open)
	}
}

// gate returns two functions. come reports that the part is loaded, or never will be. wait
// then waits for its peers.
func gate(src Part) (come func(), wait func(context.Context) error) {
	p, ok := src.(Peer)
	if !ok || p.Gate() == nil {
		return func() {}, func(context.Context) error { return nil }
	}
	g := p.Gate()
	come = sync.OnceFunc(g.come)
	return come, func(ctx context.Context) error {
		come()
		select {
		case <-g.open:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
