package raftlog

import (
	"bytes"
	"fmt"
	"time"

	"tracecheck/ingest/swarm/object"
)

// timeLayout always has microseconds, so all lines of a second have the same
// length.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// The operations that a trace of a log has.
const (
	opSnapshot = "snapshot"
	opCreate   = "create"
	opUpdate   = "update"
	opDelete   = "delete"
)

// line is one event of the trace. Object is nil for a deletion only. For an
// update without recorded changes it is empty.
type line struct {
	Stream string         `json:"stream,omitempty"`
	Seq    int64          `json:"seq,omitempty"`
	Time   string         `json:"time,omitempty"`
	Tx     uint64         `json:"tx,omitempty"`
	Kind   string         `json:"kind"`
	Op     string         `json:"op,omitempty"`
	ID     string         `json:"id,omitempty"`
	Object *object.Fields `json:"object,omitempty"`
}

// change is the change of one object. The data is nil for a deletion.
type change struct {
	op   string
	key  key
	data object.Fields
}

// scribe writes the lines of one stream.
type scribe struct {
	stream string
	seq    int64 // of the last numbered line
	buf    bytes.Buffer

	encoder object.Encoder
}

func (s *scribe) meta(limit *int64) error {
	about := object.Fields{
		"format":  1,
		"spec":    []string{"swarmkit", "portallocator"},
		"profile": "moby",
		"steps":   "batched", // agents' reports are gathered
	}
	if limit != nil {
		about["constants"] = object.Fields{"max_terminated": *limit}
	}
	return s.encode(line{Kind: "meta", Object: &about})
}

// snapshot writes the existing objects. The lines have no number: seq starts
// with the first change.
func (s *scribe) snapshot(list []change) error {
	for i := range list {
		c := &list[i]
		if err := s.encode(line{Kind: c.key.kind, Op: c.op, ID: c.key.id, Object: &c.data}); err != nil {
			return err
		}
	}
	return nil
}

// step writes the changes of one log entry.
func (s *scribe) step(entry uint64, at time.Time, list []change) error {
	var when string
	if !at.IsZero() {
		when = at.UTC().Format(timeLayout)
	}
	for i := range list {
		c := &list[i]
		s.seq++
		l := line{Seq: s.seq, Time: when, Tx: entry, Kind: c.key.kind, Op: c.op, ID: c.key.id}
		if c.op != opDelete {
			l.Object = &c.data
		}
		if err := s.encode(l); err != nil {
			return err
		}
	}
	return nil
}

// encode rejects an invalid event: a name that is not UTF-8, or an object
// without a name.
func (s *scribe) encode(l line) error {
	l.Stream = s.stream
	if err := s.encoder.Encode(&s.buf, l); err != nil {
		return fmt.Errorf("%s %q: %w", l.Kind, l.ID, err)
	}
	return nil
}
