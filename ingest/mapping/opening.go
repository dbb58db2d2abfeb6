package mapping

import (
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// Opening puts the rules' meta line before the first event of each stream.
type Opening struct {
	rules *Rules
	seen  map[string]bool
	last  string
}

// Opening returns a new Opening, for one pass over a log.
func (r *Rules) Opening() *Opening { return &Opening{rules: r, seen: map[string]bool{}} }

// Each calls do with the events, in order, and with a meta line before the first event of a
// stream. The position of a meta line is that of meta in the rules file.
func (o *Opening) Each(events []trace.Event, do func([]trace.Event) error) error {
	if o.rules.meta == nil {
		return do(events)
	}
	from := 0
	for i := range events {
		stream := events[i].Stream
		if stream == o.last && len(o.seen) > 0 || o.seen[stream] {
			continue
		}
		if i > from {
			if err := do(events[from:i]); err != nil {
				return err
			}
		}
		from = i
		o.last = strings.Clone(stream)
		o.seen[o.last] = true
		meta, err := o.meta(o.last)
		if err != nil {
			return err
		}
		if err := do([]trace.Event{meta}); err != nil {
			return err
		}
	}
	return do(events[from:])
}

// Resume reports that the stream is resumed, and its meta line. If that is the one of the
// rules, the stream gets no other: it would end an open transaction or run of snapshots.
func (o *Opening) Resume(stream, meta string) {
	if o.rules.meta == nil || meta == "" {
		return
	}
	if own, err := o.meta(stream); err == nil && own.Raw == meta {
		o.seen[strings.Clone(stream)] = true
	}
}

func (o *Opening) meta(stream string) (ev trace.Event, err error) {
	line := []byte{'{'}
	if stream != "" {
		line = append(gjson.AppendJSONString(append(line, `"stream":`...), stream), ',')
	}
	line = append(append(line, `"kind":"meta","object":`...), o.rules.meta.object...)
	err = new(trace.Decoder).Decode(append(line, '}'), trace.Pos{File: o.rules.File, Line: o.rules.meta.line}, &ev)
	return ev, err
}
