package alert

import (
	"cmp"
	"context"

	kafkago "github.com/segmentio/kafka-go"

	"tracecheck/monitor/topic"
)

// HeaderID is the header with an alert's id in a Kafka message.
const HeaderID = "tracecheck-id"

// Topic receives alerts as messages of a Kafka topic: the key is the stream, the
// value the alert as JSON.
type Topic struct {
	name  string
	topic *topic.Topic
}

// NewTopic checks the options; an error is one of configuration. The name is ""
// for "kafka:" with that of the topic.
func NewTopic(name string, opts topic.Options) (*Topic, error) {
	t, err := topic.Open(opts)
	if err != nil {
		return nil, err
	}
	return &Topic{name: cmp.Or(name, "kafka:"+opts.Topic), topic: t}, nil
}

// Name is that of Receiver.
func (t *Topic) Name() string { return t.name }

// Deliver is that of Receiver. What is too large for the topic arrives without
// the lines of its violation, or with nothing but where and what it is.
func (t *Topic) Deliver(ctx context.Context, alerts []Alert) error {
	list := make([]topic.Message, len(alerts))
	for i := range alerts {
		list[i] = message(&alerts[i], encode(&alerts[i]))
		list[i].Shorter = func() topic.Message {
			short := message(&alerts[i], encode(withoutLines(&alerts[i])))
			short.Shorter = func() topic.Message { return message(&alerts[i], encode(shortest(&alerts[i]))) }
			return short
		}
	}
	tooLarge, err := t.topic.Write(ctx, list)
	if err != nil || len(tooLarge) == 0 {
		return err
	}
	refused := &RefusedError{}
	for _, i := range tooLarge {
		refused.Refusals = append(refused.Refusals, Refusal{Index: i, Reason: "it is larger than a message of the topic may be, even without its lines: see the topic's max.message.bytes"})
	}
	return refused
}

func message(a *Alert, value []byte) topic.Message {
	return topic.Message{Key: []byte(a.Stream), Value: value, Headers: []kafkago.Header{{Key: HeaderID, Value: []byte(a.ID)}}}
}

// Close is that of Receiver.
func (t *Topic) Close() error {
	t.topic.Close()
	return nil
}
