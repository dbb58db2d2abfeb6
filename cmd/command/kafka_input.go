package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/trace"
	"tracecheck/validators"
)

// kafkaInput is topics that are judged.
type kafkaInput struct {
	opts     kafka.Options
	from     flagvalue.StartAt
	untilEnd bool
	duration flagvalue.Duration // without untilEnd; 0: until the run is interrupted
	expect   func(files []string)
	progress io.Writer // the terminal to show it on; nil: none
	warn     bool      // of what the result does not say, since it goes where notes do not

	// What the first reading finds; another one is of the same.
	spans          []kafka.Span
	said           []string // about the partitions' beginnings and ends
	homes          kafka.Homes
	split          *string // the stream that lies in two partitions
	empty, aborted int
	lost           []string
}

func (k *kafkaInput) name() string {
	return "kafka:" + strings.Join(k.opts.Topics, ",")
}

func (k *kafkaInput) again() bool { return k.untilEnd }

// each calls do with the events, partition by partition, or as they come.
func (k *kafkaInput) each(ctx context.Context, what string, do func([]trace.Event) error) error {
	source, err := kafka.Open(k.opts)
	if err != nil {
		return notOpened{err}
	}
	defer source.Close()
	first := k.spans == nil
	if first {
		k.homes = kafka.Homes{}
		if err := k.look(ctx, source); err != nil {
			if ctx.Err() != nil {
				return err
			}
			return notOpened{err}
		}
	}
	take := func(b *kafka.Batch) error {
		if first {
			k.count(b)
		}
		return k.push(b, do)
	}
	if !k.untilEnd {
		return k.follow(ctx, source, take)
	}
	var bar *console.Progress
	if k.progress != nil {
		bar = console.NewProgress(k.progress, what, "messages", k.total())
	}
	defer bar.Done()
	var read int64
	return source.Drain(ctx, k.spans, func(b *kafka.Batch) error {
		read += b.Next - b.From
		bar.Set(read)
		return take(b)
	})
}

// total is how many offsets there are to read.
func (k *kafkaInput) total() (n int64) {
	for _, s := range k.spans {
		n += max(0, s.End-s.From)
	}
	return n
}

// follow reads until ctx or the duration ends.
func (k *kafkaInput) follow(ctx context.Context, source *kafka.Source, take func(*kafka.Batch) error) error {
	ctx, cancel := flagvalue.Limited(ctx, k.duration)
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
		return nil // an end that was asked for
	}
	return context.Cause(going)
}

// countEvery is how often it is asked whether there are more partitions: those
// that come later are not read.
const countEvery = 2 * time.Second

// look finds out what to read.
func (k *kafkaInput) look(ctx context.Context, source *kafka.Source) error {
	parts, err := source.Partitions(ctx)
	if err != nil {
		return err
	}
	var at []int64
	if !k.from.Time.IsZero() {
		if at, err = source.OffsetsAt(ctx, parts, k.from.Time); err != nil {
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
		case k.from.Text != "":
			span.From = k.from.Offset
		case p.Start > 0:
			k.said = append(k.said, fmt.Sprintf("%s/%d begins at offset %d: retention has deleted what was before.", p.Topic, p.ID, p.Start))
		}
		if span.From > p.Stable && k.untilEnd {
			k.said = append(k.said, fmt.Sprintf("%s/%d ends at offset %d, so that nothing of it was read.", p.Topic, p.ID, p.Stable))
		}
		if p.Stable < p.High && k.untilEnd {
			k.said = append(k.said, fmt.Sprintf("%s/%d was read up to offset %d: from there to %d a transaction was still open.", p.Topic, p.ID, p.Stable, p.High))
		}
		if !k.untilEnd {
			span.End = kafka.Endless
		}
		k.spans[i] = span
		files[i] = trace.MessageFile(p.Topic, p.ID)
		k.opts.Log.Debug("partition", zap.String("name", files[i]), zap.Int64("from", span.From), zap.Int64("end", p.Stable), zap.Int64("high", p.High))
	}
	k.expect(files)
	return nil
}

// push hands the events on, up to the first message that is none.
func (k *kafkaInput) push(b *kafka.Batch, do func([]trace.Event) error) error {
	bad := k.homes.Check(b)
	split := bad != nil
	if len(b.Bad) > 0 && (bad == nil || b.Bad[0].Before <= bad.Before) {
		bad, split = &b.Bad[0], false
	}
	if bad == nil {
		return do(b.Events)
	}
	if err := do(b.Events[:bad.Before]); err != nil {
		return err
	}
	if split {
		k.split = &bad.Err.Stream
	}
	return bad.Err
}

func (k *kafkaInput) count(b *kafka.Batch) {
	k.empty += b.Empty
	k.aborted += b.Aborted
	if b.Lost != (kafka.Lost{}) {
		k.lost = append(k.lost, fmt.Sprintf("%s/%d: offsets %d to %d were deleted by retention before they were read.",
			b.Span.Topic, b.Span.Partition, b.Lost.From, b.Lost.To-1))
	}
}

// after takes out of the result what has no meaning, and says what it does not.
func (k *kafkaInput) after(result *validators.Result) []string {
	if k.split != nil {
		result.Violations = slices.DeleteFunc(result.Violations, func(v validators.Violation) bool { return v.Stream == *k.split })
		result.Desired = slices.DeleteFunc(result.Desired, func(d validators.StreamState) bool { return d.Stream == *k.split })
		result.Liveness = slices.DeleteFunc(result.Liveness, func(l validators.Liveness) bool { return l.Stream == *k.split })
	}
	notes := append(k.said, k.lost...)
	if k.empty > 0 {
		notes = append(notes, fmt.Sprintf("messages without a value: %d, skipped.", k.empty))
	}
	if k.aborted > 0 {
		notes = append(notes, fmt.Sprintf("messages of aborted transactions: %d, skipped.", k.aborted))
	}
	if k.warn {
		for _, n := range notes {
			k.opts.Log.Warn(n)
		}
	}
	return notes
}

// kafkaInput checks how the flags go together.
func (s *settings) kafkaInput(env console.Environment, names []string, log *zap.Logger) (*kafkaInput, error) {
	k := &s.kafka
	switch {
	case len(names) > 0:
		return nil, errors.New("--kafka judges topics, not files: give one or the other")
	case s.socket != "":
		return nil, errors.New("--kafka judges topics, --swarm a live swarm: give one or the other")
	case k.UntilEnd && s.duration != 0:
		return nil, errors.New("--until-end stops at the topics' end, --duration after a time: give one or the other")
	}
	opts, err := k.Options(env.Getenv, log)
	if err != nil {
		return nil, err
	}
	opts.MaxLine = int(s.MaxLine)
	return &kafkaInput{
		opts: opts, from: k.From, untilEnd: k.UntilEnd, duration: s.duration, warn: s.output.Stdout == outputJSON,
	}, nil
}
