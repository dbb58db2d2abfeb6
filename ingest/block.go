package ingest

import (
	"bytes"
	"fmt"
	"math"

	"tracecheck/ingest/foreign"
	"tracecheck/trace"
)

// Block is some neighbouring events of a trace.
type Block struct {
	// Events are in order, and live until Release; Clone keeps one.
	Events []trace.Event

	// Lines is what made the events, where Options say so.
	Lines LineDecoder

	buf  []byte // whole lines; only a file's last may have no end
	file string
	line int   // number of the first line
	err  error // what follows the events; nil: the next block

	places []int // the lines' numbers, where they are not the next ones

	kept  bool   // the lines are the caller's
	spare []byte // what the block goes on with then

	// The decoder's fields live as long as the events, so each block has its own.
	decoder trace.Decoder
	decoded chan struct{} // gets a value when the block is decoded
	home    chan<- *Block
}

// keptBuffer is the largest buffer that is reused, in bytes: long lines are
// rare.
const keptBuffer = 4 * blockSize

// Lines are whole lines of one file, undecoded.
type Lines struct {
	text []byte
	file string
	line int // number of the first line
}

// Size is how many bytes the lines have.
func (l *Lines) Size() int { return len(l.text) }

// Events decodes the lines, up to the first that is no event.
func (l *Lines) Events() []trace.Event {
	b := Block{buf: l.text, file: l.file, line: l.line}
	b.decode(math.MaxInt)
	return b.Events
}

// Keep leaves the block's lines to the caller, who changes nothing of them before the
// block is released. The block goes on with the spare ones, whose text it overwrites.
// false: its lines are not those of a trace, are very long, or were kept before; nothing
// has happened.
func (b *Block) Keep(spare Lines) (Lines, bool) {
	if b.kept || b.Lines != nil || b.places != nil || cap(b.buf) > keptBuffer {
		return Lines{}, false
	}
	b.kept, b.spare = true, spare.text[:0]
	return Lines{b.buf, b.file, b.line}, true
}

// Release gives the block back for reuse: its events die. It is called at most
// once; a block that is never released is garbage like any other.
func (b *Block) Release() {
	if b.kept {
		b.buf, b.spare, b.kept = b.spare, nil, false
	}
	if cap(b.buf) > keptBuffer {
		b.buf = nil
		clear(b.Events[:cap(b.Events)]) // they point into the buffer
	}
	select {
	case b.home <- b:
	default:
	}
}

// decode makes the events. It stops at the first line that is none.
func (b *Block) decode(maxLine int) {
	b.decoder.Reset()
	if b.Lines != nil {
		b.Lines.Reset()
	}
	rest := b.buf
	if b.line == 1 {
		rest = bytes.TrimPrefix(rest, []byte("\uFEFF"))
	}
	for pos := (trace.Pos{File: b.file, Line: b.line}); len(rest) > 0; pos.Line++ {
		from := rest
		var line []byte
		var ended bool
		line, rest, ended = bytes.Cut(rest, []byte{'\n'})
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if b.places != nil {
			pos.Line, b.places = b.places[0], b.places[1:]
		}
		if len(line) > maxLine {
			b.err = tooLong(pos, maxLine, from)
			return
		}
		if blank(line) {
			continue
		}
		if err := b.decodeLine(line, pos); err != nil {
			b.err = b.because(err, from, pos)
			if b.err == nil && !ended && (b.Lines == nil || trace.CheckJSON(line) != "") {
				b.err = truncated(pos, err)
			} else if b.err == nil {
				b.err = err
			}
			return
		}
	}
}

// because is the error of what is no trace, but something else that is known; else
// nil. The text begins with the line that cannot be decoded.
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
	b.Events = append(b.Events, trace.Event{})
	if err = b.decoder.Decode(line, pos, &b.Events[n]); err != nil {
		b.Events = b.Events[:n]
	}
	return err
}

// blank reports whether the line is only JSON white space.
func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// truncated makes the error of a last line that has no end and is no event.
func truncated(pos trace.Pos, err error) error {
	e := trace.Error{Pos: pos, Reason: err.Error()}
	if te, ok := err.(*trace.Error); ok {
		e = *te
	}
	e.Reason = fmt.Sprintf("the last line is truncated (%s): let its writer finish it, or remove it", e.Reason)
	return &e
}
