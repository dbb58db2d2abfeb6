package deadletter

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	kafkago "github.com/segmentio/kafka-go"

	"tracecheck/monitor/topic"
)

// The headers of a dead letter in Kafka.
const (
	HeaderReason    = "tracecheck-reason"
	HeaderSource    = "tracecheck-source"    // topic/partition/offset, or part:line
	HeaderTruncated = "tracecheck-truncated" // the original length of a truncated value, in bytes
)

// Topic writes dead letters to a Kafka topic, with their original keys and
// values.
type Topic struct{ topic *topic.Topic }

// OpenTopic checks the options. An error is an error of configuration.
func OpenTopic(opts topic.Options) (*Topic, error) {
	t, err := topic.Open(opts)
	if err != nil {
		return nil, err
	}
	return &Topic{t}, nil
}

// Write implements Sink. It truncates a value that is too large for the topic.
func (t *Topic) Write(ctx context.Context, records []Record) error {
	list := make([]topic.Message, len(records))
	for i := range records {
		list[i] = records[i].message(len(records[i].Raw))
	}
	tooLarge, err := t.topic.Write(ctx, list)
	if err != nil || len(tooLarge) == 0 {
		return err
	}
	return fmt.Errorf("the dead letter of %s is too large for the topic, even without its value: raise the topic's max.message.bytes", records[tooLarge[0]].source())
}

// Close implements Sink.
func (t *Topic) Close() error {
	t.topic.Close()
	return nil
}

// mostReason bounds the header, in bytes.
const mostReason = 2000

// message has at most the given number of bytes of the value. Its Shorter has
// half of that, and at last no key.
func (l *Record) message(most int) topic.Message {
	m := topic.Message{Key: l.Key, Value: l.Raw, Headers: []kafkago.Header{
		{Key: HeaderReason, Value: []byte(l.Reason[:min(len(l.Reason), mostReason)])},
		{Key: HeaderSource, Value: []byte(l.source())},
	}}
	if most < len(l.Raw) {
		m.Value = l.Raw[:most]
		m.Headers = append(m.Headers, kafkago.Header{Key: HeaderTruncated, Value: []byte(strconv.Itoa(len(l.Raw)))})
	}
	switch {
	case most > 0:
		m.Shorter = func() topic.Message { return l.message(most / 2) }
	case len(l.Key) > 0:
		m.Shorter = func() topic.Message {
			short := m
			short.Key, short.Shorter = nil, nil
			return short
		}
	}
	return m
}

// source is where the record was read.
func (l *Record) source() string {
	if l.Offset != nil {
		return fmt.Sprintf("%s/%d", strings.TrimPrefix(l.Part, "kafka:"), *l.Offset)
	}
	return fmt.Sprintf("%s:%d", l.Part, l.Line)
}
