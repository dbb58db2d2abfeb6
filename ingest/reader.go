// Package ingest is where a trace's lines come from: files, several of which
// are one trace, and standard input, plain or compressed. It reads and decodes
// them ahead, on goroutines of its own, and delivers the events in order.
package ingest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Reader delivers the events of one trace. Next is for one goroutine; Progress,
// Close and Block.Release may be called from any.
type Reader struct {
	names []string
	opts  Options

	ordered chan *Block // blocks in the order of their lines, decoded or not yet
	work    chan *Block // the same blocks, for the decoders
	free    chan *Block // released blocks, for reuse
	err     error       // what Next returns from now on

	stop     chan struct{} // closed: all goroutines end
	stopOnce sync.Once
	input    input // what is being read
	read     atomic.Int64
	total    int64
}

var errClosed = errors.New("the trace was closed while it was read")

// Next returns the next events in order, at least one, and io.EOF at the end;
// with Options.Lines, those of the next lines, perhaps none.
// The caller releases the block, or leaves it to the garbage collector.
//
// A *trace.Error says why the input cannot be judged: a line that is no event
// or too long, a truncated last line, damaged compression. Any other error is
// one of I/O, or that of ctx. An error comes after every event before it, and
// once it has come it comes again. When ctx ends, Next returns its error at
// once, even while the input has nothing to read, and the Reader is done.
func (r *Reader) Next(ctx context.Context) (*Block, error) {
	for r.err == nil {
		b, err := r.receive(ctx)
		if err != nil {
			r.fail(err)
			break
		}
		if b.err != nil {
			r.fail(b.err) // the events before it go first
		}
		if len(b.Events) > 0 || b.Lines != nil && len(b.buf) > 0 {
			return b, nil
		}
		b.Release()
	}
	return nil, r.err
}

// receive waits for the next block and for its decoder.
func (r *Reader) receive(ctx context.Context) (*Block, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-r.stop:
		return nil, errClosed
	default:
	}
	var b *Block
	select {
	case b = <-r.ordered:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.stop:
		return nil, errClosed
	}
	select {
	case <-b.decoded:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.stop:
		return nil, errClosed
	}
}

func (r *Reader) fail(err error) {
	r.err = err
	r.halt()
}

func (r *Reader) halt() {
	r.stopOnce.Do(func() {
		close(r.stop)
		r.input.interrupt()
	})
}

// Progress returns how many bytes of the input have been read so far, as they
// are stored (compressed bytes of compressed files), and how many there were
// in all when the trace was opened: -1 if unknown, as for pipes and standard
// input. Reading runs some blocks ahead of Next, and a file that grows meanwhile
// yields more than total.
func (r *Reader) Progress() (read, total int64) {
	return r.read.Load(), r.total
}

// Close ends the goroutines and closes the files; Next then fails. It may be
// called again, and returns nil. It does not wait for a read that cannot be
// interrupted (a terminal, a blocking pipe): that goroutine ends when its read
// does.
func (r *Reader) Close() error {
	r.halt()
	return nil
}
