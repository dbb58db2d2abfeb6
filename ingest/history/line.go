package history

import (
	"iter"
	"slices"
	"strings"
	"unsafe"

	"tracecheck/trace"
)

// Line is a kept line. Its strings are valid until the next Add.
type Line struct {
	Pos trace.Pos
	Raw string

	stream string
	known  bool // stream is known
}

// IsOf reports whether the line is an event of the stream. It decodes the line only if needed.
func (l *Line) IsOf(stream string) bool {
	if l.known {
		return l.stream == stream
	}
	if !strings.Contains(l.Raw, stream) && !strings.ContainsRune(l.Raw, '\\') {
		return false
	}
	var d trace.Decoder
	var ev trace.Event
	return d.Decode([]byte(l.Raw), l.Pos, &ev) == nil && ev.Stream == stream
}

// linesOf yields the lines that the chunk has copied.
func (r *Ring) linesOf(c *chunk) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for i := range c.lines {
			for l := range r.at(c, i, slices.All) {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// at yields the lines of a record of the chunk, in the given order.
func (r *Ring) at(c *chunk, i int, order func([]string) iter.Seq2[int, string]) iter.Seq[Line] {
	from := int32(0)
	if i > 0 {
		from = c.lines[i-1].end
	}
	l := &c.lines[i]
	text := unsafe.String(unsafe.SliceData(c.buf), len(c.buf))[from:l.end]
	pos := trace.Pos{File: r.files[l.file], Line: l.number}
	return func(yield func(Line) bool) {
		if l.stream != together {
			yield(Line{Pos: pos, Raw: text[l.stream:], stream: text[:l.stream], known: true})
			return
		}
		for n, raw := range order(strings.Split(text, "\n")) {
			if pos.Line = l.number + n; pos.Line == 1 {
				raw = strings.TrimPrefix(raw, "\uFEFF")
			}
			if strings.Trim(raw, " \t\r") != "" && !yield(Line{Pos: pos, Raw: strings.TrimSuffix(raw, "\r")}) {
				return
			}
		}
	}
}

// Latest yields the kept lines, the latest first.
func (r *Ring) Latest() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for _, c := range slices.Backward(r.chunks) {
			for _, ev := range slices.Backward(c.held.Events()) {
				if !yield(Line{ev.Pos, ev.Raw, ev.Stream, true}) {
					return
				}
			}
			for i := len(c.lines) - 1; i >= 0; i-- {
				for l := range r.at(c, i, slices.Backward) {
					if !yield(l) {
						return
					}
				}
			}
		}
	}
}
