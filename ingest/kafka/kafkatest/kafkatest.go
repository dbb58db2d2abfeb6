// Package kafkatest is a Kafka cluster in the test's own process, and a
// producer for it and for real ones.
package kafkatest

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Start runs a cluster of one broker, unless opts say otherwise, until the
// test ends.
func Start(t testing.TB, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatalf("no cluster: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// Message is a record with a key and a value; nil is null.
func Message(topic string, partition int, key, value string) *kgo.Record {
	return &kgo.Record{Topic: topic, Partition: int32(partition), Key: bytesOf(key), Value: bytesOf(value)}
}

func bytesOf(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// Client is a producer that leaves the partition to the record.
func Client(t testing.TB, brokers []string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.RequestRetries(3),
	}, opts...)...)
	if err != nil {
		t.Fatalf("no client: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// Produce writes the records, in order, as one producer.
func Produce(t testing.TB, c *kgo.Client, records ...*kgo.Record) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := c.ProduceSync(ctx, records...).FirstErr(); err != nil {
		t.Fatalf("cannot produce: %v", err)
	}
}

// DeleteUpTo deletes a partition's messages before the offset, as retention
// does.
func DeleteUpTo(t testing.TB, c *kgo.Client, topic string, partition int32, offset int64) {
	t.Helper()
	req := kmsg.NewPtrDeleteRecordsRequest()
	req.TimeoutMillis = 10_000
	req.Topics = []kmsg.DeleteRecordsRequestTopic{{
		Topic: topic, Partitions: []kmsg.DeleteRecordsRequestTopicPartition{{Partition: partition, Offset: offset}},
	}}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	res, err := req.RequestWith(ctx, c)
	if err != nil {
		t.Fatalf("cannot delete messages: %v", err)
	}
	if err := kerr.ErrorForCode(res.Topics[0].Partitions[0].ErrorCode); err != nil {
		t.Fatalf("cannot delete messages: %v", err)
	}
}
