package topic

import (
	"context"
	"errors"
	"time"

	kafkago "github.com/segmentio/kafka-go"
)

// writing is the state of one Write.
type writing struct {
	topic    *Topic
	list     []Message
	tooLarge []int
}

// inOrder writes messages to a partition, in requests that a broker accepts.
func (w *writing) inOrder(ctx context.Context, partition int, which []int) error {
	for len(which) > 0 {
		n, size := 1, w.list[which[0]].size()
		for n < len(which) && size+w.list[which[n]].size() <= mostBytes {
			size += w.list[which[n]].size()
			n++
		}
		if err := w.together(ctx, partition, which[:n]); err != nil {
			return err
		}
		which = which[n:]
	}
	return nil
}

// together writes messages in one request. If that is too large, it splits the
// request, and at last shortens a message.
func (w *writing) together(ctx context.Context, partition int, which []int) error {
	err := w.produce(ctx, partition, which)
	if !errors.Is(err, kafkago.MessageSizeTooLarge) && !errors.Is(err, kafkago.RecordListTooLarge) {
		return err
	}
	if half := len(which) / 2; half > 0 {
		if err := w.together(ctx, partition, which[:half]); err != nil {
			return err
		}
		return w.together(ctx, partition, which[half:])
	}
	m := &w.list[which[0]]
	if m.Shorter == nil {
		w.tooLarge = append(w.tooLarge, which[0])
		return nil
	}
	*m = m.Shorter()
	return w.together(ctx, partition, which)
}

func (w *writing) produce(ctx context.Context, partition int, which []int) error {
	for _, n := range which {
		if w.list[n].size() > tooMuch {
			return kafkago.MessageSizeTooLarge
		}
	}
	_, err := w.topic.producer.Produce(ctx, partition, func(at time.Time) []kafkago.Record {
		records := make([]kafkago.Record, len(which))
		for i, n := range which {
			m := &w.list[n]
			records[i] = kafkago.Record{Time: at, Headers: m.Headers}
			if m.Key != nil {
				records[i].Key = kafkago.NewBytes(m.Key)
			}
			if m.Value != nil {
				records[i].Value = kafkago.NewBytes(m.Value)
			}
		}
		return records
	})
	return err
}

// size is an upper bound of the message's size in a request, in bytes.
func (m *Message) size() int {
	n := 100 + len(m.Key) + len(m.Value)
	for _, h := range m.Headers {
		n += 20 + len(h.Key) + len(h.Value)
	}
	return n
}
