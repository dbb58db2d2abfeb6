// Package topic stores checkpoints in a compacted Kafka topic. Any member of a
// group can resume from them.
//
// A checkpoint has many records, and uses no Kafka transactions. Each stream
// has two keys, its slots. A new version goes to the slot without the current
// one. A record has the number of its checkpoint. The mark is written last. It has
// the number of the current checkpoint: the latest version of each stream up to it counts.
// Versions after the mark have no effect.
//
// There are two alternating marks. Records of the checkpoint before the last
// are deleted only after the next mark. If the last checkpoint is damaged, the
// one before it is used. Unchanged states are in both slots, so a damaged
// record damages at most one checkpoint.
//
// Each owner writes under its own keys. So an owner that counted as dead
// overwrites nothing of its successor. The checkpoint of the latest owner is
// current. After two checkpoints, it deletes the records of earlier owners.
//
// The checksum of a record covers its key. The first partition lists the parts
// that have had a checkpoint, so a lost checkpoint is noticed.
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

// Options are the settings of a Store.
type Options struct {
	Kafka      kafka.Options // Topics and Raw are ignored
	Topic      string
	Partitions int // of a new topic: as many as the source has
	// Pause is the time before an incomplete checkpoint is read again. Compaction
	// may have run during the reading. 0 is a second.
	Pause time.Duration

	chunk int // bytes of one write; 0: defaultChunk
}

// defaultChunk is less than the default of max.message.bytes, and leaves room
// for the longest key.
const defaultChunk = 512 << 10

// readBudget is the size of a read request, in bytes.
const readBudget = 8 << 20

// Store is a checkpoint.Store. Its methods may be called from several
// goroutines.
type Store struct {
	broker     broker
	source     *kafka.Source // nil in tests
	topic      string
	partitions int // in use: the topic may have more
	chunk      int
	pause      time.Duration
	log        *zap.Logger
}

// Open connects, and creates the topic if it is missing.
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

// Close closes the connections.
func (s *Store) Close() error {
	if s.source != nil {
		s.source.Close()
	}
	return nil
}

// settle finds the number of partitions in use. It is in the first record, or
// in one near it: several monitors that start together each write one, and
// compaction keeps the last. So a topic with added partitions still has each
// part where it was.
func (s *Store) settle(ctx context.Context, found int) error {
	for {
		start, end, err := s.broker.bounds(ctx, 0)
		if err != nil {
			return err
		}
		unusable := func(why error) error {
			return fmt.Errorf("the topic %s cannot be used for checkpoints (%w): name another topic, which need not exist", s.topic, why)
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
				err = fmt.Errorf("it was used with %d partitions, but has %d", n, found)
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
			return unusable(errors.New("its first record is missing"))
		}
		about := key{kind: layout}
		if _, err := s.insist(ctx, 0, []message{{about.bytes(), sealed(about.bytes(), uint64(found))}}); err != nil {
			return err
		}
	}
}

// knows reports whether the first partition lists the part.
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

// insist writes until it succeeds. Duplicates do no harm.
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

// partitionOf is the partition for a part. The part events/3 is in partition 3,
// so that parts are spread as in the source.
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

// claims bounds how often an owner claims a part against another one.
const claims = 5

// Open reads the records, and claims the part.
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
		// Another process that claims it now has read no more than this one.
		alone := true
		for other := range p.found.spaces {
			alone = alone && (other.epoch < p.epoch || other == k.space)
		}
		if alone {
			break
		}
		s.log.Info("another monitor claims the part at the same time", zap.String("part", name), zap.Int("claims", n+1))
	}
	return p, nil
}
