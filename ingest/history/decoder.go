package history

import (
	"tracecheck/ingest"
	"tracecheck/trace"
)

// decoder returns a decoder for the kept lines.
func (r *Ring) decoder() ingest.LineDecoder {
	if r.Lines != nil {
		return r.Lines()
	}
	return &format1{}
}

// format1 reads lines of format 1.
type format1 struct{ trace.Decoder }

// Decode implements ingest.LineDecoder.
func (d *format1) Decode(events []trace.Event, line []byte, pos trace.Pos) ([]trace.Event, error) {
	events = append(events, trace.Event{})
	err := d.Decoder.Decode(line, pos, &events[len(events)-1])
	return events, err
}
