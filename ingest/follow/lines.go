package follow

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/ingest"
	"tracecheck/ingest/foreign"
	"tracecheck/trace"
)

const (
	// blockSize is the size of a read, in bytes.
	blockSize = 512 << 10
	// keptBuffer is the largest buffer that is reused, in bytes.
	keptBuffer = 4 * blockSize
	// lineExtra is what a line may have besides MaxLine: a BOM, CR and LF.
	lineExtra = 5
	// shownBytes is how much is kept of a line that is too long.
	shownBytes = 64 << 10
	// maxBad bounds the malformed lines of a batch.
	maxBad = 1000
)

// room returns free space in the batch's buffer.
func (r *reader) room() []byte {
	b := r.batch
	have := len(b.buf)
	if have == cap(b.buf) {
		size := min(max(2*cap(b.buf), blockSize), r.opts.MaxLine+lineExtra+blockSize)
		b.buf = append(make([]byte, 0, size), b.buf...)
	}
	return b.buf[have:min(cap(b.buf), have+blockSize)]
}

// cut sends the whole lines that were read.
func (r *reader) cut(ctx context.Context) error {
	for {
		b := r.batch
		used := 0
		if r.long {
			end := bytes.IndexByte(b.buf[shownBytes:], '\n') + 1
			if end == 0 {
				r.dropped += int64(len(b.buf) - shownBytes)
				b.buf = b.buf[:shownBytes]
				return nil
			}
			used = shownBytes + end
			r.refuseLong(used)
		} else {
			end := bytes.LastIndexByte(b.buf, '\n') + 1
			if end == 0 {
				if r.long = len(b.buf) > shownBytes && len(b.buf) >= r.opts.MaxLine+lineExtra; r.long {
					continue
				}
				return nil
			}
			used = r.decode(b, b.buf[:end])
			r.pass(b.buf[:used])
		}
		if err := r.send(ctx, b.buf[used:]); err != nil {
			return err
		}
	}
}

// refuseLong rejects a line that is too long and ends before the index.
func (r *reader) refuseLong(end int) {
	b := r.batch
	r.refuse(b, b.buf[:shownBytes], tooLong(r.pos(), r.opts.MaxLine))
	r.at.Line++
	r.forward(shownBytes + r.dropped)
	r.long, r.dropped = false, 0
	r.tail = r.tail[:0] // what follows is not adjacent to what was kept
	r.pass(b.buf[shownBytes:end])
}

// pass advances past the bytes.
func (r *reader) pass(p []byte) {
	r.forward(int64(len(p)))
	p = p[max(0, len(p)-sumSize):]
	if over := len(r.tail) + len(p) - sumSize; over > 0 {
		r.tail = r.tail[:copy(r.tail, r.tail[over:])]
	}
	r.tail = append(r.tail, p...)
}

func (r *reader) forward(bytes int64) {
	r.at.Offset += bytes
	if r.src.packed == nil { // otherwise it is counted when it is read
		r.done += bytes
	}
}

// decode decodes whole lines, and returns how many bytes it has decoded. It
// stops if too many lines are malformed.
func (r *reader) decode(b *Batch, lines []byte) int {
	r.begins(b, lines)
	rest := lines
	for len(rest) > 0 && len(b.Bad) < maxBad {
		from := rest
		var line []byte
		var ended bool
		line, rest, ended = bytes.Cut(rest, []byte{'\n'})
		pos := trace.Pos{File: r.name, Line: r.at.Line}
		if r.at.Line++; pos.Line == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) > r.opts.MaxLine {
			r.refuse(b, line[:min(len(line), shownBytes)], tooLong(pos, r.opts.MaxLine))
			continue
		}
		if ingest.Blank(line) {
			continue
		}
		if err := b.line(line, pos); err != nil {
			if pos.Line == 1 { // report it once
				err.Reason, _ = foreign.Reason(foreign.Input{Text: from, File: r.name, Mapped: b.Lines != nil, First: true}, err.Reason)
			}
			if !ended {
				err.Reason = fmt.Sprintf("the last line of the file is incomplete (%s): was its writer stopped?", err.Reason)
			}
			r.refuse(b, line, err)
		}
	}
	return len(lines) - len(rest)
}

// line decodes a line.
func (b *Batch) line(line []byte, pos trace.Pos) *trace.Error {
	n := len(b.Events)
	var err error
	if b.Lines != nil {
		b.Events, err = b.Lines.Decode(b.Events, line, pos)
	} else {
		b.Events = slices.Grow(b.Events, 1)[:n+1] // Decode sets all of it
		err = b.decoder.Decode(line, pos, &b.Events[n])
	}
	if err == nil {
		return nil
	}
	b.Events = b.Events[:n]
	if e, ok := err.(*trace.Error); ok {
		return e
	}
	return &trace.Error{Pos: pos, Reason: err.Error()}
}

// refuse notes a malformed line.
func (r *reader) refuse(b *Batch, line []byte, err *trace.Error) {
	bad := ingest.Malformed{Before: len(b.Events), Err: err, Raw: bytes.Clone(line)}
	if l, ok := b.Lines.(ingest.LineStreams); ok {
		bad.Streams, _ = l.Streams(bad.Raw)
	} else if b.Lines == nil {
		bad.Streams = streams(bad.Raw, err)
	}
	b.Bad = append(b.Bad, bad)
}

// streams returns the streams that a malformed line of format 1 may belong to;
// none if unknown.
func streams(line []byte, err *trace.Error) []string {
	if err.Stream != "" {
		return []string{strings.Clone(err.Stream)}
	}
	if trace.CheckJSON(line) != "" {
		return nil
	}
	root := gjson.ParseBytes(line)
	if named := root.Get("stream"); !root.IsObject() || named.Exists() && named.Type != gjson.Null && named.Raw != `""` {
		return nil
	}
	return []string{""} // it names no stream
}

func tooLong(pos trace.Pos, maxLine int) *trace.Error {
	return &trace.Error{Pos: pos, Reason: fmt.Sprintf(
		"the line is longer than %d bytes: if it is an event, raise the limit with --max-line", maxLine)}
}
