package kafka

import (
	"context"
	"net"
	"sync"
)

// wires are connections that can all be closed at once: the library never stops waiting for
// an answer.
type wires struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	mu   sync.Mutex
	all  map[*link]bool
	over bool
}

type link struct {
	net.Conn
	of *wires
}

func (w *wires) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := w.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		conn.Close()
		return nil, net.ErrClosed
	}
	if w.all == nil {
		w.all = map[*link]bool{}
	}
	one := &link{conn, w}
	w.all[one] = true
	return one, nil
}

// Close also removes the connection from the list.
func (c *link) Close() error {
	c.of.mu.Lock()
	delete(c.of.all, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// cut closes all connections, and prevents new ones.
func (w *wires) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	for c := range w.all {
		c.Conn.Close() // a request in progress gets an error
	}
}
