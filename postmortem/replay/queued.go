package replay

import (
	"slices"

	"github.com/tidwall/gjson"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// UpdateCluster's queued need not be logged. Once a stream has logged it, what a
// line leaves out means more than the merge patch says, and so must be written.

const queuedField = "queued"

// status is the request's; "" where no line has shown it.
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

// logging is a request as it must be shown first where the others do not say
// that the stream logs queued; nil: they do, or it does not.
func (s *Stream) logging(shown []*Object) *Object {
	i := slices.IndexFunc(shown, func(o *Object) bool { return o.Kind == kinds.Request })
	if !s.logsQueued || i < 0 || slices.ContainsFunc(shown, func(o *Object) bool { return o.Kind == kinds.Request && o.Get(queuedField) != "" }) {
		return nil
	}
	o := shown[i].clone()
	o.Fields = append(o.Fields, Field{queuedField, "false"})
	return o
}
