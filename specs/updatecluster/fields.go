package updatecluster

import (
	"fmt"

	"tracecheck/trace"
)

// badFields marks fields that are outside their types. An object keeps such a
// mark until a later event gives the field a good value.
type badFields uint8

const (
	badStatusField badFields = 1 << iota
	badRankField
	badQueuedField
	badRequestField
	badCompleteField
	badLastField
	badConfField
)

// A field that a create or snapshot leaves out is bad, but for those that may
// be NULL or unlogged; under --attach, one that the first sight of an object
// leaves out is not known yet.
const (
	wholeRequest  = badStatusField
	unseenRequest = badStatusField | badRankField
	wholeCluster  = badCompleteField
)

// typed says of each field which mark it has and what its type is, in the order
// in which they are reported.
var typed = []struct {
	field trace.FieldName
	mark  badFields
	typ   string
}{
	{trace.FieldStatus, badStatusField, `{"waiting", "submitted", "rejected", "valid", "processing", "partial", "partialFailure", "success", "failure", "rolledback"}`},
	{trace.FieldRank, badRankField, "Int \\union {NULL} (an integer or null)"},
	{trace.FieldQueued, badQueuedField, "BOOLEAN"},
	{trace.FieldRequest, badRequestField, "Reqs \\union {NULL} (an id or null)"},
	{trace.FieldComplete, badCompleteField, "BOOLEAN"},
	{trace.FieldLastSubmitted, badLastField, "Int"},
	{trace.FieldConfOK, badConfField, "BOOLEAN"},
}

// mergeRequest overlays the fields onto v, and marks those that are outside
// their types.
func (s *state) mergeRequest(v *requestValue, fields trace.Fields) {
	for i := range fields {
		f := &fields[i]
		switch f.Name {
		case trace.FieldStatus:
			v.status = badStatus
			if f.Type == trace.String {
				v.status = parseStatus(f.Str)
			}
			v.mark(badStatusField, v.status == badStatus)
		case trace.FieldRank:
			v.rankValue = rankValue{}
			if f.Type == trace.Int {
				v.rankValue = rankValue{true, f.Int}
			}
			v.mark(badRankField, f.Type != trace.Int && f.Type != trace.Null)
		}
	}
	s.readQueued(v, fields.Get(trace.FieldQueued))
}

func (v *requestValue) mark(m badFields, isBad bool) {
	v.unseen &^= m
	v.bad &^= m
	if isBad {
		v.bad |= m
	}
}

// clusterLine is what one event says of the cluster.
type clusterLine struct {
	clusterValue
	last             int64
	logsLast         bool
	conf             ternary
	badLast, badConf bool
}

// merge overlays the fields. A null last_submitted or conf_ok is one left out.
func (c *clusterLine) merge(fields trace.Fields) {
	for i := range fields {
		f := &fields[i]
		switch f.Name {
		case trace.FieldRequest:
			c.request, c.hasRequest = "", f.Type == trace.String
			if c.hasRequest {
				c.request = f.Str
			}
			c.mark(badRequestField, f.Type != trace.String && f.Type != trace.Null)
		case trace.FieldComplete:
			c.complete = f.Type == trace.Bool && f.Int == 1
			c.mark(badCompleteField, f.Type != trace.Bool)
		case trace.FieldLastSubmitted:
			c.logsLast, c.last = f.Type != trace.Null, f.Int
			c.badLast = c.logsLast && f.Type != trace.Int
		case trace.FieldConfOK:
			c.conf = unknown
			if f.Type == trace.Bool {
				c.conf = ternaryOf(f.Int == 1)
			}
			c.badConf = f.Type != trace.Bool && f.Type != trace.Null
		}
	}
}

func (c *clusterLine) mark(m badFields, isBad bool) {
	c.bad &^= m
	if isBad {
		c.bad |= m
	}
}

// marks is every field that is outside its type.
func (c *clusterLine) marks() badFields {
	m := c.bad
	if c.badLast {
		m |= badLastField
	}
	if c.badConf {
		m |= badConfField
	}
	return m
}

// typeError says which field of the event has a value outside its type.
func typeError(ev *trace.Event, bad badFields) string {
	whole := ev.Op == trace.OpCreate || ev.Op == trace.OpSnapshot
	for i := range typed {
		t := &typed[i]
		if v := ev.Fields.Get(t.field); bad&t.mark != 0 && (whole || v.Type != trace.Absent) {
			return fmt.Sprintf("%s: %s %s is not in %s", named(ev), t.field, v, t.typ)
		}
	}
	return named(ev) + ": a value is outside its type"
}

// named names the event's object.
func named(ev *trace.Event) string {
	if ev.Kind == trace.KindCluster {
		return "the cluster"
	}
	return "request " + ev.ID
}
