// Package topic keeps checkpoints in a compacted topic of Kafka, from which any
// member of a group goes on.
//
// A checkpoint is many records, and Kafka is asked for no transactions. Each
// stream has two keys, its slots, of which the one is written where the other has
// the version that counts. A record says for which checkpoint it was written,
// and the mark, written last, which checkpoint counts: of each stream, the latest
// version up to it. What is written beyond the mark has no effect.
//
// Two marks take turns, and what the one before the last needs is deleted only
// when the next one is there: where the last is damaged, that one counts. What
// both need, as it has not changed, is in both slots: one damaged record damages
// one of them at most.
//
// Each owner writes under keys of its own, so that one that was thought dead
// overwrites nothing of the next one's. The checkpoint of the latest owner
// counts; when it has made two, it deletes what earlier owners wrote.
//
// The checksum of a record is over its key, too. The first partition lists the
// parts that have had a checkpoint, so that it is noticed where one vanishes.
package topic

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor/checkpoint"
	"tracecheck/monitor/topic"
)

// Options say where the topic is.
type Options struct {
	Kafka      kafka.Options // whose Topics and Raw do not count
	Topic      string
	Partitions int // of a topic that is made: as many as what is judged has
	// Pause is how long to wait before a checkpoint that is not whole is read again:
	// compaction may have run through the reading. 0 is a second.
	Pause time.Duration

	chunk int // the most bytes in one write; 0: defaultChunk
}

// defaultChunk is less than the max.message.bytes that topics have by default; a
// chunk must have room for the longest key.
const defaultChunk = 512 << 10

// readBudget is how much is asked for at once, in bytes.
const readBudget = 8 << 20

// Store is the topic. Its methods may be called from several goroutines.
type Store struct {
	broker     broker
	source     *kafka.Source // nil in tests
	topic      string
	partitions int // that are used: the topic may have got more
	chunk      int
	pause      time.Duration
	log        *zap.Logger
}

// Open connects, and makes the topic if there is none.
func Open(ctx context.Context, o Options) (*Store, error) {
	o.chunk = cmp.Or(o.chunk, defaultChunk)
	if o.Kafka.Log == nil {
		o.Kafka.Log = zap.NewNop()
	}
	o.Partitions = max(o.Partitions, 1)
	o.Kafka.Topics, o.Kafka.Raw, o.Kafka.Budget = []string{o.Topic}, true, readBudget
	source, err := kafka.Open(o.Kafka)
	if err != nil {
		return nil, err
	}
	c := &cluster{source, o.Topic, &topic.Producer{Client: source.Client(), Topic: o.Topic, Compression: kafkago.Snappy, Log: o.Kafka.Log}}
	s := &Store{broker: c, source: source, topic: o.Topic, chunk: o.chunk, pause: cmp.Or(o.Pause, time.Second), log: o.Kafka.Log}
	found, err := c.ensure(ctx, &o)
	if err == nil {
		err = s.settle(ctx, found)
	}
	if err != nil {
		source.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the connections.
func (s *Store) Close() error {
	if s.source != nil {
		s.source.Close()
	}
	return nil
}

// settle finds out how many partitions are used. The first record says so, or one
// near it, since each of several monitors that begin at once writes one, and
// compaction leaves the last: a topic that gets more partitions still has each
// part where it was.
func (s *Store) settle(ctx context.Context, found int) error {
	for {
		start, end, err := s.broker.bounds(ctx, 0)
		if err != nil {
			return err
		}
		unusable := func(why error) error {
			return fmt.Errorf("the topic %s cannot be used for checkpoints (%w): name another, which may be one that is not there yet", s.topic, why)
		}
		known, seen := errors.New("it is known"), false
		err = s.broker.read(ctx, 0, start, end, func(m kafka.Message) error {
			seen = true
			k, err := readKey(m.Key)
			if err == nil && k.kind != layout {
				return nil
			}
			var n uint64
			if err == nil {
				_, err = unseal(m.Key, m.Value, &n)
			}
			if err == nil && (n == 0 || n > uint64(found)) {
				err = fmt.Errorf("it was used with %d partitions, and has %d", n, found)
			}
			if err != nil {
				return unusable(err)
			}
			s.partitions = int(n)
			return known
		})
		switch {
		case err == known:
			return nil
		case err != nil:
			return err
		case seen:
			return unusable(errors.New("it has lost its first record"))
		}
		about := key{kind: layout}
		if _, err := s.insist(ctx, 0, []message{{about.bytes(), sealed(about.bytes(), uint64(found))}}); err != nil {
			return err
		}
	}
}

// knows reports whether the first partition says that the part has had a
// checkpoint.
func (s *Store) knows(ctx context.Context, part string) (known bool, err error) {
	start, end, err := s.broker.bounds(ctx, 0)
	if err != nil {
		return false, err
	}
	want := knownKey(part)
	err = s.broker.read(ctx, 0, start, end, func(m kafka.Message) error {
		if bytes.Equal(m.Key, want) {
			known = m.Value != nil
		}
		return nil
	})
	return known, err
}

func knownKey(part string) []byte {
	k := key{kind: known, part: part}
	return k.bytes()
}

// insist writes what may be written twice, until it succeeds.
func (s *Store) insist(ctx context.Context, partition int, messages []message) (at int64, err error) {
	if s.source == nil {
		return s.broker.write(ctx, partition, messages)
	}
	err = s.source.Attempt(ctx, "write to the topic "+s.topic, func(ctx context.Context) (err error) {
		at, err = s.broker.write(ctx, partition, messages)
		return err
	})
	return at, err
}

// partitionOf is where a part is: such as events/3 in partition 3, so that parts
// are as far apart as they were.
func (s *Store) partitionOf(part string) int {
	if i := strings.LastIndexByte(part, '/'); i >= 0 {
		if n, err := strconv.ParseUint(part[i+1:], 10, 31); err == nil {
			return int(n) % s.partitions
		}
	}
	h := fnv.New32a()
	h.Write([]byte(part))
	return int(h.Sum32() % uint32(s.partitions))
}

// claims is how often an owner claims a part before it lets another one be.
const claims = 5

// Open reads what there is, and claims the part.
func (s *Store) Open(ctx context.Context, name string) (checkpoint.Part, error) {
	p := &part{store: s, name: name, partition: s.partitionOf(name), owner: newOwner(), whole: true}
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	for n := range claims {
		p.epoch = p.found.epoch() + 1
		k := key{kind: claim, part: name, space: space{p.epoch, p.owner}}
		at, err := s.insist(ctx, p.partition, []message{{k.bytes(), sealed(k.bytes())}})
		if err != nil {
			return nil, err
		}
		if err := p.readTo(ctx, at+1); err != nil {
			return nil, err
		}
		// Another one that claims it now saw no more than we do.
		alone := true
		for other := range p.found.spaces {
			alone = alone && (other.epoch < p.epoch || other == k.space)
		}
		if alone {
			break
		}
		s.log.Info("another monitor takes the part over at this moment", zap.String("part", name), zap.Int("claims", n+1))
	}
	return p, nil
}
