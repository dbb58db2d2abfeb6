// Package history keeps the latest lines of a trace in bounded memory. With them, a
// report shows the events before a violation without reading the input again.
// Standard input and live sources cannot be read again.
package history

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"unsafe"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// Ring is the latest lines of one trace. It is for one goroutine.
type Ring struct {
	Lines func() ingest.LineDecoder // makes what reads the lines, one event of each; nil: they are format 1

	size   int // bytes of all chunks, about
	chunks []*chunk
	files  []string // that lines are of
	places map[string]int32
	file   int32  // of files: the one at hand
	name   string // its name
	lost   bool   // lines before the oldest, or among those that are kept
	held   int    // bytes of the lines of blocks
}

// chunk is neighbouring lines. The oldest chunk goes as a whole. It has copies of
// lines, or those of a block.
type chunk struct {
	buf   []byte // of each line its stream's name and then its text
	lines []line

	held ingest.Lines // or these
}

// line is where a line is.
type line struct {
	end    int32 // in chunk.buf
	stream int32 // bytes of the stream's name, in front of the text
	file   int32 // an index into Ring.files
	number int
}

const (
	// Size is what a run keeps of an input that cannot be read again, in bytes. SizeOfFiles
	// is what it keeps of files: so much costs no time, and covers most violations.
	Size        = 16 << 20
	SizeOfFiles = 2 << 20

	// SizeToRepeat is what a run keeps that reads its whole input more than once, in bytes.
	SizeToRepeat = 64 << 20

	chunksOfRing = 8
	lineBytes    = 192 // with what is noted of it, as a guess
	lineNoted    = int(unsafe.Sizeof(line{}))
	blockEvents  = 1024 // that Each decodes at a time
)

// New makes a ring that takes so many bytes of memory, about; at least some lines of
// usual length.
func New(size int) *Ring { return &Ring{size: max(size, 64<<10), places: map[string]int32{}, file: -1} }

// Add keeps the events' lines. It copies what it keeps. A line that is longer than an
// eighth of the ring is not kept.
func (r *Ring) Add(events []trace.Event) {
	for i := range events {
		ev := &events[i]
		if r.name != ev.Pos.File || r.file < 0 {
			r.enter(ev.Pos.File)
		}
		n := len(ev.Stream) + len(ev.Raw)
		var c *chunk
		if last := len(r.chunks) - 1; last >= 0 {
			c = r.chunks[last]
		}
		if c == nil || c.held.Size() > 0 || len(c.buf)+n > cap(c.buf) || len(c.lines) == cap(c.lines) {
			if n > r.text() {
				r.lost = true
				continue
			}
			c = r.next()
		}
		c.buf = append(append(c.buf, ev.Stream...), ev.Raw...)
		c.lines = append(c.lines, line{int32(len(c.buf)), int32(len(ev.Stream)), r.file, ev.Pos.Line})
	}
}

// Hold keeps the lines of a block without copying them, if they are those of a trace.
// The block goes on with lines that are not kept any more, which are those of an earlier
// block by leastHeld.
func (r *Ring) Hold(b *ingest.Block) {
	var spare ingest.Lines
	var old *chunk
	if r.held > r.size && len(r.chunks) > leastHeld {
		old = r.chunks[0]
		spare = old.held
	}
	lines, ok := b.Keep(spare)
	if !ok {
		r.Add(b.Events)
		return
	}
	if old != nil {
		r.drop()
	}
	r.held += lines.Size()
	r.chunks = append(r.chunks, &chunk{held: lines})
}

// leastHeld is how many blocks are kept at least: so many may be judged at a time, and
// some more.
const leastHeld = 8

// drop forgets the oldest chunk, and returns it.
func (r *Ring) drop() *chunk {
	c := r.chunks[0]
	r.chunks = append(r.chunks[:0], r.chunks[1:]...)
	r.lost = true
	r.held -= c.held.Size()
	return c
}

// enter makes the file the one at hand.
func (r *Ring) enter(name string) {
	at, known := r.places[name]
	if !known {
		at = int32(len(r.files))
		name = strings.Clone(name)
		r.files, r.places[name] = append(r.files, name), at
	}
	r.file, r.name = at, r.files[at]
}

// text is how many bytes of lines a chunk has.
func (r *Ring) text() int { return r.size/chunksOfRing - r.noted()*lineNoted }

// noted is how many lines a chunk has at most.
func (r *Ring) noted() int { return r.size / chunksOfRing / lineBytes }

// next begins a chunk. Where there are as many as may be, the oldest goes.
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

// Line is a line that is kept. Its strings are borrowed: they live until the next Add.
type Line struct {
	Stream string
	Pos    trace.Pos
	Raw    string
}

// at is the chunk's i-th line.
func (r *Ring) at(c *chunk, i int) Line {
	from := int32(0)
	if i > 0 {
		from = c.lines[i-1].end
	}
	l := &c.lines[i]
	text := unsafe.String(unsafe.SliceData(c.buf), len(c.buf))
	return Line{text[from : from+l.stream], trace.Pos{File: r.files[l.file], Line: l.number}, text[from+l.stream : l.end]}
}

// Latest yields the lines that are kept, the latest first.
func (r *Ring) Latest() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for k := len(r.chunks) - 1; k >= 0; k-- {
			for _, ev := range slices.Backward(r.chunks[k].held.Events()) {
				if !yield(Line{ev.Stream, ev.Pos, ev.Raw}) {
					return
				}
			}
			for i := len(r.chunks[k].lines) - 1; i >= 0; i-- {
				if !yield(r.at(r.chunks[k], i)) {
					return
				}
			}
		}
	}
}

// Reach says how far the ring reaches back: whole is all that was added, else from the
// event at the place on, whose File is "" where nothing is kept.
func (r *Ring) Reach() (from trace.Pos, whole bool) {
	for _, c := range r.chunks {
		if events := c.held.Events(); len(events) > 0 {
			from = events[0].Pos
			break
		}
		if len(c.lines) > 0 {
			from = r.at(c, 0).Pos
			break
		}
	}
	return from, !r.lost
}

// Full reports whether what is added next may take the place of the oldest lines.
func (r *Ring) Full() bool { return r.lost || len(r.chunks) == chunksOfRing || r.held > r.size/2 }

// ErrStop ends Each without an error.
var ErrStop = errors.New("enough")

// Each calls do with the events of the lines that are kept, in order, block by block.
// The events live until do returns. It ends with do's first error, but for ErrStop.
func (r *Ring) Each(do func([]trace.Event) error) error {
	decoder := r.decoder()
	var events []trace.Event
	done := func(err error) (bool, error) {
		if errors.Is(err, ErrStop) {
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
		for from := 0; from < len(c.lines); {
			decoder.Reset()
			events = events[:0]
			for ; from < len(c.lines) && len(events) < blockEvents; from++ {
				l, n := r.at(c, from), len(events)
				var err error
				// It was decoded before: that it is none now cannot be.
				if events, err = decoder.Decode(events, unsafe.Slice(unsafe.StringData(l.Raw), len(l.Raw)), l.Pos); err != nil {
					events = events[:n]
				}
				for i := range events[n:] {
					events[n+i].Stream = l.Stream
				}
			}
			if over, err := done(do(events)); over {
				return err
			}
		}
	}
	return nil
}
