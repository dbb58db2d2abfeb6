package kafka

import (
	"fmt"
	"strings"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// Assignment is the partition of each stream. In two partitions, the order of a
// stream's events is not known.
type Assignment map[string]string

// Of returns the file that a stream is assigned to: the one that it was first seen in,
// which is this one if it is new.
func (a Assignment) Of(stream, file string) string {
	assigned, known := a[stream]
	if !known {
		a[strings.Clone(stream)] = file
		return file
	}
	return assigned
}

// Check returns the first message of the batch with a stream that was seen in another
// partition, or nil.
func (a Assignment) Check(b *Batch) *ingest.Malformed {
	for _, s := range b.Streams {
		if assigned := a.Of(s.Stream, b.File); assigned != b.File {
			stream, pos := strings.Clone(s.Stream), b.Events[s.Event].Pos
			return &ingest.Malformed{Before: s.Event, Last: pos.Number(), Streams: []string{stream}, Err: Split(pos, stream, assigned)}
		}
	}
	return nil
}

// Split is the error for an event of a stream that is assigned to another partition.
func Split(pos trace.Pos, stream, assigned string) *trace.Error {
	return &trace.Error{Pos: pos, Stream: stream, Reason: fmt.Sprintf(
		"%s is in %s too, and the order between two partitions is not known: give all messages of a stream the same key, and the topic a constant number of partitions",
		trace.StreamName(stream), trace.Pos{File: assigned})}
}
