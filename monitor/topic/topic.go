// Package topic writes messages to a Kafka topic, and waits for all in-sync
// replicas.
package topic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
)

// Options are the topic and the connection.
type Options struct {
	Brokers  []string // host:port, at least one
	Topic    string
	Security kafka.Security
	Timeout  time.Duration // for one answer; 0: DefaultTimeout
	Log      *zap.Logger   // nil: no log
}

// DefaultTimeout is the default of Options.Timeout.
const DefaultTimeout = 10 * time.Second

// Message is a message to write.
type Message struct {
	Key, Value []byte // nil is null
	Headers    []kafkago.Header
	// Shorter returns the message to write instead if this one is too large for
	// the topic; nil: there is none.
	Shorter func() Message
}

// Topic is a topic to write to. One goroutine at a time may write.
type Topic struct {
	opts      Options
	transport *kafkago.Transport
	producer  *Producer
}

const (
	// mostBytes bounds a request, with room for what Kafka adds. By default
	// brokers accept 1,048,588 bytes.
	mostBytes = 900_000
	// tooMuch is more than any broker accepts. By default, a request of 100 MiB
	// makes the broker close the connection without an error.
	tooMuch = 50 << 20
)

// Open checks the options. An error is an error of configuration. It does not
// connect.
func Open(opts Options) (*Topic, error) {
	if err := kafka.Check(opts.Brokers, []string{opts.Topic}); err != nil {
		return nil, err
	}
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	transport, err := opts.Security.Transport(opts.Topic)
	if err != nil {
		return nil, err
	}
	client := &kafkago.Client{Addr: kafkago.TCP(opts.Brokers...), Transport: transport, Timeout: opts.Timeout}
	return &Topic{opts: opts, transport: transport, producer: &Producer{Client: client, Topic: opts.Topic, Log: opts.Log}}, nil
}

// Close ends the connections.
func (t *Topic) Close() { t.transport.CloseIdleConnections() }

// Write returns when all in-sync replicas have the messages. tooLarge are the
// indices of those that were too large even when shortened. Messages with the
// same key stay in order. After an error some of them may be stored.
func (t *Topic) Write(ctx context.Context, list []Message) (tooLarge []int, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	parts, err := t.spread(ctx, list)
	if err != nil {
		return nil, t.explain("", err)
	}
	w := writing{topic: t, list: slices.Clone(list)}
	for _, p := range slices.Sorted(maps.Keys(parts)) {
		if err := w.inOrder(ctx, p, parts[p]); err != nil {
			return nil, t.explain(fmt.Sprint("/", p), err)
		}
	}
	slices.Sort(w.tooLarge)
	return w.tooLarge, nil
}

// spread assigns messages to partitions, as Java's producers do.
func (t *Topic) spread(ctx context.Context, list []Message) (map[int][]int, error) {
	res, err := t.producer.Client.Metadata(ctx, &kafkago.MetadataRequest{Topics: []string{t.opts.Topic}})
	if err != nil {
		return nil, err
	}
	var partitions []int
	for i := range res.Topics {
		if err := res.Topics[i].Error; err != nil {
			return nil, err
		}
		for _, p := range res.Topics[i].Partitions {
			partitions = append(partitions, p.ID)
		}
	}
	if len(partitions) == 0 {
		return nil, kafkago.UnknownTopicOrPartition
	}
	slices.Sort(partitions)
	var by kafkago.Murmur2Balancer
	parts := map[int][]int{}
	for i := range list {
		p := by.Balance(kafkago.Message{Key: list[i].Key}, partitions...)
		parts[p] = append(parts[p], i)
	}
	return parts, nil
}

// explain adds the topic to an error; partition is "" or as in "/3".
func (t *Topic) explain(partition string, err error) error {
	text := kafka.BareError(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		text = "no answer"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		text = "the broker closed the connection: it may require TLS or a login"
	}
	return fmt.Errorf("cannot write to %s%s in Kafka at %s: %s", t.opts.Topic, partition, strings.Join(t.opts.Brokers, ","), text)
}
