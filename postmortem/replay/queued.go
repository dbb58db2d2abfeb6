package replay

import (
	"slices"

	"github.com/tidwall/gjson"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// UpdateCluster's queued need not be logged. Once a stream has logged it, a line without it
// has a meaning beyond the merge patch. So it must then be written.

const queuedField = "queued"

// status returns the request's status, "" if no line has shown it.
func (o *Object) status() string { return gjson.Parse(o.Get(fieldStatus.String())).Str }

// settleQueued completes a request of which the event has been merged; status is
// the one before. The field stays out where it is open: in a stream that does
// not log it, of a valid request that a snapshot shows without it, and of one
// that was open and valid.
func (s *Stream) settleQueued(o *Object, ev *trace.Event, status string) {
	line := ev.Fields.Get(fieldQueued).Type
	s.logsQueued = s.logsQueued || line != trace.Absent && line != trace.Null
	if !s.logsQueued || o.Get(queuedField) != "" {
		return
	}
	if ev.Op == trace.OpSnapshot {
		status = o.status()
	}
	if line == trace.Null || status != "valid" {
		o.Fields = append(o.Fields, Field{queuedField, "false"})
	}
}

// logging returns a request that must be written first, to show that the stream logs queued.
// nil: the other lines show it, or the stream does not log it.
func (s *Stream) logging(shown []*Object) *Object {
	i := slices.IndexFunc(shown, func(o *Object) bool { return o.Kind == kinds.Request })
	if !s.logsQueued || i < 0 || slices.ContainsFunc(shown, func(o *Object) bool { return o.Kind == kinds.Request && o.Get(queuedField) != "" }) {
		return nil
	}
	o := shown[i].clone()
	o.Fields = append(o.Fields, Field{queuedField, "false"})
	return o
}
