// Package checkpoint keeps what a monitor knows of each part, so that it or
// another one can go on from exactly there.
package checkpoint

import (
	"context"
	"iter"
)

// Store keeps the checkpoints of parts. Parts are saved side by side, each by
// one goroutine at a time.
type Store interface {
	// Open takes the part over. What an earlier owner of it still saves does not
	// count once this one has saved.
	Open(ctx context.Context, part string) (Part, error)
	Close() error
}

// Part is the checkpoints of one part.
type Part interface {
	// Load yields the last checkpoint: first its head, then each stream, whose
	// state lives until the call returns. It reports whether there is one. Where
	// the last is damaged, it yields the one before it, and Damage says so; where
	// that is damaged, too, it yields nothing and returns an error.
	Load(ctx context.Context, head func([]byte) error, stream func(name string, state []byte) error) (bool, error)
	// Damage is what Load has found damaged and passed over; nil: nothing.
	Damage() error
	// Whole reports whether the next Save must be of all streams. It must where
	// the last one failed, and for the first of an owner that has not loaded what
	// there is; it may for the first of any.
	Whole() bool
	// Save makes a checkpoint: of the last one, the head and some streams are
	// replaced, or all; all of that or nothing. After an error the checkpoint is
	// the last one, or this one where that could not be learned. It takes the
	// streams as they come, and keeps none of their states in memory.
	Save(ctx context.Context, c *Change) error
	// Close gives the part up. The checkpoint stays.
	Close() error
}

// Change is what is new in a checkpoint.
type Change struct {
	Head    []byte
	Streams iter.Seq[Stream] // yields each once, and can be gone through once; nil: none
	Whole   bool             // there are no other streams
}

// Stream is the state of one.
type Stream struct {
	Name  string
	State []byte // nil: there is no such stream any more
}

// Each yields the streams, whose states live until yield returns.
func (c *Change) Each(yield func(Stream) bool) {
	if c.Streams != nil {
		c.Streams(yield)
	}
}
