// Package checkpoint saves the state of each part, so that any monitor can
// resume from exactly there.
package checkpoint

import (
	"context"
	"iter"
)

// Store stores the checkpoints of parts. Different parts may be saved in
// parallel. One goroutine at a time saves a part.
type Store interface {
	// Open takes the part over. Once this owner has saved, nothing that an
	// earlier owner still saves has an effect.
	Open(ctx context.Context, part string) (Part, error)
	Close() error
}

// Part is the checkpoints of one part.
type Part interface {
	// Load yields the last checkpoint: first its head, then each stream. A
	// state is valid until the call returns. Load reports whether there is a
	// checkpoint. If the last one is damaged, it yields the previous one, and
	// Damage is set. If both are damaged, it yields nothing and returns an
	// error.
	Load(ctx context.Context, head func([]byte) error, stream func(name string, state []byte) error) (bool, error)
	// Damage is the damaged checkpoint that Load has skipped; nil: none.
	Damage() error
	// Whole reports whether the next Save must have all streams. It must after
	// a failed Save, and in the first Save of an owner that has not loaded. It
	// may in any first Save.
	Whole() bool
	// Save writes a checkpoint: it replaces the head and some streams of the
	// last one, or all, atomically. After an error the checkpoint is the last
	// one, or possibly this one. Save reads the streams one by one, and keeps
	// no state in memory.
	Save(ctx context.Context, c *Change) error
	// Close releases the part. The checkpoint stays.
	Close() error
}

// Change is what changes in a checkpoint.
type Change struct {
	Head    []byte
	Streams iter.Seq[Stream] // yields each once, and can be read once; nil: none
	Whole   bool             // there are no other streams
	Failed  func() error     // after Streams: why it ended early; nil: it never does
}

// Stream is the state of a stream.
type Stream struct {
	Name  string
	State []byte // nil: the stream is deleted
}

// Each yields the streams. A state is valid until yield returns.
func (c *Change) Each(yield func(Stream) bool) {
	if c.Streams != nil {
		c.Streams(yield)
	}
}

// Err returns why Each ended early, nil if it did not.
func (c *Change) Err() error {
	if c.Failed == nil {
		return nil
	}
	return c.Failed()
}
