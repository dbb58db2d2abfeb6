package replay

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"tracecheck/trace"
)

// line is one that Write makes.
type line struct {
	Stream string          `json:"stream,omitempty"`
	Seq    *int64          `json:"seq,omitempty"`
	Time   string          `json:"time,omitempty"`
	Kind   string          `json:"kind"`
	Op     string          `json:"op"`
	ID     string          `json:"id,omitempty"`
	Object json.RawMessage `json:"object,omitempty"`
}

// Write writes the state of the streams as the beginning of a trace. Each stream gets its meta
// line, and a snapshot line for each object, by kind and id. A removed node that an object
// still names is shown and deleted again: specs distinguish it from one that never existed. A
// request may be shown twice, to show that the stream logs queued.
//
// The rest of the trace can be appended. The last snapshot line of a stream has the seq of its
// last event. So there is neither a gap nor a duplicate. All lines have the time of that
// event. keep selects the objects; nil: all.
func Write(w io.Writer, streams []*Stream, keep func(*Object) bool) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for _, s := range streams {
		if s.Meta != "" {
			fmt.Fprintln(b, s.Meta)
		}
		for _, l := range s.lines(keep) {
			if err := enc.Encode(l); err != nil {
				return fmt.Errorf("%s %s of %s: %w", l.Kind, l.ID, trace.StreamName(s.Name), err)
			}
		}
	}
	return b.Flush()
}

func (s *Stream) lines(keep func(*Object) bool) []line {
	var list, deletions []line
	add := func(o *Object) {
		list = append(list, line{Stream: s.Name, Time: s.Time, Kind: o.Kind.String(), Op: trace.OpSnapshot.String(), ID: o.ID, Object: o.JSON()})
	}
	out := func(o *Object) bool { return keep != nil && !keep(o) }
	for _, o := range slices.DeleteFunc(s.departed(), out) {
		add(o)
		deletions = append(deletions, line{Stream: s.Name, Time: s.Time, Kind: o.Kind.String(), Op: trace.OpDelete.String(), ID: o.ID})
	}
	objects := slices.DeleteFunc(s.Objects(), out)
	if o := s.logging(objects); o != nil {
		add(o)
	}
	for _, o := range objects {
		add(o)
	}
	if n := len(list); n > 0 && s.HasSeq {
		list[n-1].Seq = &s.Seq
	}
	return append(list, deletions...)
}
