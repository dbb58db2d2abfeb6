// Package monitor judges live streams. A [Source] hands out parts, such as the
// partitions of a Kafka topic. The monitor judges each part in order, saves its
// state in checkpoints, and sends alerts.
package monitor

import (
	"context"
	"time"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// Position is a place in a part, in the source's own format. "" is its start.
type Position string

// Source hands out parts, such as the partitions of a topic, or a file.
type Source interface {
	// Run calls judge for each part that this process owns, each on a goroutine
	// of its own. It ends the ctx of a part that is taken away, and waits for
	// judge before another process gets the part. It returns nil when ctx ends,
	// and an error if the source cannot be read or judge fails.
	Run(ctx context.Context, judge func(ctx context.Context, p Part) error) error
}

// Part has one owner at a time, who judges it in order. A stream is in one part
// only.
type Part interface {
	// Name is unique, and the same in each process and run, such as
	// "kafka:events/3".
	Name() string
	// Follow reads from the position, and waits for more at the end. It calls
	// take for each batch, from one goroutine. It returns ctx's error when ctx
	// ends, an error of take, or why the part cannot be read.
	Follow(ctx context.Context, from Position, take func(*Batch) error) error
}

// Saver is a Part that is notified of its checkpoints while it is read. Others
// may want to see how far they are.
type Saver interface {
	Saved(ctx context.Context, at Position)
}

// Resumer is a Part that learns, before it is read, each stream in its checkpoint, and the
// stream's meta line; "": none.
type Resumer interface {
	Resume(stream, meta string)
}

// Reporter is a Part that reports the state of its source, at any time and from
// any goroutine. Batches do not: there are none while the source is silent or
// judging waits.
type Reporter interface {
	// Report covers what follows the position up to which the part was judged.
	// "" is where reading began.
	Report(at Position) Report
}

// Report is the state of a source.
type Report struct {
	Answered time.Time // when it last answered, or the file last existed; zero: not yet
	Lag      int64     // what the source holds and the monitor has not judged, in Unit; less than 0: unknown
	Unit     string    // as in a Batch
	Blocked  time.Time // since when an open transaction blocks all of that; zero: none does
	Place    string    // what is read next, for people, such as "line 17"; "": unknown
	Away     string    // why there is nothing to read, such as "the file does not exist"; "": there is
}

// Identified is a Part that can identify its source. It is called at any time
// while it is judged.
type Identified interface {
	Identity() Identity
}

// Identity distinguishes sources that have parts with the same names; "" is unknown.
type Identity struct {
	Cluster string `json:"cluster,omitempty"`
	Topic   string `json:"topic,omitempty"` // it changes when a topic is deleted and created again
}

// Peer is a Part that this process owns together with others. None of them is
// read before the checkpoints of all are loaded. So the alerts pending in these
// count before more are found.
type Peer interface {
	Gate() *Gate // of all of them; nil: there are no others
}

// Batch is consecutive events of a part. It is valid until take returns.
type Batch struct {
	Events []trace.Event      // in order
	Bad    []ingest.Malformed // malformed records, in order
	Missed *trace.Error       // events before the batch were deleted unread, of any stream; nil: none
	Next   Position           // to resume from after the batch

	// At returns the position at which reading begins with the event or
	// malformed record at the given place. nil: the batch cannot be divided.
	At func(trace.Pos) Position

	Lag  int64  // what the source holds and the monitor has not judged, in Unit; less than 0: unknown
	Unit string // "messages", "bytes" or "events"
}
