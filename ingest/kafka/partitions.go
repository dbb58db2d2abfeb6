package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	kafkago "github.com/segmentio/kafka-go"
)

// Partition is a partition of a topic, with its current offsets.
type Partition struct {
	Topic  string
	ID     int
	Start  int64 // the first remaining offset
	Stable int64 // the last stable offset: a transaction may be open from there on
	High   int64 // the high watermark
}

// Span returns the range that can be read now.
func (p *Partition) Span() Span {
	return Span{Topic: p.Topic, Partition: p.ID, From: p.Start, End: p.Stable}
}

// Partitions returns the topics' partitions, in the order of their names and
// numbers.
func (s *Source) Partitions(ctx context.Context) ([]Partition, error) {
	all, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	return all, s.bounds(ctx, all)
}

// Partition returns one partition.
func (s *Source) Partition(ctx context.Context, topic string, id int) (Partition, error) {
	one := []Partition{{Topic: topic, ID: id}}
	err := s.bounds(ctx, one)
	return one[0], err
}

// List is Partitions without their offsets.
func (s *Source) List(ctx context.Context) (all []Partition, err error) {
	err = s.Attempt(ctx, "read the topics' partitions", func(ctx context.Context) (err error) {
		all, err = s.named(ctx)
		return err
	})
	return all, err
}

// bounds requests the offsets of the partitions.
func (s *Source) bounds(ctx context.Context, all []Partition) error {
	read := []struct {
		time  int64
		level kafkago.IsolationLevel
		to    func(*Partition) *int64
	}{
		{kafkago.FirstOffset, kafkago.ReadUncommitted, func(p *Partition) *int64 { return &p.Start }},
		{kafkago.LastOffset, kafkago.ReadCommitted, func(p *Partition) *int64 { return &p.Stable }},
		{kafkago.LastOffset, kafkago.ReadUncommitted, func(p *Partition) *int64 { return &p.High }},
	}
	for _, r := range read {
		found, err := s.offsets(ctx, all, r.time, r.level)
		if err != nil {
			return err
		}
		for i := range all {
			*r.to(&all[i]) = found[i]
		}
	}
	return nil
}

// OffsetsAt returns, for each partition, the offset of its first message with the timestamp
// t or a later one. Without such a message, it is the partition's Stable.
func (s *Source) OffsetsAt(ctx context.Context, all []Partition, t time.Time) ([]int64, error) {
	found, err := s.offsets(ctx, all, t.UnixMilli(), kafkago.ReadCommitted)
	for i := range found {
		if found[i] < 0 {
			found[i] = all[i].Stable
		}
	}
	return found, err
}

// Count returns the number of partitions by the library's cache, without a request.
func (s *Source) Count(ctx context.Context) (int, error) {
	all, err := s.named(ctx)
	return len(all), err
}

// named returns the partitions without their offsets.
func (s *Source) named(ctx context.Context) ([]Partition, error) {
	known, err := s.client.Metadata(ctx, &kafkago.MetadataRequest{Topics: s.opts.Topics})
	if err != nil {
		return nil, err
	}
	var all []Partition
	for _, t := range known.Topics {
		if t.Error != nil {
			return nil, topicError{t.Name, t.Error}
		}
		for _, p := range t.Partitions {
			all = append(all, Partition{Topic: t.Name, ID: p.ID})
		}
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.ID, b.ID)) < 0
	})
	return all, nil
}

// existing returns the number of partitions, as Count does. A missing topic has none.
func (s *Source) existing(ctx context.Context) (n int, err error) {
	known, err := s.client.Metadata(ctx, &kafkago.MetadataRequest{Topics: s.opts.Topics})
	if err != nil {
		return 0, err
	}
	for _, t := range known.Topics {
		if t.Error != nil && !errors.Is(t.Error, kafkago.UnknownTopicOrPartition) {
			return 0, topicError{t.Name, t.Error}
		}
		n += len(t.Partitions)
	}
	return n, nil
}

// offsets requests one offset of each partition.
func (s *Source) offsets(ctx context.Context, all []Partition, time int64, level kafkago.IsolationLevel) ([]int64, error) {
	var found []int64
	err := s.Attempt(ctx, "read the partitions' offsets", func(ctx context.Context) (err error) {
		found, err = s.ask(ctx, all, time, level)
		return err
	})
	return found, err
}

func (s *Source) ask(ctx context.Context, all []Partition, time int64, level kafkago.IsolationLevel) ([]int64, error) {
	wanted := map[string][]kafkago.OffsetRequest{}
	for _, p := range all {
		wanted[p.Topic] = append(wanted[p.Topic], kafkago.OffsetRequest{Partition: p.ID, Timestamp: time})
	}
	res, err := s.client.ListOffsets(ctx, &kafkago.ListOffsetsRequest{Topics: wanted, IsolationLevel: level})
	if err != nil {
		return nil, err
	}
	found := make([]int64, len(all))
	for i, p := range all {
		k := slices.IndexFunc(res.Topics[p.Topic], func(o kafkago.PartitionOffsets) bool { return o.Partition == p.ID })
		if k < 0 {
			return nil, fmt.Errorf("the brokers' answer does not have %s/%d", p.Topic, p.ID)
		}
		o := &res.Topics[p.Topic][k]
		if o.Error != nil {
			return nil, topicError{fmt.Sprintf("%s/%d", p.Topic, p.ID), o.Error}
		}
		switch time {
		case kafkago.FirstOffset:
			found[i] = o.FirstOffset
		case kafkago.LastOffset:
			found[i] = o.LastOffset
		default:
			found[i] = -1
			for offset := range o.Offsets { // one
				found[i] = offset
			}
		}
	}
	return found, nil
}
