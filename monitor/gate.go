package monitor

import (
	"context"
	"sync"
)

// Gate opens when so many parts have come to it.
type Gate struct {
	mu   sync.Mutex
	left int
	open chan struct{}
}

// NewGate makes one for so many parts, at least one.
func NewGate(parts int) *Gate { return &Gate{left: parts, open: make(chan struct{})} }

// come says that one part more need not be waited for.
func (g *Gate) come() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.left--; g.left == 0 {
		close(g.open)
	}
}

// gate returns what says that the part is loaded, or never will be, and what then
// waits for its peers.
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
