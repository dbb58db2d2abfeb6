package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"go.uber.org/zap"
)

// reader reads one partition in advance.
type reader struct {
	flow  *flow
	span  Span
	name  string // of the partition, in messages
	file  string
	sight *Sight // gets the leader's answers; nil: none
	broke bool   // a read has failed since the last answer

	fetched chan *Batch // each has a whole answer; the last one has the reason for the end
	out     chan *Batch // in order, perhaps not decoded yet; the last one as in fetched
}

// read fetches all messages of the span.
func (r *reader) read(ctx context.Context) {
	last := r.flow.fresh()
	last.over, last.err = true, r.readAll(ctx)
	select {
	case r.fetched <- last:
	case <-ctx.Done():
	}
}

// readAll returns nil at the end of the span.
func (r *reader) readAll(ctx context.Context) error {
	nothing := 0
	for offset := r.span.From; offset < r.span.End; {
		began := time.Now()
		b, err := r.next(ctx, offset)
		if err != nil {
			return err
		}
		if b.Next > offset {
			r.sight.saw(b.High, b.answer.stable, -1)
			nothing, offset = 0, b.Next
			if err := r.send(ctx, b); err != nil {
				return err
			}
			continue
		}
		a := &b.answer
		empty := int64(-1)
		if a.stable > offset && !a.throttled {
			// Compaction has deleted the rest. Ask twice, since a new leader may not have it
			// yet.
			if nothing++; nothing >= 2 {
				empty = offset
			}
			if nothing >= 2 && r.span.End <= a.stable {
				b.Next = r.span.End
				return r.send(ctx, b)
			}
		}
		r.sight.saw(a.high, a.stable, empty)
		r.flow.recycle(b)
		if poll := r.flow.src.opts.pace.poll; time.Since(began) < poll/2 { // the broker has not waited
			select {
			case <-time.After(poll / 2):
			case <-ctx.Done():
			}
		}
	}
	return nil
}

// send passes an answer on to be divided.
func (r *reader) send(ctx context.Context, b *Batch) error {
	b.Broken, r.broke = r.broke, false
	return r.handOn(ctx, b)
}

// next returns a batch of the messages from the offset on. It waits for unreachable
// brokers. If there is no message, the batch is empty.
func (r *reader) next(ctx context.Context, offset int64) (*Batch, error) {
	s := r.flow.src
	b := r.flow.fresh()
	b.reader, b.Span, b.File, b.raw = r, r.span, r.file, s.opts.Raw
	b.asked, b.From, b.Next = offset, offset, offset
	outside := false
	err := s.Attempt(ctx, "read "+r.name, func(ctx context.Context) error {
		c := r.call(offset)
		a, err := s.fetch(ctx, c) // without an answer, c is not reused: one may still come
		r.broke = r.broke || err != nil
		if outside = errors.Is(err, kafkago.OffsetOutOfRange); outside {
			return nil
		}
		if err != nil {
			return err
		}
		b.answer, b.High, b.pack = a, a.high, r.flow.pack(c)
		if b.Next, err = reach(a.records, offset); err != nil {
			return permanent{fmt.Errorf("at offset %d: %w", offset, err)}
		}
		return nil
	})
	if err == nil && outside {
		err = r.skip(ctx, b, offset)
	}
	if err != nil {
		return nil, err
	}
	b.Next = min(b.Next, r.span.End)
	return b, nil
}

// call returns a call that reuses the memory of a finished one.
func (r *reader) call(offset int64) *call {
	n := newCall(&r.span, offset, r.flow.src.share(), int32(r.flow.src.opts.pace.poll.Milliseconds()))
	select {
	case c := <-r.flow.calls:
		n.raw = c.raw
	default:
	}
	return n
}

// reach returns the offset after the last whole bundle. It is more than offset if there are
// records.
func reach(records []byte, offset int64) (int64, error) {
	next := offset
	for rest := records; len(rest) > 0; {
		u, after, ok, err := cutBundle(rest)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		next, rest = max(next, u.last+1), after
	}
	if next == offset && len(records) > 0 {
		return 0, errors.New("the broker's answer has no whole batch from there on")
	}
	return next, nil
}

// EndError says that a partition ends before the offset to read from.
type EndError struct {
	Partition string // topic/number
	End, From int64
}

func (e *EndError) Error() string {
	return fmt.Sprintf("%s ends at offset %d, before offset %d, where reading was to start: was the topic deleted and recreated?", e.Partition, e.End, e.From)
}

// skip continues at the start of the partition, if that is after the offset.
func (r *reader) skip(ctx context.Context, b *Batch, offset int64) error {
	s := r.flow.src
	there, err := s.Partition(ctx, r.span.Topic, r.span.Partition)
	if err != nil {
		return err
	}
	// As if throttled: the absence of records has no meaning.
	b.answer, b.High = answer{throttled: true, high: there.High, stable: there.Stable}, there.High
	switch {
	case offset < there.Start:
		b.Lost = Lost{offset, min(there.Start, r.span.End)}
		b.Next = there.Start
		s.opts.Log.Warn("messages were deleted by retention before they were read; reading continues after them",
			zap.String("partition", r.name), zap.Int64("from offset", offset), zap.Int64("to before", b.Lost.To))
	case offset > there.High:
		return &EndError{Partition: r.name, End: there.High, From: offset}
	}
	return nil
}
