// Package monitor judges streams without end: it reads the parts that a source
// gives it, keeps what it knows in checkpoints, and tells what it finds.
package monitor

import (
	"context"
	"time"

	"tracecheck/trace"
)

// Position is where in a part the reading is, in the source's own words; "" is
// where it begins.
type Position string

// Source hands out parts, such as the partitions of a topic or a file.
type Source interface {
	// Run calls judge for each part that is this process's to judge, on a
	// goroutine of its own, and ends its ctx where the part is taken away; it
	// gives the part to nobody before judge has returned. It returns nil when ctx
	// ends, and an error where the source cannot be read on or judge has failed.
	Run(ctx context.Context, judge func(ctx context.Context, p Part) error) error
}

// Part is what one owner judges at a time, in order. No stream is in two of
// them.
type Part interface {
	// Name is unique and the same in each process and run, such as
	// "kafka:events/3".
	Name() string
	// Follow reads on from the position and calls take for each batch, from one
	// goroutine, waiting for what is still to come. It returns when ctx ends,
	// with its error; with that of take; or with why the part cannot be read on.
	Follow(ctx context.Context, from Position, take func(*Batch) error) error
}

// Saver is a Part that is told how far its checkpoints are, while it is read:
// others may want to see it.
type Saver interface {
	Saved(ctx context.Context, at Position)
}

// Resumer is a Part that is told, before it is read, of each stream that its
// checkpoint has, and of the meta line by which it is judged; "": none.
type Resumer interface {
	Resume(stream, meta string)
}

// Reporter is a Part that says how its source does, at any time and from any
// goroutine: there are no batches while nothing answers, nothing is to be read, or
// the judging waits.
type Reporter interface {
	// Report is about what is behind the position up to which it was judged, ""
	// being where the reading began.
	Report(at Position) Report
}

// Report is how a source does.
type Report struct {
	Heard time.Time // when it last answered, or was last there to be read; zero: not yet
	Lag   int64     // how much is still to be read, in Unit; less than 0: not known
	Unit  string    // as in a Batch
	Held  time.Time // since when all of that waits for the end of a transaction; zero: it does not
}

// Identified is a Part that knows more than its name of what it is a part of. It
// is asked once it is judged, at any time.
type Identified interface {
	Identity() Identity
}

// Identity is what a checkpoint is of, beside a part of that name; "" is not
// known.
type Identity struct {
	Cluster string `json:"cluster,omitempty"`
	Topic   string `json:"topic,omitempty"` // another one where a topic was deleted and created again
}

// Peer is a Part that this process gets together with others. None of them is read
// before the checkpoints of all are loaded: the alerts that are pending in these
// count before more are found.
type Peer interface {
	Gate() *Gate // of all of them; nil: there are no others
}

// Batch is some neighbouring events of a part. It lives until take returns.
type Batch struct {
	Events []trace.Event // in order
	Bad    []Bad         // what is no event, in order
	Missed *trace.Error  // events before the batch were deleted unread: of any stream; nil: none
	Next   Position      // to go on from when the batch is dealt with

	// At returns the position to go on from, in order to begin with the event, or
	// what is none, that is at the place in the batch. nil: the batch is dealt with
	// as one.
	At func(trace.Pos) Position

	Lag  int64  // how much is still to be read, in Unit; less than 0: not known
	Unit string // "messages", "bytes" or "events"
}

// Bad is an input that is no event. It owns its bytes.
type Bad struct {
	Before  int      // the index in Events that it comes before
	Streams []string // those that it may be of; none: any of the part's
	Err     *trace.Error
	Key     []byte // of a message; nil: none
	Raw     []byte // what it is, perhaps cut off; nil: not known
}
