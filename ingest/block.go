package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"tracecheck/ingest/foreign"
	"tracecheck/trace"
)

// Block has some consecutive events of a trace.
type Block struct {
	// Events are in order, and valid until Release. Clone copies one.
	Events []trace.Event

	// Lines is the decoder of the events, if Options.Lines is set.
	Lines LineDecoder

	buf  []byte // whole lines; only a file's last may have no end
	file string
	line int   // the number of the first line
	ends int   // the number of line ends, if known
	err  error // the error after the events; nil: the next block follows

	places []int // the numbers of the lines, if they are not consecutive

	kept  bool   // the caller keeps the lines
	spare []byte // the buffer that then replaces them

	// The decoder's fields are valid as long as the events, so each block has a decoder.
	decoder trace.Decoder
	decoded chan struct{} // gets a value when the block is decoded
	free    chan<- *Block // gets the block on Release
}

// keptBuffer is the largest buffer that is reused, in bytes: long lines are
// rare.
const keptBuffer = 4 * blockSize

// leastUse is the divisor of a buffer that its lines fill at least, if they are kept.
const leastUse = 2

// shortLine is the length of a short line, in bytes: blank lines make no events.
const shortLine = 32

// Lines are whole lines of one file, undecoded.
type Lines struct {
	text []byte
	file string
	line int // number of the first line
}

// Size returns the memory that the lines take, in bytes.
func (l *Lines) Size() int { return cap(l.text) }

// Events decodes the lines, up to the first malformed one.
func (l *Lines) Events() []trace.Event {
	b := Block{buf: l.text, file: l.file, line: l.line}
	b.decode(math.MaxInt)
	return b.Events
}

// Keep gives the block's lines to the caller, who must not change them before the block is
// released. The block reuses the memory of spare instead. Keep returns false and does
// nothing if the lines have another format or were kept before. The same holds for very long
// lines, and for those that fill little of their buffer.
func (b *Block) Keep(spare Lines) (Lines, bool) {
	if b.kept || b.Lines != nil || b.places != nil || cap(b.buf) > keptBuffer || len(b.buf) < cap(b.buf)/leastUse {
		return Lines{}, false
	}
	b.kept, b.spare = true, spare.text[:0]
	return Lines{b.buf, b.file, b.line}, true
}

// Text returns the block's lines, and where they begin; no lines if they have another format. They
// are valid until Release.
func (b *Block) Text() (lines []byte, file string, line int) {
	if b.Lines != nil || b.places != nil {
		return nil, b.file, b.line
	}
	return b.buf, b.file, b.line
}

// Release returns the block for reuse. Its events become invalid. Call it at most once.
// A block that is never released is collected as garbage.
func (b *Block) Release() {
	if b.kept {
		b.buf, b.spare, b.kept = b.spare, nil, false
	}
	if cap(b.buf) > keptBuffer {
		b.buf = nil
		clear(b.Events[:cap(b.Events)]) // they refer to the buffer
	}
	select {
	case b.free <- b:
	default:
	}
}

// decode decodes the events. It stops at the first malformed line.
func (b *Block) decode(maxLine int) {
	b.decoder.Reset()
	if b.Lines != nil {
		b.Lines.Reset()
	}
	lines := min(b.ends, len(b.buf)/shortLine)
	b.Events = slices.Grow(b.Events, lines) // what grows by itself leaves garbage
	b.decoder.Grow(lines)
	rest := b.buf
	if b.line == 1 {
		rest = bytes.TrimPrefix(rest, []byte(bom))
	}
	for pos := (trace.Pos{File: b.file, Line: b.line}); len(rest) > 0; pos.Line++ {
		from := rest
		var line []byte
		var ended bool
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line, rest, ended = rest[:end], rest[end+1:], true
		} else {
			line, rest, ended = rest, nil, false
		}
		if last := len(line) - 1; last >= 0 && line[last] == '\r' {
			line = line[:last]
		}
		if b.places != nil {
			pos.Line, b.places = b.places[0], b.places[1:]
		}
		if len(line) > maxLine {
			b.err = tooLong(pos, maxLine, from)
			return
		}
		if Blank(line) {
			continue
		}
		if err := b.decodeLine(line, pos); err != nil {
			b.err = b.because(err, from, pos)
			if b.err == nil && !ended && !json.Valid(line) { // whole JSON is a whole line
				b.err = truncated(pos, err)
			} else if b.err == nil {
				b.err = err
			}
			return
		}
	}
}

// because returns a better error if the input has a known format other than a trace, else
// nil. The text begins with the malformed line.
func (b *Block) because(err error, text []byte, pos trace.Pos) error {
	e, ok := err.(*trace.Error)
	if !ok || b.places != nil {
		return nil
	}
	reason, ok := foreign.Reason(foreign.Input{Text: text, File: pos.File, Mapped: b.Lines != nil, First: b.line == 1 && len(b.Events) == 0}, e.Reason)
	if !ok {
		return nil
	}
	return &trace.Error{Pos: e.Pos, Stream: e.Stream, Reason: reason}
}

func (b *Block) decodeLine(line []byte, pos trace.Pos) (err error) {
	if b.Lines != nil {
		b.Events, err = b.Lines.Decode(b.Events, line, pos)
		return err
	}
	n := len(b.Events)
	b.Events = slices.Grow(b.Events, 1)[:n+1] // Decode sets all of it
	if err = b.decoder.Decode(line, pos, &b.Events[n]); err != nil {
		b.Events = b.Events[:n]
	}
	return err
}

// Blank reports whether the line is only JSON white space.
func Blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// truncated is the error for a last line that has no line end and is malformed.
func truncated(pos trace.Pos, err error) error {
	e := trace.Error{Pos: pos, Reason: err.Error()}
	if te, ok := err.(*trace.Error); ok {
		e = *te
	}
	e.Reason = fmt.Sprintf("the last line is truncated (%s): let its writer finish it, or remove it", e.Reason)
	return &e
}
