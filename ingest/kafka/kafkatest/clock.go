package kafkatest

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// SetBack sets the brokers' clock back, so that producers are ahead of it. Like a broker
// with message.timestamp.type=CreateTime, it refuses messages with a time more than an
// hour ahead.
func SetBack(t testing.TB, c *kfake.Cluster, by time.Duration) {
	t.Helper()
	c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		most := time.Now().Add(time.Hour - by).UnixMilli()
		res := req.ResponseKind().(*kmsg.ProduceResponse)
		refused := false
		for _, topic := range req.(*kmsg.ProduceRequest).Topics {
			one := kmsg.NewProduceResponseTopic()
			one.Topic, one.TopicID = topic.Topic, topic.TopicID
			for _, p := range topic.Partitions {
				var b kmsg.RecordBatch
				if err := b.ReadFrom(p.Records); err != nil {
					t.Errorf("a batch cannot be read: %v", err)
				}
				part := kmsg.NewProduceResponseTopicPartition()
				part.Partition = p.Partition
				if b.MaxTimestamp > most {
					part.ErrorCode, refused = kerr.InvalidTimestamp.Code, true
				}
				one.Partitions = append(one.Partitions, part)
			}
			res.Topics = append(res.Topics, one)
		}
		return res, nil, refused
	})
}
