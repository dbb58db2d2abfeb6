// Package ingest reads the lines of a trace from files and standard input, plain or
// compressed. Several files are one trace. It reads and decodes ahead on its own
// goroutines, and delivers the events in order.
package ingest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Reader delivers the events of one trace. Next is for one goroutine. Progress, Close and
// Block.Release may be called from any goroutine.
type Reader struct {
	names []string
	opts  Options

	ordered chan *Block // blocks in the order of their lines, perhaps not decoded yet
	work    chan *Block // the same blocks, for the decoders
	free    chan *Block // released blocks, for reuse
	err     error       // the result of all further calls of Next

	stop     chan struct{} // closed: all goroutines end
	stopOnce sync.Once
	input    input // the current input
	read     atomic.Int64
	total    int64
}

var errClosed = errors.New("the trace was closed while it was read")

// Next returns the next events in order, and io.EOF at the end. There is at least one
// event, except with Options.Lines. The caller releases the block, or leaves it to the
// garbage collector.
//
// A *trace.Error is the reason why the input is unusable: a malformed or long line, a
// truncated last line, or damaged compression. Any other error is an I/O error, or that of
// ctx. An error comes after all earlier events, and all further calls return it. When ctx
// ends, Next returns its error at once, even if the input blocks, and the Reader ends.
func (r *Reader) Next(ctx context.Context) (*Block, error) {
	for r.err == nil {
		b, err := r.receive(ctx)
		if err != nil {
			r.fail(err)
			break
		}
		if b.err != nil {
			r.fail(b.err) // the earlier events come first
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

// Progress returns the number of stored bytes read so far, and the total when the trace
// was opened. Compressed files count with their compressed size. The total is -1 if
// unknown, as for pipes. Reading is some blocks ahead of Next. If a file grows meanwhile,
// read may exceed total.
func (r *Reader) Progress() (read, total int64) {
	return r.read.Load(), r.total
}

// Close ends the goroutines and closes the files. Next then fails. Close may be called
// again, and returns nil. It does not wait for a read that cannot be interrupted, as of a
// terminal or a blocking pipe. That goroutine ends with its read.
func (r *Reader) Close() error {
	r.halt()
	return nil
}
