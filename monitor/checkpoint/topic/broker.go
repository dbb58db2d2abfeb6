package topic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor/topic"
)

// message is a record to write. A nil value deletes the key's record.
type message struct{ key, value []byte }

// broker stores the records.
type broker interface {
	// write appends all messages or none, and returns the offset of the first.
	// After an error they may be stored, or may be stored later.
	write(ctx context.Context, partition int, messages []message) (int64, error)
	// read yields the records of an offset range. They are valid until take
	// returns.
	read(ctx context.Context, partition int, from, end int64, take func(kafka.Message) error) error
	// bounds returns the first offset, and the one after the last.
	bounds(ctx context.Context, partition int) (start, end int64, err error)
}

// writeTimeout bounds a write.
const writeTimeout = 30 * time.Second

// cluster is a broker in Kafka.
type cluster struct {
	source   *kafka.Source
	topic    string
	producer *topic.Producer
}

func (c *cluster) write(ctx context.Context, partition int, messages []message) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	offset, err := c.producer.Produce(ctx, partition, func(at time.Time) []kafkago.Record {
		records := make([]kafkago.Record, len(messages))
		for i, m := range messages {
			records[i] = kafkago.Record{Time: at, Key: kafkago.NewBytes(m.key), Value: kafkago.NewBytes(m.value)}
		}
		return records
	})
	if errors.Is(err, kafkago.MessageSizeTooLarge) {
		err = fmt.Errorf("%w: the topic's max.message.bytes must be more than %d", err, defaultChunk)
	}
	return offset, err
}

func (c *cluster) read(ctx context.Context, partition int, from, end int64, take func(kafka.Message) error) error {
	span := kafka.Span{Topic: c.topic, Partition: partition, From: from, End: end}
	return c.source.Drain(ctx, []kafka.Span{span}, func(b *kafka.Batch) error {
		if len(b.Bad) > 0 {
			return b.Bad[0].Err
		}
		for _, m := range b.Messages {
			if err := take(m); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *cluster) bounds(ctx context.Context, partition int) (start, end int64, err error) {
	all, err := c.source.Partitions(ctx)
	for _, p := range all {
		if p.ID == partition {
			return p.Start, p.Stable, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("%s has no partition %d", c.topic, partition)
	}
	return 0, 0, err
}

// The settings of a new topic. A restart reads all that is not compacted yet,
// which is a segment or two.
var settings = []kafkago.ConfigEntry{
	{ConfigName: "cleanup.policy", ConfigValue: "compact"},
	{ConfigName: "segment.bytes", ConfigValue: "67108864"},
	{ConfigName: "min.cleanable.dirty.ratio", ConfigValue: "0.1"},
	{ConfigName: "delete.retention.ms", ConfigValue: "3600000"},
	{ConfigName: "message.timestamp.type", ConfigValue: "LogAppendTime"}, // independent of our clock
}

// ensure creates the topic if it is missing, and returns its number of
// partitions.
func (c *cluster) ensure(ctx context.Context, o *Options) (partitions int, err error) {
	made := false
	for {
		all, err := c.source.Partitions(ctx)
		switch {
		case err == nil && len(all) > 0:
			return len(all), c.compacted(ctx, o.Kafka.Log)
		case err != nil && !errors.Is(err, kafkago.UnknownTopicOrPartition):
			return 0, err
		}
		if !made {
			if err := c.create(ctx, o); err != nil {
				return 0, err
			}
			made = true
			o.Kafka.Log.Info("created the checkpoint topic", zap.String("topic", c.topic), zap.Int("partitions", o.Partitions))
		}
		select { // until the brokers know it
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (c *cluster) create(ctx context.Context, o *Options) error {
	const replicas = -1 // the broker's default
	return c.source.Attempt(ctx, "make the topic "+c.topic, func(ctx context.Context) error {
		res, err := c.source.Client().CreateTopics(ctx, &kafkago.CreateTopicsRequest{Topics: []kafkago.TopicConfig{{
			Topic: c.topic, NumPartitions: o.Partitions, ReplicationFactor: replicas, ConfigEntries: settings,
		}}})
		if err != nil {
			return err
		}
		if err := res.Errors[c.topic]; err != nil && !errors.Is(err, kafkago.TopicAlreadyExists) {
			return err
		}
		return nil
	})
}

// compacted checks that Kafka does not delete old checkpoints.
func (c *cluster) compacted(ctx context.Context, log *zap.Logger) error {
	const name = "cleanup.policy"
	policy := ""
	err := c.source.Attempt(ctx, "read the settings of "+c.topic, func(ctx context.Context) error {
		res, err := c.source.Client().DescribeConfigs(ctx, &kafkago.DescribeConfigsRequest{Resources: []kafkago.DescribeConfigRequestResource{{
			ResourceType: kafkago.ResourceTypeTopic, ResourceName: c.topic, ConfigNames: []string{name},
		}}})
		if err != nil {
			return err
		}
		for _, r := range res.Resources {
			if r.Error != nil {
				return r.Error
			}
			for _, e := range r.ConfigEntries {
				if e.ConfigName == name {
					policy = e.ConfigValue
				}
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, kafkago.TopicAuthorizationFailed):
		log.Warn("cannot read the settings of the checkpoint topic: make sure that it has cleanup.policy=compact", zap.String("topic", c.topic))
		return nil
	case err != nil:
		return err
	case policy != "" && (!strings.Contains(policy, "compact") || strings.Contains(policy, "delete")):
		return fmt.Errorf("the topic %s has cleanup.policy=%s, so Kafka would delete checkpoints: set it to compact, or name another topic", c.topic, policy)
	}
	return nil
}
