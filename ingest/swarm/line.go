package swarm

import (
	"bytes"
	"errors"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/swarm/object"
	"tracecheck/trace"
)

// timeLayout always has microseconds, so all lines of a second have the same
// length.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// The operations that a recording has.
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
	Tx     any            `json:"tx,omitempty"`
	Kind   string         `json:"kind"`
	Op     string         `json:"op,omitempty"`
	ID     string         `json:"id,omitempty"`
	Object *object.Fields `json:"object,omitempty"`
}

// change is the change of one object.
type change struct {
	op   string
	key  key
	data object.Fields // nil in a deletion
}

// scribe writes the lines of one stream.
type scribe struct {
	stream string
	seq    int64 // of the last line
	buf    bytes.Buffer
	log    *zap.Logger

	encoder object.Encoder
}

// transaction returns the lines of one step, after the meta line if there is
// one.
func (s *scribe) transaction(meta []byte, tx any, at time.Time, list []change) []byte {
	s.buf.Reset()
	s.buf.Write(meta)
	for _, c := range list {
		s.seq++
		l := line{
			Stream: s.stream, Seq: s.seq, Time: at.UTC().Format(timeLayout), Tx: tx,
			Kind: c.key.kind, Op: c.op, ID: c.key.id,
		}
		if c.op != opDelete {
			l.Object = &c.data
		}
		s.encode(l)
	}
	return s.buf.Bytes()
}

// snapshot returns the lines of a run of snapshots. After a gap it skips a
// number, so that a reader drops its state, with objects that vanished
// meanwhile. So the first lines need numbers, too.
func (s *scribe) snapshot(meta []byte, at time.Time, list []change, gap bool) []byte {
	if gap {
		s.seq++
	}
	return s.transaction(meta, nil, at, list)
}

// encode also writes a line that will be rejected.
func (s *scribe) encode(l line) {
	err := s.encoder.Encode(&s.buf, l)
	if _, refused := errors.AsType[*trace.Error](err); refused {
		s.log.Warn("the recording cannot be judged from this line on", zap.String("kind", l.Kind), zap.String("id", l.ID),
			zap.Int64("seq", l.Seq), zap.Error(err))
	} else if err != nil {
		panic("swarm: a line of strings and numbers does not encode: " + err.Error())
	}
}

func metaLine(stream string, limit int64) []byte {
	s := scribe{stream: stream}
	s.encode(line{Stream: stream, Kind: "meta", Object: &object.Fields{
		"format":    1,
		"spec":      []string{"swarmkit", "portallocator"},
		"profile":   "moby",
		"steps":     "batched", // agents' reports are gathered
		"constants": object.Fields{"max_terminated": limit},
	}})
	return s.buf.Bytes()
}
