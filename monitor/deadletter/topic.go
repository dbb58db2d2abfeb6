package deadletter

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	kafkago "github.com/segmentio/kafka-go"

	"tracecheck/monitor/topic"
)

// The headers of a letter in Kafka.
const (
	HeaderReason    = "tracecheck-reason"
	HeaderSource    = "tracecheck-source"    // topic/partition/offset, or part:line
	HeaderTruncated = "tracecheck-truncated" // how many bytes the value had, where the topic does not take it whole
)

// Topic takes letters as messages of a Kafka topic, with their keys and values
// as they were.
type Topic struct{ topic *topic.Topic }

// OpenTopic checks the options; an error is one of configuration.
func OpenTopic(opts topic.Options) (*Topic, error) {
	t, err := topic.Open(opts)
	if err != nil {
		return nil, err
	}
	return &Topic{t}, nil
}

// Write is that of Sink. A value that is too large for the topic is cut off.
func (t *Topic) Write(ctx context.Context, letters []Letter) error {
	list := make([]topic.Message, len(letters))
	for i := range letters {
		list[i] = letters[i].message(len(letters[i].Raw))
	}
	tooLarge, err := t.topic.Write(ctx, list)
	if err != nil || len(tooLarge) == 0 {
		return err
	}
	return fmt.Errorf("the topic of dead letters takes no message of %s, not even without its value: see the topic's max.message.bytes", letters[tooLarge[0]].source())
}

// Close is that of Sink.
func (t *Topic) Close() error {
	t.topic.Close()
	return nil
}

// mostReason bounds the header, in bytes.
const mostReason = 2000

// message has so many bytes of the value. Where that is too much it has half as
// many, and at last no key.
func (l *Letter) message(most int) topic.Message {
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

// source is where the letter was read.
func (l *Letter) source() string {
	if l.Offset != nil {
		return fmt.Sprintf("%s/%d", strings.TrimPrefix(l.Part, "kafka:"), *l.Offset)
	}
	return fmt.Sprintf("%s:%d", l.Part, l.Line)
}
