// Package kafkatest has an in-process Kafka cluster, and a producer for it and for real
// clusters.
package kafkatest

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
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

// Start runs a cluster until the test ends. By default, it has one broker.
func Start(t testing.TB, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatalf("no cluster: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// Port is a port for a cluster that is closed and started again. The system gives it to
// no other listener or client meanwhile, since it is below the range for these.
func Port(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := 20000 + rand.IntN(10000)
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
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

// Client returns a producer. Each record has its partition.
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
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // a broker may be restarting
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
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	res, err := req.RequestWith(ctx, c)
	if err != nil {
		t.Fatalf("cannot delete messages: %v", err)
	}
	if err := kerr.ErrorForCode(res.Topics[0].Partitions[0].ErrorCode); err != nil {
		t.Fatalf("cannot delete messages: %v", err)
	}
}

// CreateTopic creates a topic. config has strings of the form key=value.
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
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	res, err := req.RequestWith(ctx, c)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(res.Topics[0].ErrorCode)
}

// CreateAgain deletes a topic, and creates another one with the name. In between, it calls
// between, unless nil.
func CreateAgain(t testing.TB, c *kgo.Client, name string, partitions int32, between func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
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
		case !errors.Is(err, kerr.TopicAlreadyExists) || ctx.Err() != nil: // the deletion takes effect later
			t.Fatalf("cannot create the topic again: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Grow adds partitions to a topic, up to the given number.
func Grow(t testing.TB, c *kgo.Client, topic string, partitions int32) {
	t.Helper()
	req := kmsg.NewPtrCreatePartitionsRequest()
	req.TimeoutMillis = 10_000
	req.Topics = []kmsg.CreatePartitionsRequestTopic{{Topic: topic, Count: partitions}}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	res, err := req.RequestWith(ctx, c)
	if err != nil {
		t.Fatalf("cannot add partitions: %v", err)
	}
	if err := kerr.ErrorForCode(res.Topics[0].ErrorCode); err != nil {
		t.Fatalf("cannot add partitions: %v", err)
	}
}

// Real returns the addresses of a real broker from the environment. Without one, it skips
// the test. .ci/kafka starts one.
func Real(t testing.TB) []string {
	t.Helper()
	addr := os.Getenv("TRACECHECK_KAFKA")
	if addr == "" {
		t.Skip("TRACECHECK_KAFKA names no broker")
	}
	return []string{addr}
}

// Closed returns the listener of that broker with TLS and SASL. file returns the path of
// ca.pem, client.pem, client.key or password. The user is eve.
func Closed(t testing.TB) (brokers []string, file func(name string) string) {
	t.Helper()
	Real(t)
	dir := os.Getenv("TRACECHECK_KAFKA_DIR")
	return []string{os.Getenv("TRACECHECK_KAFKA_CLOSED")}, func(name string) string { return filepath.Join(dir, name) }
}

// Topic returns a name that no other test uses.
func Topic(t testing.TB) string {
	return strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
}
