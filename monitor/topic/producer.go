package topic

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"go.uber.org/zap"
)

// Producer appends records to partitions of a topic, for good. Its methods may be
// called from several goroutines.
type Producer struct {
	Client      *kafkago.Client
	Topic       string
	Compression kafkago.Compression
	Log         *zap.Logger // nil: nowhere

	timeless atomic.Bool // the broker refuses the time of this machine's clock
}

// noTime is that of a record without one: all brokers take it.
var noTime = time.UnixMilli(-1)

// Produce appends the records, all or none, and returns the offset of the first
// when all in-sync replicas have them. After an error they may be there, or may
// yet come. A broker refuses a time that is far from its own clock's
// (message.timestamp.after.max.ms); the records go without one then.
func (p *Producer) Produce(ctx context.Context, partition int, records func(at time.Time) []kafkago.Record) (int64, error) {
	at := time.Now()
	if p.timeless.Load() {
		at = noTime
	}
	offset, err := p.once(ctx, partition, records(at))
	if !errors.Is(err, kafkago.InvalidTimestamp) {
		return offset, err
	}
	if !p.timeless.Swap(true) && p.Log != nil {
		p.Log.Warn("the broker refuses the time of messages, so they are written without one from now on: this machine's clock or the broker's is wrong; correct it, or give the topic message.timestamp.type=LogAppendTime",
			zap.String("topic", p.Topic), zap.Time("clock", at))
	}
	offset, err = p.once(ctx, partition, records(noTime))
	if errors.Is(err, kafkago.InvalidTimestamp) {
		err = fmt.Errorf("%w: compare this machine's clock with the broker's, or give the topic %s message.timestamp.type=LogAppendTime", err, p.Topic)
	}
	return offset, err
}

func (p *Producer) once(ctx context.Context, partition int, records []kafkago.Record) (int64, error) {
	res, err := p.Client.Produce(ctx, &kafkago.ProduceRequest{
		Topic: p.Topic, Partition: partition, RequiredAcks: kafkago.RequireAll,
		Records: kafkago.NewRecordReader(records...), Compression: p.Compression,
	})
	if err != nil {
		return 0, err
	}
	return res.BaseOffset, res.Error
}
