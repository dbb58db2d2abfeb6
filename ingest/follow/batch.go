package follow

import (
	"bytes"
	"context"
	"os"
	"time"
)

// position completes the position of the first line that is not yet in a batch.
func (r *reader) position() string {
	if r.src != nil && r.at.Offset > 0 {
		r.at.Inode, r.at.Head = inodeOf(r.src.info), sumOf(r.src.first(r.at.Offset))
		if t := r.src.info.ModTime().UnixNano(); t > r.at.Time && r.src.packed == nil { // compressing may not preserve the time
			r.at.Time, r.passed = t, nil
		}
	}
	r.at.Tail = sumOf(r.tail)
	return r.at.String()
}

// send sends the batch. The next one gets the rest of the input.
func (r *reader) send(ctx context.Context, rest []byte) error {
	var next *Batch
	for next == nil {
		select {
		case next = <-r.free:
		case <-time.After(r.opts.pace.poll):
			r.look()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	next.reset(rest)
	b := r.batch
	r.count()
	b.Next, b.Lag, b.done = r.position(), r.lag(), r.done
	r.batch = next
	select {
	case r.out <- b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin is the place of a batch's lines.
type begin struct {
	place place  // of the first line
	head  []byte // the first bytes of its file
	inode uint64
	tail  []byte // the last bytes before it
	lines []byte // all of them
}

// begins notes the place of the batch's lines.
func (r *reader) begins(b *Batch, lines []byte) {
	b.begin = begin{r.at, r.src.head, inodeOf(r.src.info), append(b.begin.tail[:0], r.tail...), lines}
}

// At returns the position from which reading begins with that line of the
// batch.
func (b *Batch) At(line int) string {
	at, rest := b.begin.place, b.begin.lines
	for ; at.Line < line && len(rest) > 0; at.Line++ {
		_, rest, _ = bytes.Cut(rest, []byte{'\n'})
	}
	passed := b.begin.lines[:len(b.begin.lines)-len(rest)]
	if at.Offset += int64(len(passed)); at.Offset > 0 {
		at.Inode, at.Head = b.begin.inode, sumOf(b.begin.head[:min(int64(len(b.begin.head)), at.Offset)])
	}
	if more := sumSize - len(passed); more > 0 {
		tail := b.begin.tail
		passed = append(bytes.Clone(tail[max(0, len(tail)-more):]), passed...)
	}
	at.Tail = sumOf(passed[max(0, len(passed)-sumSize):])
	return at.String()
}

// reset makes an empty batch with the remaining input.
func (b *Batch) reset(read []byte) {
	if cap(b.buf) > keptBuffer {
		b.buf = nil
		clear(b.Events[:cap(b.Events)]) // they refer to the buffer
	}
	b.decoder.Reset()
	if b.Lines != nil {
		b.Lines.Reset()
	}
	b.Events, b.Bad, b.Missed = b.Events[:0], nil, nil
	b.buf = append(b.buf[:0], read...)
}

// lag is the number of bytes after the place. Later files are measured only
// when the file is checked.
func (r *reader) lag() int64 {
	if time.Since(r.measured) > r.opts.pace.poll {
		r.measured = time.Now()
		r.behind = r.later()
	}
	if r.src == nil {
		return r.behind
	}
	return r.src.left(r.at.Offset) + r.behind
}

// later is the size of the following files, as far as known.
func (r *reader) later() (bytes int64) {
	now, err := r.current()
	if err != nil || now == nil || r.src != nil && os.SameFile(now.info, r.src.info) {
		return 0
	}
	list, err := r.rotated()
	if err != nil {
		return 0
	}
	for _, e := range list {
		if e.info.ModTime().UnixNano() > r.at.Time && (r.src == nil || !os.SameFile(e.info, r.src.info)) {
			bytes += e.info.Size()
		}
	}
	return bytes + now.info.Size()
}
