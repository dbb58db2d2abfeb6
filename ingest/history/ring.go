// Package history keeps the latest lines of a trace in bounded memory. With them, a
// report shows the events before a violation without reading the input again.
// Standard input and live sources cannot be read again.
package history

import (
	"errors"
	"strings"
	"unsafe"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// Ring has the latest lines of one trace. It is for one goroutine.
type Ring struct {
	Lines func() ingest.LineDecoder // returns a decoder that makes one event of each line; nil: the lines have format 1

	size   int // approximate size of all chunks, in bytes
	chunks []*chunk
	files  []string // the files of the lines
	places map[string]int32
	file   int32  // the index of the current file
	name   string // its name
	lost   bool   // lines before the kept ones, or among them, were dropped
	held   int    // size of the lines held without a copy, in bytes
}

// chunk has consecutive lines: copies, or the lines of a block. The oldest chunk is dropped
// as a whole.
type chunk struct {
	buf   []byte // for each line, its stream's name and its text; or several lines together
	lines []line

	held ingest.Lines // the lines of a block, instead of buf
}

// line is the place of a line, or of several lines together.
type line struct {
	end    int32 // in chunk.buf
	stream int32 // length of the stream's name before the text, in bytes; together: several lines
	file   int32 // an index into Ring.files
	number int   // of the first line
}

const together = -1

const (
	// Size is the size of the history of an input that cannot be read again, in bytes.
	// SizeOfFiles is that of files: it costs little time, and suffices for most violations.
	Size        = 16 << 20
	SizeOfFiles = 2 << 20

	// SizeToRepeat is the size for a run that reads its whole input several times, in bytes.
	SizeToRepeat = 64 << 20

	chunksOfRing = 8
	lineBytes    = 192 // estimated size of a line with its line record
	lineNoted    = int(unsafe.Sizeof(line{}))
	blockEvents  = 1024 // the number of events that Each decodes at a time
)

// New returns a ring of about size bytes, at least 64 KiB.
func New(size int) *Ring { return &Ring{size: max(size, 64<<10), places: map[string]int32{}, file: -1} }

// Add keeps the events' lines. It copies what it keeps. A line that is longer than an
// eighth of the ring is not kept.
func (r *Ring) Add(events []trace.Event) {
	for i := range events {
		ev := &events[i]
		if r.name != ev.Pos.File || r.file < 0 {
			r.enter(ev.Pos.File)
		}
		if c := r.roomFor(len(ev.Stream) + len(ev.Raw)); c != nil {
			c.buf = append(append(c.buf, ev.Stream...), ev.Raw...)
			c.lines = append(c.lines, line{int32(len(c.buf)), int32(len(ev.Stream)), r.file, ev.Pos.Line})
		}
	}
}

// roomFor returns a chunk with room for n bytes; nil, and a line is lost, if no chunk has it.
func (r *Ring) roomFor(n int) *chunk {
	if n > r.text() {
		r.lost = true
		return nil
	}
	if last := len(r.chunks) - 1; last >= 0 {
		if c := r.chunks[last]; c.held.Size() == 0 && len(c.buf)+n <= cap(c.buf) && len(c.lines) < cap(c.lines) {
			return c
		}
	}
	return r.next()
}

// addText is Add for events that are all lines of the text, which has whole lines of format 1 from
// that number on. It may have blank lines. One copy is faster than many.
func (r *Ring) addText(text []byte, file string, number int, events []trace.Event) {
	if len(text) == 0 || len(text) > r.text() {
		r.Add(events)
		return
	}
	r.enter(file)
	c := r.roomFor(len(text))
	c.buf = append(c.buf, text...)
	c.lines = append(c.lines, line{int32(len(c.buf)), together, r.file, number})
}

// Hold keeps the lines of a block, without a copy if they are lines of a trace. The block
// then reuses the memory of lines that are at least leastHeld blocks older.
func (r *Ring) Hold(b *ingest.Block) {
	var spare ingest.Lines
	var old *chunk
	if r.held > r.size && len(r.chunks) > leastHeld {
		old = r.chunks[0]
		spare = old.held
	}
	lines, ok := b.Keep(spare)
	if !ok {
		text, file, number := b.Text()
		r.addText(text, file, number, b.Events)
		return
	}
	if old != nil {
		r.drop()
	}
	r.held += lines.Size()
	r.chunks = append(r.chunks, &chunk{held: lines})
}

// leastHeld is the least number of blocks that are kept. It exceeds the number of blocks
// that are judged at a time.
const leastHeld = 8

// drop removes the oldest chunk, and returns it.
func (r *Ring) drop() *chunk {
	c := r.chunks[0]
	r.chunks = append(r.chunks[:0], r.chunks[1:]...)
	r.lost = true
	r.held -= c.held.Size()
	return c
}

// enter makes the file the current one.
func (r *Ring) enter(name string) {
	at, known := r.places[name]
	if !known {
		at = int32(len(r.files))
		name = strings.Clone(name)
		r.files, r.places[name] = append(r.files, name), at
	}
	r.file, r.name = at, r.files[at]
}

// text returns the size of the lines of a chunk, in bytes.
func (r *Ring) text() int { return r.size/chunksOfRing - r.noted()*lineNoted }

// noted returns the largest number of lines in a chunk.
func (r *Ring) noted() int { return r.size / chunksOfRing / lineBytes }

// next begins a chunk. If there are too many, it drops the oldest.
func (r *Ring) next() *chunk {
	var c *chunk
	if len(r.chunks) >= chunksOfRing {
		if c = r.drop(); c.held.Size() > 0 {
			c = nil
		}
	}
	if c == nil {
		c = &chunk{buf: make([]byte, 0, r.text()), lines: make([]line, 0, r.noted())}
	}
	c.buf, c.lines = c.buf[:0], c.lines[:0]
	r.chunks = append(r.chunks, c)
	return c
}

// Reach returns the position of the oldest kept line; its File is "" if no line is kept.
// whole reports whether all added lines are kept.
func (r *Ring) Reach() (from trace.Pos, whole bool) {
	for _, c := range r.chunks {
		if events := c.held.Events(); len(events) > 0 {
			from = events[0].Pos
			break
		}
		if len(c.lines) > 0 {
			for l := range r.linesOf(c) {
				return l.Pos, !r.lost
			}
		}
	}
	return from, !r.lost
}

// Full reports whether the next Add may drop old lines.
func (r *Ring) Full() bool { return r.lost || len(r.chunks) == chunksOfRing || r.held > r.size/2 }

// Each calls do with the events of the kept lines, in order, block by block. The events are
// valid until do returns. Each returns the first error of do, but nil for trace.ErrStop.
func (r *Ring) Each(do func([]trace.Event) error) error {
	decoder := r.decoder()
	var events []trace.Event
	done := func(err error) (bool, error) {
		if errors.Is(err, trace.ErrStop) {
			return true, nil
		}
		return err != nil, err
	}
	for _, c := range r.chunks {
		if c.held.Size() > 0 {
			if over, err := done(do(c.held.Events())); over {
				return err
			}
		}
		events = events[:0]
		decoder.Reset()
		for l := range r.linesOf(c) {
			n := len(events)
			var err error
			// The line was decoded before, so this cannot fail.
			if events, err = decoder.Decode(events, unsafe.Slice(unsafe.StringData(l.Raw), len(l.Raw)), l.Pos); err != nil {
				events = events[:n]
			}
			for i := n; l.known && i < len(events); i++ {
				events[i].Stream = l.stream
			}
			if len(events) < blockEvents {
				continue
			}
			if over, err := done(do(events)); over {
				return err
			}
			events = events[:0]
			decoder.Reset()
		}
		if len(events) == 0 {
			continue
		}
		if over, err := done(do(events)); over {
			return err
		}
	}
	return nil
}
