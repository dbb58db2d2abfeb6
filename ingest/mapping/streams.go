package mapping

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

var streamKey = jsonKey("stream")

// Streams returns the streams that a malformed line may belong to. known is false if the
// line does not show them.
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

// stream returns the stream of the event, if its value can be computed.
func (e *event) stream(l *line) (name string, ok bool) {
	if len(e.members) == 0 || !bytes.Equal(e.members[0].key, streamKey) { // it is the first member, if it exists
		return "", true
	}
	out, err := appendEvent(nil, l, e.members[:1])
	if err != nil {
		return "", false
	}
	v := gjson.GetBytes(out, "stream")
	return v.Str, (v.Type == gjson.String || v.Type == gjson.Null) && trace.HalfPair(v.Raw) < 0
}
