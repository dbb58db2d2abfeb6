package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/trace"
)

// Kafka is a Source that reads topics.
type Kafka struct {
	Options  kafka.Options
	From     flagvalue.StartAt
	UntilEnd bool
	Duration flagvalue.Duration   // how long to read, without UntilEnd; 0: until ctx ends
	Expect   func(files []string) // called with the partitions before they are read
	Progress io.Writer            // the terminal for the progress bar; nil: none
	Found    func() int           // returns the number of violations so far, for Progress

	// Found by the first reading, and used by later ones.
	spans          []kafka.Span
	notes          []string // about the starts and ends of partitions
	assigned       kafka.Assignment
	split          *string // a stream that is in two partitions
	empty, aborted int
	lost           []string
}

// Again implements Source.
func (k *Kafka) Again() bool { return k.UntilEnd }

// Read implements Source: one partition after the other, or in the order of arrival.
func (k *Kafka) Read(ctx context.Context, what string, take func(Batch) error) error {
	source, err := kafka.Open(k.Options)
	if err != nil {
		return NotOpened{err}
	}
	defer source.Close()
	first := k.spans == nil
	if first {
		k.assigned = kafka.Assignment{}
		if err := k.look(ctx, source); err != nil {
			if ctx.Err() != nil {
				return err
			}
			return NotOpened{err}
		}
	}
	each := func(b *kafka.Batch) error {
		if first {
			k.count(b)
		}
		return k.push(b, take)
	}
	if !k.UntilEnd {
		return k.follow(ctx, source, each)
	}
	var bar *console.Progress
	if k.Progress != nil {
		bar = console.NewProgress(k.Progress, what, "messages", k.total())
	}
	defer bar.Done()
	var read int64
	events := 0
	return source.Drain(ctx, k.spans, func(b *kafka.Batch) error {
		read += b.Next - b.From
		events += len(b.Events)
		if bar != nil {
			bar.Found(events, k.Found())
			bar.Set(read)
		}
		return each(b)
	})
}

// total returns the number of offsets to read.
func (k *Kafka) total() (n int64) {
	for _, s := range k.spans {
		n += max(0, s.End-s.From)
	}
	return n
}

// follow reads until ctx or the duration ends.
func (k *Kafka) follow(ctx context.Context, source *kafka.Source, take func(*kafka.Batch) error) error {
	ctx, cancel := flagvalue.Limited(ctx, k.Duration)
	defer cancel()
	going, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		for t := time.NewTicker(countEvery); ; {
			select {
			case <-t.C:
				if n, err := source.Count(going); err == nil && n != len(k.spans) {
					stop(fmt.Errorf("the topics have %d partitions now; there were %d when reading began, and streams may have moved: run again", n, len(k.spans)))
				}
			case <-going.Done():
				return
			}
		}
	}()
	err := source.Follow(going, k.spans, take)
	if err == nil || !errors.Is(err, going.Err()) {
		return err
	}
	if ctx.Err() != nil {
		return nil // the user ended it
	}
	return context.Cause(going)
}

// countEvery is the interval of looking for new partitions. They are not read, and a note
// reports them.
const countEvery = 2 * time.Second

// look finds the partitions and offsets to read.
func (k *Kafka) look(ctx context.Context, source *kafka.Source) error {
	parts, err := source.Partitions(ctx)
	if err != nil {
		return err
	}
	var at []int64
	if !k.From.Time.IsZero() {
		if at, err = source.OffsetsAt(ctx, parts, k.From.Time); err != nil {
			return err
		}
	}
	k.spans = make([]kafka.Span, len(parts))
	files := make([]string, len(parts))
	for i := range parts {
		p := &parts[i]
		span := p.Span()
		switch {
		case at != nil:
			span.From = at[i]
		case k.From.Text != "":
			span.From = k.From.Offset
		case p.Start > 0:
			k.notes = append(k.notes, fmt.Sprintf("%s/%d begins at offset %d: retention has deleted what was before.", p.Topic, p.ID, p.Start))
		}
		if span.From > p.Stable && k.UntilEnd {
			k.notes = append(k.notes, fmt.Sprintf("%s/%d ends at offset %d, so none of its messages were read.", p.Topic, p.ID, p.Stable))
		}
		if p.Stable < p.High && k.UntilEnd {
			k.notes = append(k.notes, fmt.Sprintf("%s/%d was read up to offset %d: from there to %d a transaction was still open.", p.Topic, p.ID, p.Stable, p.High))
		}
		if !k.UntilEnd {
			span.End = kafka.Endless
		}
		k.spans[i] = span
		files[i] = trace.MessageFile(p.Topic, p.ID)
		k.Options.Log.Debug("partition", zap.String("name", files[i]), zap.Int64("from", span.From), zap.Int64("end", p.Stable), zap.Int64("high", p.High))
	}
	k.Expect(files)
	return nil
}

// push passes the events on, up to the first malformed message.
func (k *Kafka) push(b *kafka.Batch, take func(Batch) error) error {
	bad := k.assigned.Check(b)
	split := bad != nil
	if len(b.Bad) > 0 && (bad == nil || b.Bad[0].Before <= bad.Before) {
		bad, split = &b.Bad[0], false
	}
	if bad == nil {
		given := Batch{Events: b.Events}
		if k.UntilEnd { // else what is found is shown before the next batch arrives
			given.release = b.Keep()
		}
		return take(given)
	}
	if err := take(Batch{Events: b.Events[:bad.Before]}); err != nil {
		return err
	}
	if split {
		k.split = &bad.Err.Stream
	}
	return bad.Err
}

func (k *Kafka) count(b *kafka.Batch) {
	k.empty += b.Empty
	k.aborted += b.Aborted
	if b.Lost != (kafka.Lost{}) {
		k.lost = append(k.lost, fmt.Sprintf("%s/%d: offsets %d to %d were deleted by retention before they were read.",
			b.Span.Topic, b.Span.Partition, b.Lost.From, b.Lost.To-1))
	}
}

// Notes returns notes about the partitions and the messages that were left out.
func (k *Kafka) Notes() []string {
	notes := append(k.notes, k.lost...)
	if k.empty > 0 {
		notes = append(notes, fmt.Sprintf("messages without a value: %d, skipped.", k.empty))
	}
	if k.aborted > 0 {
		notes = append(notes, fmt.Sprintf("messages of aborted transactions: %d, skipped.", k.aborted))
	}
	return notes
}

// Split returns a stream that is in two partitions, or nil. It ended the reading, since
// the order of the stream's events is unknown.
func (k *Kafka) Split() *string { return k.split }
