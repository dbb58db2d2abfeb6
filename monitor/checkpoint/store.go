// Package checkpoint keeps what a monitor knows of each part, so that it or
// another one can go on from exactly there.
package checkpoint

import "context"

// Store keeps the checkpoints of parts. Parts are saved side by side, each by
// one goroutine at a time.
type Store interface {
	// Open takes the part over and returns its last checkpoint that is whole,
	// nil if there is none. What an earlier owner of the part still saves does
	// not count from then on.
	Open(ctx context.Context, part string) (Part, error)
	Close() error
}

// Part is the checkpoints of one part.
type Part interface {
	// Load yields the last checkpoint: first its head, then each stream.
	// It reports whether there is one.
	Load(ctx context.Context, head func([]byte) error, stream func(name string, state []byte) error) (bool, error)
	// Save makes a checkpoint: of the last one, the head and some streams are
	// replaced, all or nothing. An error leaves the last one as it was.
	Save(ctx context.Context, c *Change) error
	// Close gives the part up. The checkpoint stays.
	Close() error
}

// Change is what is new in a checkpoint. The first that an owner saves is full.
type Change struct {
	Head    []byte
	Streams []Stream
	Full    bool // Streams are all there are: others are forgotten
}

// Stream is the state of one stream, or another record that has a name of its
// own. An empty state deletes it.
type Stream struct {
	Name  string
	State []byte
}

// Bytes is the size of the change.
func (c *Change) Bytes() int {
	n := len(c.Head)
	for i := range c.Streams {
		n += len(c.Streams[i].Name) + len(c.Streams[i].State)
	}
	return n
}
