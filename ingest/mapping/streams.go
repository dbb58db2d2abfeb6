package mapping

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

var streamKey = jsonKey("stream")

// Streams are those of the events that a line cannot be made into: known is
// false where the line does not say.
func (d *Decoder) Streams(text []byte) (streams []string, known bool) {
	json, reason := d.read(text)
	if reason != "" {
		return nil, false
	}
	d.line.set(string(json))
	for i := range d.rules.rules {
		r := &d.rules.rules[i]
		if r.when != nil && !r.when.holds(&d.line) {
			continue
		}
		for j := range r.events {
			s, ok := r.events[j].stream(&d.line)
			if !ok {
				return nil, false
			}
			if !slices.Contains(streams, s) {
				streams = append(streams, s)
			}
		}
		return streams, true
	}
	return nil, false
}

// stream is the event's, if it can be made.
func (e *event) stream(l *line) (name string, ok bool) {
	if len(e.members) == 0 || !bytes.Equal(e.members[0].key, streamKey) { // the first, if there is one
		return "", true
	}
	out, err := appendEvent(nil, l, e.members[:1])
	if err != nil {
		return "", false
	}
	v := gjson.GetBytes(out, "stream")
	return v.Str, (v.Type == gjson.String || v.Type == gjson.Null) && trace.HalfPair(v.Raw) < 0
}
