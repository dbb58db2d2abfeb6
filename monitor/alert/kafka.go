package alert

import (
	"cmp"
	"context"

	kafkago "github.com/segmentio/kafka-go"

	"tracecheck/monitor/topic"
)

// HeaderID is the header with an alert's id in a Kafka message.
const HeaderID = "tracecheck-id"

// Topic writes alerts to a Kafka topic. The key is the stream, the value is the
// alert as JSON.
type Topic struct {
	name  string
	topic *topic.Topic
}

// NewTopic checks the options. An error is an error of configuration. An empty
// name means "kafka:" and the topic's name.
func NewTopic(name string, opts topic.Options) (*Topic, error) {
	t, err := topic.Open(opts)
	if err != nil {
		return nil, err
	}
	return &Topic{name: cmp.Or(name, "kafka:"+opts.Topic), topic: t}, nil
}

// Name implements Receiver.
func (t *Topic) Name() string { return t.name }

// Deliver implements Receiver. If an alert is too large for the topic, it is sent without the
// lines of its violation. If it is still too large, it has only its place and rule.
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
		refused.Refusals = append(refused.Refusals, Refusal{Index: i, Reason: "it is too large for the topic, even without its lines: raise the topic's max.message.bytes"})
	}
	return refused
}

func message(a *Alert, value []byte) topic.Message {
	return topic.Message{Key: []byte(a.Stream), Value: value, Headers: []kafkago.Header{{Key: HeaderID, Value: []byte(a.ID)}}}
}

// Close implements Receiver.
func (t *Topic) Close() error {
	t.topic.Close()
	return nil
}
