package ingest

import (
	"io"
	"runtime"

	"tracecheck/trace"
)

// maxDecoders bounds the memory of blocks in flight on machines with many
// processors: so many decoders outrun the one goroutine that reads.
const maxDecoders = 16

func newReader(names []string, opts Options) *Reader {
	flying := 2*decoders() + 2
	return &Reader{
		names:   names,
		opts:    opts,
		ordered: make(chan *Block, flying),
		work:    make(chan *Block, flying+1),  // the blocks in ordered, and the one that Next waits for
		free:    make(chan *Block, flying+16), // the caller may have so many
		stop:    make(chan struct{}),
	}
}

func decoders() int { return min(runtime.GOMAXPROCS(0), maxDecoders) }

func (r *Reader) start() {
	go r.readAll()
	for range decoders() {
		go r.decodeAll()
	}
}

// readAll sends all lines, and then a block with the reason for the end.
func (r *Reader) readAll() {
	err := io.EOF
	for _, name := range r.names {
		if e := r.readFile(name); e != nil {
			err = e
			break
		}
	}
	end := r.fresh(0)
	end.err = err
	r.send(end)
}

func (r *Reader) decodeAll() {
	var shapes trace.Shapes
	for {
		select {
		case b := <-r.work:
			b.decoder.Shapes = &shapes
			b.decode(r.opts.MaxLine)
			b.decoded <- struct{}{}
		case <-r.stop:
			return
		}
	}
}

// fresh returns an empty block, if possible a released one. A new one has room for so many
// bytes.
func (r *Reader) fresh(room int) *Block {
	var b *Block
	select {
	case b = <-r.free:
		b.Events, b.buf, b.ends, b.err, b.places = b.Events[:0], b.buf[:0], 0, nil, nil
	default:
		b = &Block{decoded: make(chan struct{}, 1), free: r.free}
		if r.opts.Lines != nil {
			b.Lines = r.opts.Lines()
		}
	}
	if b.buf == nil {
		b.buf = make([]byte, 0, room)
	}
	return b
}

// send hands a block to Next and to the decoders. It waits while too many are
// in flight, and reports false if the Reader has stopped.
func (r *Reader) send(b *Block) bool {
	select {
	case r.ordered <- b:
	case <-r.stop:
		return false
	}
	r.work <- b // has room
	return true
}
