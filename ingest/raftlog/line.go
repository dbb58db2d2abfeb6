package raftlog

import (
	"bytes"
	"fmt"
	"time"

	"tracecheck/ingest/swarm/object"
)

// scribe writes the lines of one stream.
type scribe struct {
	stream string
	seq    int64 // of the last numbered line
	buf    bytes.Buffer

	encoder object.Encoder
}

func (s *scribe) meta(limit *int64) error { return s.encode(object.Meta(s.stream, limit)) }

// snapshot writes the existing objects. The lines have no number: seq starts
// with the first change.
func (s *scribe) snapshot(list []object.Change) error {
	for i := range list {
		if err := s.encode(list[i].Line(s.stream, time.Time{})); err != nil {
			return err
		}
	}
	return nil
}

// step writes the changes of one log entry.
func (s *scribe) step(entry uint64, at time.Time, list []object.Change) error {
	for i := range list {
		s.seq++
		l := list[i].Line(s.stream, at)
		l.Seq, l.Tx = s.seq, entry
		if err := s.encode(l); err != nil {
			return err
		}
	}
	return nil
}

// encode rejects an invalid event: a name that is not UTF-8, or an object
// without a name.
func (s *scribe) encode(l object.Line) error {
	if err := s.encoder.Encode(&s.buf, l); err != nil {
		return fmt.Errorf("%s %q: %w", l.Kind, l.ID, err)
	}
	return nil
}
