package object

import "time"

// The operations that a recording has.
const (
	OpSnapshot = "snapshot"
	OpCreate   = "create"
	OpUpdate   = "update"
	OpDelete   = "delete"
)

// timeLayout always has microseconds, so all lines of a second have the same
// length.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// Line is one line of the trace. Object is nil for a deletion only. For an
// update without recorded changes it is empty.
type Line struct {
	Stream string  `json:"stream,omitempty"`
	Seq    int64   `json:"seq,omitempty"`
	Time   string  `json:"time,omitempty"`
	Tx     any     `json:"tx,omitempty"`
	Kind   string  `json:"kind"`
	Op     string  `json:"op,omitempty"`
	ID     string  `json:"id,omitempty"`
	Object *Fields `json:"object,omitempty"`
}

// Line is the line of the change, without a number and a transaction. A zero
// time is left out.
func (c *Change) Line(stream string, at time.Time) Line {
	l := Line{Stream: stream, Kind: c.Key.Kind, Op: c.Op, ID: c.Key.ID}
	if !at.IsZero() {
		l.Time = at.UTC().Format(timeLayout)
	}
	if c.Op != OpDelete {
		l.Object = &c.Data
	}
	return l
}

// Meta is the first line of a recording. Without a history limit, the specs'
// default holds.
func Meta(stream string, limit *int64) Line {
	about := Fields{
		"format":  1,
		"spec":    []string{"swarmkit", "portallocator"},
		"profile": "moby",
		"steps":   "batched", // agents' reports are gathered
	}
	if limit != nil {
		about["constants"] = Fields{"max_terminated": *limit}
	}
	return Line{Stream: stream, Kind: "meta", Object: &about}
}
