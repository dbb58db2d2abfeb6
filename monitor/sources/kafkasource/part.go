package kafkasource

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/ingest/kafka"
	"tracecheck/monitor"
	"tracecheck/trace"
)

// nameOf is the name of a partition, as a part and as the file of its events.
func nameOf(topic string, partition int) string { return trace.MessageFile(topic, partition) }

// part is a monitor.Part with all its optional interfaces. Its positions are
// offsets.
type part struct {
	source *Source
	claim  *kafka.Claim
	gate   *monitor.Gate
	group  bool // the claim belongs to a group
	name   string
	began  atomic.Int64 // the offset at which reading began
	sight  kafka.Sight
}

func (p *part) Name() string { return p.name }

func (p *part) Gate() *monitor.Gate { return p.gate }

// Saved commits the position to the group.
func (p *part) Saved(_ context.Context, at monitor.Position) {
	if !p.group {
		return
	}
	offset, err := strconv.ParseInt(string(at), 10, 64)
	if err == nil {
		err = p.claim.Commit(offset)
	}
	if err != nil {
		p.source.log.Debug("cannot commit an offset to the group", zap.String("part", p.name), zap.Error(err))
	}
}

// Report returns the latest state by the partition's leader.
func (p *part) Report(at monitor.Position) monitor.Report {
	offset, err := strconv.ParseInt(string(at), 10, 64)
	if err != nil {
		offset = p.began.Load()
	}
	o := p.sight.From(offset)
	return monitor.Report{Answered: o.Answered, Lag: o.Lag, Unit: "messages", Blocked: o.Blocked, Place: fmt.Sprintf("offset %d", offset)}
}

// If a partition seems to end before the position, its leader may be new and
// not up to date.
const (
	looks = 5
	pause = time.Second
)

// Follow reads from the position.
func (p *part) Follow(ctx context.Context, from monitor.Position, take func(*monitor.Batch) error) error {
	offset, err := p.begin(ctx, from)
	p.began.Store(offset)
	for n := 1; err == nil; n++ {
		err = p.read(ctx, &offset, &n, take)
		end, ok := errors.AsType[*kafka.EndError](err)
		switch {
		case !ok:
			return err
		case n >= looks:
			return fmt.Errorf("%w If it was, use --start-over, or another file or topic for the checkpoints", end)
		}
		select {
		case <-time.After(pause):
			err = nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// read reads from the offset, and advances it. looks is more than 1 after the partition
// seemed to end before the offset. read resets it when something arrives.
func (p *part) read(ctx context.Context, offset *int64, looks *int, take func(*monitor.Batch) error) error {
	var out monitor.Batch
	span := kafka.Span{Topic: p.claim.Topic, Partition: p.claim.Partition, From: *offset, End: kafka.Endless}
	return p.source.kafka.FollowOne(ctx, span, &p.sight, func(b *kafka.Batch) error {
		if b.Broken || *looks > 1 { // what is read now may be another topic
			if err := p.source.identify(ctx); err != nil {
				return err
			}
		}
		out = monitor.Batch{
			Events: b.Events, Bad: out.Bad[:0],
			Next: position(b.Next), At: positionOf, Lag: max(0, b.High-b.Next), Unit: "messages",
		}
		if b.Lost != (kafka.Lost{}) {
			out.Missed = &trace.Error{Pos: trace.MessagePos(b.File, b.Lost.From), Reason: fmt.Sprintf(
				"the messages up to offset %d were deleted by retention before they were judged: set retention.ms to more than the longest absence or delay of the monitor", b.Lost.To-1)}
		}
		for i := range b.Bad {
			out.Bad = append(out.Bad, ofRange(b.Bad[i]))
		}
		p.source.assignments.check(b.File, b.Streams, &out)
		if err := take(&out); err != nil {
			return err
		}
		*offset, *looks = b.Next, 1
		return nil
	})
}

// ofRange adds the range of offsets to the error of a record with several.
func ofRange(b ingest.Malformed) ingest.Malformed {
	if first := b.Err.Pos.Number(); b.Last > first {
		one := *b.Err
		one.Reason += fmt.Sprintf(" (offsets %d to %d)", first, b.Last)
		b.Err = &one
	}
	return b
}

func position(offset int64) monitor.Position {
	return monitor.Position(strconv.FormatInt(offset, 10))
}

// positionOf returns the position of a message.
func positionOf(pos trace.Pos) monitor.Position { return position(pos.Number()) }

// begin returns the offset to begin at.
func (p *part) begin(ctx context.Context, from monitor.Position) (int64, error) {
	if from != "" {
		offset, err := strconv.ParseInt(string(from), 10, 64)
		if err != nil || offset < 0 {
			return 0, fmt.Errorf("the checkpoint of %s has the position %q, which is not an offset: it is damaged, or belongs to another source", p.name, from)
		}
		return offset, nil
	}
	s := p.source
	there, err := s.kafka.Partition(ctx, p.claim.Topic, p.claim.Partition)
	if err != nil {
		return 0, err
	}
	start := &s.opts.Start
	if !start.Time.IsZero() {
		at, err := s.kafka.OffsetsAt(ctx, []kafka.Partition{there}, start.Time)
		if err != nil {
			return 0, err
		}
		return at[0], nil
	}
	return min(max(there.Start, start.Offset), max(there.Start, there.High)), nil
}
