package mapping

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// Decoder turns foreign lines into events. It reuses its memory, like trace.Decoder, and is
// for one goroutine.
type Decoder struct {
	Counts // of the lines since Reset

	rules *Rules
	line  line
	inner trace.Decoder
	json  []byte // the line as JSON, if the log has another format
	out   []byte // the lines of the events, which refer to them
}

// Counts has the numbers of foreign lines.
type Counts struct {
	Lines    int
	Matched  []int // by rule
	Unmapped int   // those that no rule matches
	Events   int
}

// Add adds the counts of other lines.
func (c *Counts) Add(other *Counts) {
	c.Lines += other.Lines
	c.Unmapped += other.Unmapped
	c.Events += other.Events
	if c.Matched == nil {
		c.Matched = make([]int, len(other.Matched))
	}
	for i, n := range other.Matched {
		c.Matched[i] += n
	}
}

// keptBytes is the largest buffer that is reused, in bytes.
const keptBytes = 1 << 20

// Decoder returns a new decoder.
func (r *Rules) Decoder() *Decoder {
	return &Decoder{rules: r, line: newLine(r), inner: trace.Decoder{Shapes: &trace.Shapes{}}, Counts: Counts{Matched: make([]int, len(r.rules))}}
}

// Reset reuses the memory of all events decoded so far, which become invalid.
func (d *Decoder) Reset() {
	if d.inner.Reset(); cap(d.out) > keptBytes {
		d.out = nil
	}
	if cap(d.json) > keptBytes {
		d.json = nil
	}
	d.out = d.out[:0]
	clear(d.Matched)
	d.Counts = Counts{Matched: d.Matched}
}

// Decode appends the events of the line to events, all with its position. They refer to
// the bytes of the line and the Decoder. An error is a *trace.Error.
func (d *Decoder) Decode(events []trace.Event, text []byte, pos trace.Pos) ([]trace.Event, error) {
	events, _, err := d.Map(events, text, pos)
	return events, err
}

// Map is Decode, and also returns the index of the matching rule, or -1.
func (d *Decoder) Map(events []trace.Event, text []byte, pos trace.Pos) ([]trace.Event, int, error) {
	d.Lines++
	text, reason := d.read(text)
	if reason != "" {
		return events, -1, &trace.Error{Pos: pos, Reason: reason}
	}
	d.line.set(unsafe.String(unsafe.SliceData(text), len(text)))
	for i := range d.rules.rules {
		r := &d.rules.rules[i]
		if r.when != nil && !r.when.holds(&d.line) {
			continue
		}
		d.Matched[i]++
		n := len(events)
		for j := range r.events {
			var err error
			if events, err = d.event(events, r, &r.events[j], pos); err != nil {
				return events[:n], i, err
			}
		}
		d.Events += len(r.events)
		return events, i, nil
	}
	d.Unmapped++
	return events, -1, nil
}

// event writes the line of one event, and decodes it.
func (d *Decoder) event(events []trace.Event, r *rule, e *event, pos trace.Pos) ([]trace.Event, error) {
	start := len(d.out)
	out, err := appendEvent(d.out, &d.line, e.members)
	if err != nil {
		return events, d.refuse(r, e, pos, err.Error())
	}
	// The events of one line are one step.
	joined := len(r.events) > 1
	if joined && !e.tx {
		out = appendTx(out, pos)
	}
	n := len(events)
	events = append(events, trace.Event{})
	ev := &events[n]
	err = d.inner.Decode(out[start:len(out):len(out)], pos, ev)
	if err == nil && joined && !ev.Tx.IsSet() { // it has no tx
		out = appendTx(out, pos)
		err = d.inner.Decode(out[start:len(out):len(out)], pos, ev)
	}
	d.out = out
	if err != nil {
		reason := err.Error()
		if te, ok := errors.AsType[*trace.Error](err); ok {
			reason = te.Reason
		}
		return events[:n], d.refuse(r, e, pos, fmt.Sprintf("its result for the line is not an event: %s: %s", reason, excerpt(string(out[start:]))))
	}
	return events, nil
}

// appendTx adds a tx to the event at the end of line: the position.
func appendTx(line []byte, pos trace.Pos) []byte {
	line = append(line[:len(line)-1], `,"tx":`...)
	return append(gjson.AppendJSONString(line, pos.String()), '}')
}

func (d *Decoder) refuse(r *rule, e *event, pos trace.Pos, reason string) error {
	return &trace.Error{Pos: pos, Reason: fmt.Sprintf("%s (%s:%d): %s", r, d.rules.File, e.line, reason)}
}
