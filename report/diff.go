package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tracecheck/internal/amount"
	"tracecheck/postmortem/explain"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

// StateDiff is the difference between two states of a stream. From or To is nil
// if the stream had not begun.
type StateDiff struct {
	From, To *replay.Stream
	Changes  []replay.Change
}

// Diffs pairs the streams of two states. keep selects objects; nil: all.
func Diffs(from, to []*replay.Stream, keep func(*replay.Object) bool) []StateDiff {
	before := map[string]*replay.Stream{}
	for _, s := range from {
		before[s.Name] = s
	}
	var list []StateDiff
	for _, s := range to {
		d := StateDiff{From: before[s.Name], To: s}
		for _, c := range replay.Diff(d.From, s) {
			if keep == nil || keep(c.Object()) {
				d.Changes = append(d.Changes, c)
			}
		}
		list = append(list, d)
	}
	return list
}

// Diff writes the differences for people, field by field.
func Diff(w io.Writer, list []StateDiff, opts TextOptions) error {
	p := newPrinter(w, opts.Color, opts.Width)
	for i := range list {
		if i > 0 {
			p.blank()
		}
		p.diff(&list[i], opts.Width)
	}
	if len(list) == 0 {
		p.raw(0, "nothing: no event comes before this point")
	}
	return p.flush()
}

func (p *printer) diff(d *StateDiff, width int) {
	if d.From == nil {
		p.wrapped(0, bold, "from", plain, "before its first event")
	} else {
		p.wrapped(0, bold, "from", plain, streamAt(d.From))
	}
	p.wrapped(0, bold, "to  ", plain, streamAt(d.To))
	p.blank()
	created, deleted := 0, 0
	for _, c := range d.Changes {
		switch {
		case c.Before == nil:
			created++
		case c.After == nil:
			deleted++
		}
	}
	p.raw(0, fmt.Sprintf("%s created, %d deleted, %d changed", amount.Of(created, "object"), deleted, len(d.Changes)-created-deleted))
	for _, c := range d.Changes {
		p.blank()
		p.difference(d, c, width)
	}
}

// difference shows one object: its mark, and a line for each field.
func (p *printer) difference(d *StateDiff, c replay.Change, width int) {
	o := c.Object()
	line := func(s style, text string) {
		if width > 0 {
			text = shorten(text, p.width-4)
		}
		p.raw(4, p.paint(s, text))
	}
	mark, color, what := "*", yellow, "last changed at "+near(o.Last, d.To.Last)
	switch {
	case c.Before == nil:
		mark, color, what = "+", green, "created at "+near(o.Made, d.To.Last)
	case c.After == nil:
		mark, color, what = "-", red, "was deleted"
	case o.Last.Line == 0: // of a variable, it is not known where
		what = "changed"
	}
	p.raw(0, p.paint(color, clean(mark+" "+strings.TrimSpace(o.Kind.String()+" "+o.ID)))+"  "+what)
	switch {
	case c.Before == nil || c.After == nil:
		for _, f := range o.Fields {
			line(plain, clean(f.Name)+"  "+shownIn(o, f.Value))
		}
	default:
		for _, f := range c.Before.Differences(c.After) {
			line(plain, clean(f.Name)+"  "+shownIn(o, or(f.Before))+"  ->  "+shownIn(o, or(f.After)))
		}
	}
}

// near names a position, without the file if both have the same.
func near(at, other trace.Pos) string {
	if at.File == other.File {
		at.File = ""
	}
	return clean(at.String())
}

type diffJSON struct {
	Version int              `json:"version"` // of this structure: 1
	Streams []streamDiffJSON `json:"streams"`
}

type streamDiffJSON struct {
	Stream  string         `json:"stream"`
	From    *explain.Place `json:"from"`
	To      *explain.Place `json:"to"`
	Changes []changeJSON   `json:"changes"`
}

type changeJSON struct {
	Kind   string          `json:"kind"`
	ID     string          `json:"id"`
	Fields []string        `json:"fields,omitempty"` // those that differ, if the object exists in both
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	File   string          `json:"file"` // file of the object's last event; of a deleted object, the last event before
	Line   int             `json:"line"`
}

// DiffJSON writes the differences as one object on one line.
func DiffJSON(w io.Writer, list []StateDiff) error {
	out := diffJSON{Version: 1, Streams: []streamDiffJSON{}}
	for i := range list {
		d := &list[i]
		s := streamDiffJSON{Stream: d.To.Name, From: placeOf(d.From), To: placeOf(d.To), Changes: []changeJSON{}}
		for _, c := range d.Changes {
			o := c.Object()
			j := changeJSON{Kind: o.Kind.String(), ID: o.ID, File: o.Last.File, Line: o.Last.Line}
			if c.Before != nil {
				j.Before = c.Before.JSON()
			}
			if c.After != nil {
				j.After = c.After.JSON()
			}
			if c.Before != nil && c.After != nil {
				for _, f := range c.Before.Differences(c.After) {
					j.Fields = append(j.Fields, f.Name)
				}
			}
			s.Changes = append(s.Changes, j)
		}
		out.Streams = append(out.Streams, s)
	}
	return Encode(w, out)
}

func placeOf(s *replay.Stream) *explain.Place {
	if s == nil {
		return nil
	}
	p := &explain.Place{File: s.Last.File, Line: s.Last.Line, Time: s.Time}
	if s.HasSeq {
		p.Seq = &s.Seq
	}
	return p
}
