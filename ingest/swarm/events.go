package swarm

import (
	"bytes"

	"tracecheck/trace"
)

// Events decodes a recording's lines, and numbers them like the lines of a
// file.
type Events struct {
	pos     trace.Pos
	decoder trace.Decoder
	events  []trace.Event
}

// NewEvents returns a decoder of a recording's lines, from line 1 on. Positions have the file.
func NewEvents(file string) *Events {
	return &Events{pos: trace.Pos{File: file}}
}

// Decode returns the events of whole lines. They are valid until the next call,
// and while the lines are.
func (r *Events) Decode(lines []byte) ([]trace.Event, error) {
	r.decoder.Reset()
	r.events = r.events[:0]
	for line := range bytes.Lines(lines) {
		r.pos.Line++
		n := len(r.events)
		r.events = append(r.events, trace.Event{})
		if err := r.decoder.Decode(bytes.TrimSuffix(line, []byte{'\n'}), r.pos, &r.events[n]); err != nil {
			return nil, err
		}
	}
	return r.events, nil
}
