// Package kafkatest is a Kafka cluster in the test's own process, and a
// producer for it and for real ones.
package kafkatest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // a broker may just have been started again
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

// CreateTopic makes a topic, with its configuration as key=value.
func CreateTopic(t testing.TB, c *kgo.Client, name string, partitions int32, config ...string) {
	t.Helper()
	if err := createTopic(c, name, partitions, config); err != nil {
		t.Fatalf("cannot create the topic: %v", err)
	}
}

func createTopic(c *kgo.Client, name string, partitions int32, config []string) error {
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, partitions, 1
	for _, setting := range config {
		key, value, _ := strings.Cut(setting, "=")
		one := kmsg.NewCreateTopicsRequestTopicConfig()
		one.Name, one.Value = key, &value
		topic.Configs = append(topic.Configs, one)
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = 10_000
	req.Topics = append(req.Topics, topic)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	res, err := req.RequestWith(ctx, c)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(res.Topics[0].ErrorCode)
}

// CreateAgain deletes a topic, and creates another one of that name. It calls
// between, if there is one, while there is none.
func CreateAgain(t testing.TB, c *kgo.Client, name string, partitions int32, between func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	del := kmsg.NewPtrDeleteTopicsRequest()
	del.TimeoutMillis = 10_000
	old := kmsg.NewDeleteTopicsRequestTopic()
	old.Topic = &name
	del.TopicNames, del.Topics = []string{name}, append(del.Topics, old)
	gone, err := del.RequestWith(ctx, c)
	if err != nil {
		t.Fatalf("cannot delete the topic: %v", err)
	}
	if err := kerr.ErrorForCode(gone.Topics[0].ErrorCode); err != nil {
		t.Fatalf("cannot delete the topic: %v", err)
	}
	if between != nil {
		between()
	}
	for {
		err := createTopic(c, name, partitions, nil)
		switch {
		case err == nil:
			return
		case !errors.Is(err, kerr.TopicAlreadyExists) || ctx.Err() != nil: // it is deleted a little later
			t.Fatalf("cannot create the topic again: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Grow gives a topic more partitions, so many in all.
func Grow(t testing.TB, c *kgo.Client, topic string, partitions int32) {
	t.Helper()
	req := kmsg.NewPtrCreatePartitionsRequest()
	req.TimeoutMillis = 10_000
	req.Topics = []kmsg.CreatePartitionsRequestTopic{{Topic: topic, Count: partitions}}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	res, err := req.RequestWith(ctx, c)
	if err != nil {
		t.Fatalf("cannot add partitions: %v", err)
	}
	if err := kerr.ErrorForCode(res.Topics[0].ErrorCode); err != nil {
		t.Fatalf("cannot add partitions: %v", err)
	}
}

// Real is the address of a real broker, of which the environment tells. The
// test is skipped where there is none: .ci/kafka starts one.
func Real(t testing.TB) []string {
	t.Helper()
	addr := os.Getenv("TRACECHECK_KAFKA")
	if addr == "" {
		t.Skip("TRACECHECK_KAFKA names no broker")
	}
	return []string{addr}
}

// Closed is another listener of that broker, with TLS and SASL, and the file of
// that name that it goes with: ca.pem, client.pem, client.key, password. The
// user is eve.
func Closed(t testing.TB) (brokers []string, file func(name string) string) {
	t.Helper()
	Real(t)
	dir := os.Getenv("TRACECHECK_KAFKA_DIR")
	return []string{os.Getenv("TRACECHECK_KAFKA_CLOSED")}, func(name string) string { return filepath.Join(dir, name) }
}

// Topic is a name that no other test has.
func Topic(t testing.TB) string {
	return strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
}
