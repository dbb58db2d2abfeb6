// Package kafkasource is a monitor's source of Kafka partitions: all partitions
// of some topics, or those assigned to this member of a consumer group.
package kafkasource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor"
)

// Options are the settings of a Source.
type Options struct {
	Kafka kafka.Options // waits for brokers forever, unless Timeout is set
	Group kafka.Group   // no ID: all partitions, without a group
	Start Start         // of partitions without a checkpoint
	Watch time.Duration // interval of looking for new partitions; 0: 5 s
	Grace time.Duration // how long a topic may be missing; 0: 1 min
}

// Start is where to begin; the zero value is the first existing message.
type Start struct {
	Offset int64     // from this offset on
	Time   time.Time // or from this time on, by the messages' timestamps
}

const (
	defaultWatch = 5 * time.Second
	defaultGrace = time.Minute
)

// Source is a monitor.Source.
type Source struct {
	opts        Options
	kafka       *kafka.Source
	log         *zap.Logger
	assignments assignments

	mu       sync.Mutex
	identity kafka.Identity // of the topics, as first seen
}

// Open checks the options. An error is an error of configuration. It does not
// connect.
func Open(o Options) (*Source, error) {
	o.Kafka.Timeout = cmp.Or(o.Kafka.Timeout, kafka.Forever)
	o.Kafka.Log = cmp.Or(o.Kafka.Log, zap.NewNop())
	o.Watch = cmp.Or(o.Watch, defaultWatch)
	o.Grace = cmp.Or(o.Grace, defaultGrace)
	o.Group.Watch = cmp.Or(o.Group.Watch, o.Watch)
	k, err := kafka.Open(o.Kafka)
	if err != nil {
		return nil, err
	}
	return &Source{opts: o, kafka: k, log: o.Kafka.Log}, nil
}

// Close closes the connections.
func (s *Source) Close() { s.kafka.Close() }

// Partitions returns how many partitions the topics have now. It waits for
// brokers, and for missing topics.
func (s *Source) Partitions(ctx context.Context) (int, error) {
	all, err := s.list(ctx)
	return len(all), err
}

// Run calls judge for each partition.
func (s *Source) Run(ctx context.Context, judge func(ctx context.Context, p monitor.Part) error) error {
	all, err := s.list(ctx)
	if err == nil {
		err = s.identify(ctx)
	}
	if err != nil {
		return unlessOver(ctx, err)
	}
	r := &run{Source: s, judge: judge, known: map[kafka.Partition]bool{}}
	going, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var both sync.WaitGroup
	if s.opts.Group.ID == "" {
		r.found = func(all []kafka.Partition) {
			gate := monitor.NewGate(len(all))
			for _, p := range all {
				both.Go(func() {
					if err := r.own(going, &kafka.Claim{Topic: p.Topic, Partition: p.ID}, gate, false); err != nil {
						stop(err)
					}
				})
			}
		}
	} else {
		r.found = func([]kafka.Partition) {} // the group assigns them
		both.Go(func() {
			err := s.kafka.Join(going, s.opts.Group, func(ctx context.Context, c *kafka.Claim) error { return r.own(ctx, c, r.gateOf(c), true) })
			if err != nil {
				stop(err)
			}
		})
	}
	if err := r.watch(going, all); err != nil {
		stop(err)
	}
	both.Wait()
	return unlessOver(ctx, context.Cause(going))
}

// unlessOver returns nil if the error is only that ctx has ended.
func unlessOver(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))) {
		return nil
	}
	return err
}

// run is one call of Run.
type run struct {
	*Source
	judge func(ctx context.Context, p monitor.Part) error
	found func(all []kafka.Partition) // called once for each partition
	known map[kafka.Partition]bool

	mu         sync.Mutex
	generation int32         // the group's latest generation in which this member has partitions
	gate       *monitor.Gate // of these partitions
}

// gateOf returns the gate of this member's partitions in the claim's
// generation.
func (r *run) gateOf(c *kafka.Claim) *monitor.Gate {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gate == nil || r.generation != c.Generation {
		r.generation, r.gate = c.Generation, monitor.NewGate(c.Together)
	}
	return r.gate
}

// own judges a partition, once all partitions of its gate are loaded.
func (r *run) own(ctx context.Context, c *kafka.Claim, gate *monitor.Gate, group bool) error {
	p := &part{source: r.Source, claim: c, gate: gate, group: group, name: nameOf(c.Topic, c.Partition)}
	defer r.assignments.forget(p.name)
	return r.judge(ctx, p)
}

// watch looks for new and for deleted topics' partitions until ctx ends.
func (r *run) watch(ctx context.Context, all []kafka.Partition) error {
	for {
		var found []kafka.Partition
		for _, p := range all {
			if !r.known[p] {
				r.known[p] = true
				found = append(found, p)
			}
		}
		if len(found) > 0 {
			r.found(found)
		}
		select {
		case <-time.After(r.opts.Watch):
		case <-ctx.Done():
			return nil
		}
		var err error
		if all, err = r.list(ctx); err == nil {
			err = r.identify(ctx)
		}
		if err != nil {
			return unlessOver(ctx, err)
		}
		if len(all) < len(r.known) {
			return fmt.Errorf("the topics had %d partitions and have %d now: were they deleted and recreated?", len(r.known), len(all))
		}
	}
}

// identify checks that the topics are the known ones.
func (s *Source) identify(ctx context.Context) error {
	var now kafka.Identity
	err := s.waiting(ctx, func() (err error) {
		now, err = s.kafka.Identify(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return s.know(&now)
}

// list returns the partitions.
func (s *Source) list(ctx context.Context) (all []kafka.Partition, err error) {
	err = s.waiting(ctx, func() (err error) {
		all, err = s.kafka.List(ctx)
		return err
	})
	return all, err
}

// waiting asks the brokers about the topics. An unknown topic may be new: it
// may be just being created, or the broker may not know it yet.
func (s *Source) waiting(ctx context.Context, ask func() error) error {
	var since time.Time
	for {
		err := ask()
		switch {
		case !errors.Is(err, kafkago.UnknownTopicOrPartition):
			return err
		case since.IsZero():
			since = time.Now()
			s.log.Warn("a topic is missing; waiting for it", zap.Duration("at most", s.opts.Grace), zap.Error(err))
		case time.Since(since) > s.opts.Grace:
			return err
		}
		select {
		case <-time.After(min(s.opts.Watch, time.Second)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
