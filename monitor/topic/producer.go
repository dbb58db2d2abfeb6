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

// Producer appends records to partitions of a topic. Its methods may be called
// from several goroutines.
type Producer struct {
	Client      *kafkago.Client
	Topic       string
	Compression kafkago.Compression
	Log         *zap.Logger // nil: no log

	timeless atomic.Bool // the broker rejects this machine's time
}

// noTime is the time of a record without one. All brokers accept it.
var noTime = time.UnixMilli(-1)

// Produce appends all records or none. It returns the offset of the first when
// all in-sync replicas have them. After an error they may be stored, or may be
// stored later. A broker rejects times that are far from its clock
// (message.timestamp.after.max.ms). Then the records are sent without a time.
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
		p.Log.Warn("the broker rejects the time of messages: from now on they have none. Correct the clock of this machine or the broker, or give the topic message.timestamp.type=LogAppendTime",
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
