package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"tracecheck/ingest/foreign"
	"tracecheck/trace"
)

// blockSize is the size of a read, in bytes. It has so many lines that passing a block to
// another goroutine costs little.
const blockSize = 256 << 10

// smallBlock is the size of a read of a small file, in bytes: a short run has little to do.
const smallBlock = 32 << 10

// blocksOfFile is the number of blocks that a file of medium size has. What is read ahead of it
// is then a small part, and takes little new memory.
const blocksOfFile = 128

// usualRatio is how much larger the content of a compressed trace is, or more.
const usualRatio = 8

// bom is the mark that some editors put before UTF-8 text.
const bom = "\uFEFF"

// lineExtra is what a line may have beyond MaxLine: a BOM, CR and LF.
const lineExtra = 5

// readFile sends the lines of one file or stdin.
func (r *Reader) readFile(name string) error {
	src, closeSrc, err := r.open(name)
	if err != nil {
		return err
	}
	defer closeSrc()
	st := &stored{src: src, count: &r.read}
	content, how, done, err := decompress(bufio.NewReaderSize(st, 64<<10))
	if err != nil {
		return fmt.Errorf("cannot decompress %s: %w", name, err) // only wrong options cause this
	}
	defer done()

	peekable := bufio.NewReaderSize(content, longestHint)
	var line int
	if f := r.formatOf(peekable); f != nil {
		line, err = r.convert(f, peekable, name)
	} else {
		line, err = r.cut(peekable, name, r.room(how))
	}
	if err == nil || err == errStopped {
		return err
	}
	if _, ok := errors.AsType[*trace.Error](err); ok {
		return err
	}
	pos := trace.Pos{File: name, Line: line}
	if e := st.failure(); e != nil {
		return fmt.Errorf("cannot continue reading at %s: %w: check the source of the trace", pos, bare(e))
	}
	return damaged(how, err, pos)
}

// room returns the size of a block, in bytes.
func (r *Reader) room(how compression) int {
	size := r.total
	if how != plain {
		size *= usualRatio
	}
	if size < 0 {
		return blockSize
	}
	return int(min(max(size/blocksOfFile, smallBlock), blockSize))
}

// fill reads until p is full. Of an input that may be live, it reads only once.
func (r *Reader) fill(src io.Reader, p []byte) (n int, err error) {
	for more := true; more && err == nil && n < len(p); more = r.total >= 0 {
		var read int
		read, err = src.Read(p[n:])
		n += read
	}
	return n, err
}

// cut sends the lines of src in blocks of whole lines, about so many bytes each. It returns the
// number of the last line, and nil at the end.
func (r *Reader) cut(src io.Reader, name string, room int) (int, error) {
	b := r.fresh(room)
	b.file, b.line = name, 1
	for {
		have := len(b.buf)
		if have == cap(b.buf) {
			b.grow(r.opts.MaxLine + lineExtra)
		}
		n, err := r.fill(src, b.buf[have:min(cap(b.buf), have+blockSize)])
		b.buf = b.buf[:have+n]
		if i := bytes.LastIndexByte(b.buf[have:], '\n'); i >= 0 {
			end := have + i + 1
			next := r.fresh(room)
			next.buf = append(next.buf, b.buf[end:]...)
			b.buf = b.buf[:end]
			b.ends = bytes.Count(b.buf, []byte{'\n'})
			next.file, next.line = name, b.line+b.ends
			if !r.send(b) {
				return 0, errStopped
			}
			b = next
		}
		if len(b.buf) >= r.opts.MaxLine+lineExtra {
			return b.line, tooLong(trace.Pos{File: name, Line: b.line}, r.opts.MaxLine, b.buf)
		}
		if err == io.EOF {
			if !r.send(b) {
				return 0, errStopped
			}
			return 0, nil
		}
		if err != nil {
			return b.line, err
		}
	}
}

// grow makes room for more of a long line, up to most bytes.
func (b *Block) grow(most int) {
	size := max(2*cap(b.buf), smallBlock)
	if size > most-blockSize { // avoid a small last step
		size = most
	}
	buf := make([]byte, len(b.buf), size)
	copy(buf, b.buf)
	b.buf = buf
}

// tooLong is the error for the line at the start of the text. How much of
// the line was read decides nothing.
func tooLong(pos trace.Pos, maxLine int, text []byte) error {
	if pos.Line == 1 {
		text = bytes.TrimPrefix(text, []byte(bom))
	}
	text = text[:min(len(text), maxLine+1)]
	reason, _ := foreign.Long(foreign.Input{Text: text, File: pos.File}, fmt.Sprintf(
		"the line is longer than %d bytes: if it is an event, raise the limit with --max-line", maxLine))
	return &trace.Error{Pos: pos, Reason: reason}
}
