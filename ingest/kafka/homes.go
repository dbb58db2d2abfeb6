package kafka

import (
	"fmt"
	"strings"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// Homes knows the partition of each stream. In two partitions, the order of a
// stream's events is not known.
type Homes map[string]string

// Of returns the home of a stream that was seen in the file, which is its home if
// it has none yet.
func (h Homes) Of(stream, file string) string {
	home, known := h[stream]
	if !known {
		h[strings.Clone(stream)] = file
		return file
	}
	return home
}

// Check returns the first stream of the batch that was seen in another
// partition, as the bad message that shows it; nil if there is none.
func (h Homes) Check(b *Batch) *ingest.Malformed {
	for _, s := range b.Streams {
		if home := h.Of(s.Stream, b.File); home != b.File {
			stream, pos := strings.Clone(s.Stream), b.Events[s.Event].Pos
			return &ingest.Malformed{Before: s.Event, Last: pos.Number(), Streams: []string{stream}, Err: Split(pos, stream, home)}
		}
	}
	return nil
}

// Split says that an event's stream is in another partition too, its home.
func Split(pos trace.Pos, stream, home string) *trace.Error {
	return &trace.Error{Pos: pos, Stream: stream, Reason: fmt.Sprintf(
		"%s is in %s too, and the order of what lies in two partitions is not known: give all messages of a stream the same key, and the topic a constant number of partitions",
		trace.StreamName(stream), trace.Pos{File: home})}
}
