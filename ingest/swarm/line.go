package swarm

import (
	"bytes"
	"errors"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/swarm/object"
	"tracecheck/trace"
)

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
func (s *scribe) transaction(meta []byte, tx any, at time.Time, list []object.Change) []byte {
	s.buf.Reset()
	s.buf.Write(meta)
	for i := range list {
		s.seq++
		l := list[i].Line(s.stream, at)
		l.Seq, l.Tx = s.seq, tx
		s.encode(l)
	}
	return s.buf.Bytes()
}

// snapshot returns the lines of a run of snapshots. After a gap it skips a
// number, so that a reader drops its state, with objects that vanished
// meanwhile. So the first lines need numbers, too.
func (s *scribe) snapshot(meta []byte, at time.Time, list []object.Change, gap bool) []byte {
	if gap {
		s.seq++
	}
	return s.transaction(meta, nil, at, list)
}

// encode also writes a line that will be rejected.
func (s *scribe) encode(l object.Line) {
	err := s.encoder.Encode(&s.buf, l)
	if _, refused := errors.AsType[*trace.Error](err); refused {
		s.log.Warn("the recording cannot be judged from this line on", zap.String("kind", l.Kind), zap.String("id", l.ID),
			zap.Int64("seq", l.Seq), zap.Error(err))
	} else if err != nil {
		panic("swarm: a line of strings and numbers does not encode: " + err.Error())
	}
}

func metaLine(stream string, limit int64) []byte {
	var s scribe
	s.encode(object.Meta(stream, &limit))
	return s.buf.Bytes()
}
