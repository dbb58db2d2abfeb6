package kafka

import (
	"fmt"
	"strings"

	"tracecheck/trace"
)

// Homes knows the partition of each stream. In two partitions, the order of a
// stream's events is not known.
type Homes map[string]string

// Check returns the first stream of the batch that was seen in another
// partition, as the bad message that shows it; nil if there is none.
func (h Homes) Check(b *Batch) *Bad {
	for _, s := range b.Streams {
		home, known := h[s.Stream]
		switch {
		case !known:
			h[strings.Clone(s.Stream)] = b.File
		case home != b.File:
			stream := strings.Clone(s.Stream)
			pos := b.Events[s.Event].Pos
			return &Bad{Before: s.Event, Last: pos.Number(), Streams: []string{stream}, Err: &trace.Error{
				Pos: pos, Stream: stream, Reason: fmt.Sprintf(
					"%s is in %s too, and the order of what lies in two partitions is not known: give all messages of a stream the same key, and the topic a constant number of partitions",
					trace.StreamName(stream), trace.Pos{File: home}),
			}}
		}
	}
	return nil
}
