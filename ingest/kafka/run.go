package kafka

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"tracecheck/trace"
)

const (
	// ahead is the number of partitions that Drain reads at once: it fetches the next
	// ones while it delivers one.
	ahead = 4
	// mostBytes and leastBytes bound the size of a request for one partition.
	mostBytes, leastBytes = 2 << 20, 64 << 10
	// partBytes is the decompressed size of a batch. A damaged one may be larger.
	partBytes = 128 << 10
	// waiting is the number of batches of a partition that may be decoded in advance: an idle
	// processor takes long to wake up.
	waiting = 3
	// inFlight is about how many other batches of a partition are in use: fetched, divided,
	// delivered and judged.
	inFlight = 4
	// mostKept is about how many batches take keeps at a time, in all.
	mostKept = 16
	// maxDecoders bounds the decoders. More of them are not faster than take.
	maxDecoders = 16
)

// Drain reads the spans one after the other, and calls take for each batch. The spans must
// have ends. Two runs over the same messages give the same batches. The error is that of
// take, that of ctx, or why Kafka cannot be read.
func (s *Source) Drain(ctx context.Context, spans []Span, take func(*Batch) error) error {
	f, end := s.start(ctx, min(len(spans), ahead))
	defer end()
	readers := make([]*reader, len(spans))
	begun := 0
	for i := range spans {
		for ; begun < min(i+ahead, len(spans)); begun++ {
			readers[begun] = f.open(spans[begun], nil)
		}
		for {
			b, err := f.receive(readers[i].out)
			if err != nil {
				return err
			}
			if b == nil {
				break
			}
			if err := f.give(b, take); err != nil {
				return err
			}
		}
	}
	return nil
}

// Follow reads the spans concurrently, each in its order. It calls take for each batch at
// its arrival, from one goroutine. It returns nil when all spans have ended. Its errors are
// those of Drain.
func (s *Source) Follow(ctx context.Context, spans []Span, take func(*Batch) error) error {
	return s.follow(ctx, spans, nil, take)
}

// follow is Follow. sight, unless nil, gets the leader's answers for the only span.
func (s *Source) follow(ctx context.Context, spans []Span, sight *Sight, take func(*Batch) error) error {
	f, end := s.start(ctx, len(spans))
	defer end()
	all := make(chan *Batch)
	for _, span := range spans {
		r := f.open(span, sight)
		f.going.Go(func() {
			for b, more := (*Batch)(nil), true; more; {
				select {
				case b = <-r.out:
				case <-f.ctx.Done():
					return
				}
				more = !b.over // read before the batch is reused
				select {
				case all <- b:
				case <-f.ctx.Done():
					return
				}
			}
		})
	}
	for left := len(spans); left > 0; {
		b, err := f.receive(all)
		if err != nil {
			return err
		}
		if b == nil {
			left--
			continue
		}
		if err := f.give(b, take); err != nil {
			return err
		}
	}
	return nil
}

// flow is shared by the partitions of one Drain or Follow.
type flow struct {
	src   *Source
	ctx   context.Context
	work  chan *Batch // for the decoders
	free  chan *Batch // for reuse
	calls chan *call  // for reuse
	packs chan *pack  // for reuse
	going sync.WaitGroup
	kept  bool // take keeps the batch
}

// give calls take with the batch, which is then reused, unless take keeps it.
func (f *flow) give(b *Batch, take func(*Batch) error) error {
	f.kept = false
	if err := take(b); err != nil || f.kept {
		return err
	}
	f.recycle(b)
	return nil
}

// Keep lets the batch be valid until release is called, once, from any goroutine. Only take
// calls Keep.
func (b *Batch) Keep() (release func()) {
	f := b.reader.flow
	f.kept = true
	return func() { f.recycle(b) }
}

// start begins a flow for the given number of concurrent partitions. end stops it.
func (s *Source) start(ctx context.Context, partitions int) (f *flow, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	decoders := min(runtime.GOMAXPROCS(0), maxDecoders)
	s.active.Add(int32(partitions))
	f = &flow{
		src: s, ctx: ctx,
		work: make(chan *Batch, waiting), free: make(chan *Batch, (inFlight+waiting)*partitions+mostKept), calls: make(chan *call, inFlight*partitions),
		packs: make(chan *pack, (inFlight+waiting)*partitions),
	}
	for range decoders {
		f.going.Go(func() {
			var shapes trace.Shapes
			for {
				select {
				case b := <-f.work:
					b.decoder.Shapes = &shapes
					b.decode(s.opts.MaxLine)
					b.decoded <- struct{}{}
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return f, func() { cancel(); f.going.Wait(); s.active.Add(-int32(partitions)) }
}

// share returns the size of a request for one partition. All partitions that are read now,
// in all calls, share the budget.
func (s *Source) share() int32 {
	if s.opts.most != 0 {
		return s.opts.most
	}
	return int32(min(max(s.opts.Budget/max(int(s.active.Load()), 1), leastBytes), mostBytes))
}

// open begins to read a partition.
func (f *flow) open(span Span, sight *Sight) *reader {
	r := &reader{
		flow: f, span: span, sight: sight, name: fmt.Sprintf("%s/%d", span.Topic, span.Partition),
		file: trace.MessageFile(span.Topic, span.Partition), fetched: make(chan *Batch), out: make(chan *Batch, waiting),
	}
	f.going.Go(func() { r.read(f.ctx) })
	f.going.Go(func() { r.divide(f.ctx) })
	return r
}

// receive waits for the next batch, and for its decoder. nil is the end of a
// partition.
func (f *flow) receive(from <-chan *Batch) (*Batch, error) {
	var b *Batch
	select {
	case b = <-from:
	case <-f.ctx.Done():
		return nil, f.ctx.Err()
	}
	if b.over {
		return nil, b.err
	}
	select {
	case <-b.decoded:
		return b, nil
	case <-f.ctx.Done():
		return nil, f.ctx.Err()
	}
}

// keptBytes is the largest buffer that is reused, in bytes: large messages are rare.
const keptBytes = 2 * mostBytes

// fresh returns an empty batch, if possible a recycled one.
func (f *flow) fresh() *Batch {
	select {
	case b := <-f.free:
		*b = Batch{
			Events: b.Events[:0], Streams: b.Streams[:0], Messages: b.Messages[:0], parts: b.parts[:0],
			decoder: b.decoder, lines: b.lines, known: b.known, decoded: b.decoded,
		}
		return b
	default:
		b := &Batch{known: map[string]bool{}, decoded: make(chan struct{}, 1)}
		if f.src.opts.Lines != nil {
			b.lines = f.src.opts.Lines()
		}
		return b
	}
}

// pack returns memory for batches of an answer.
func (f *flow) pack(c *call) *pack {
	var p *pack
	select {
	case p = <-f.packs:
	default:
		p = &pack{}
	}
	c.users.Add(1)
	p.call = c
	p.users.Store(1)
	return p
}

// recycle returns a batch for reuse, and its memory if no other batch uses it. Large memory
// is left to the garbage collector.
func (f *flow) recycle(b *Batch) {
	if p := b.pack; p != nil && p.users.Add(-1) == 0 {
		if c := p.call; c.users.Add(-1) == 0 && c.raw.Cap() <= keptBytes {
			keep(f.calls, c)
		}
		if p.call, p.buf = nil, p.buf[:0]; cap(p.buf) <= 2*keptBytes {
			keep(f.packs, p)
		}
	}
	if b.size <= 2*keptBytes {
		keep(f.free, b)
	}
}

// keep keeps what will be reused, if there is room.
func keep[T any](list chan T, one T) {
	select {
	case list <- one:
	default:
	}
}
