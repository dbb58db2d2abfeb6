package ingest

import "tracecheck/trace"

// Malformed is a malformed record: a line, a message, or a batch of messages as Kafka
// stores it. It owns its bytes.
type Malformed struct {
	Before  int      // the index in the batch's events of the event after it
	Last    int64    // for messages: the last offset
	Streams []string // streams that it may belong to; none: any of the source's
	Err     *trace.Error
	Key     []byte // the key of a message; nil: none
	Raw     []byte // its bytes, perhaps truncated; nil: unknown
}
