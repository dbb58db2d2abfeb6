package topic

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"tracecheck/ingest/kafka/kafkatest"
)

// A clock that is far ahead of the broker's does not keep messages from it. They
// have a time where the broker takes it.
func TestClockAhead(t *testing.T) {
	cluster := kafkatest.Start(t)
	brokers := cluster.ListenAddrs()
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), "out", 1)
	core, logged := observer.New(zapcore.WarnLevel)
	to, err := Open(Options{Brokers: brokers, Topic: "out", Log: zap.New(core)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(to.Close)
	write := func(value string) {
		t.Helper()
		if _, err := to.Write(bounded(t), []Message{{Value: []byte(value)}}); err != nil {
			t.Errorf("%s: %v", value, err)
		}
	}
	write("before")
	if n := logged.Len(); n > 0 {
		t.Errorf("%d warnings while the clocks are right", n)
	}
	kafkatest.SetBack(t, cluster, 3*time.Hour)
	write("ahead")
	write("still")
	if n := logged.FilterMessageSnippet("message.timestamp.type=LogAppendTime").Len(); n != 1 || logged.Len() != 1 {
		t.Errorf("%d warnings, want 1: %v", n, logged.All())
	}
	checkTimes(t, brokers, "out", "before", "ahead", "still")
}

// A real broker takes messages without a time where it takes no other, and does
// not hold them for old ones.
func TestRealKafkaClock(t *testing.T) {
	brokers, name := kafkatest.Real(t), kafkatest.Topic(t)
	// What is written has been on its way for a moment: too long for this topic.
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), name, 1, "message.timestamp.before.max.ms=0", "retention.ms=3600000", "segment.ms=100")
	to := openTopic(t, brokers, name)
	var want []string
	within := bounded(t)
	for len(want) < 50 {
		_, err := to.Write(within, []Message{{Value: []byte("v")}})
		if err != nil && len(want) == 0 && strings.Contains(err.Error(), "does not exist on this broker") && within.Err() == nil {
			continue // it has just been made
		}
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, "v")
		time.Sleep(5 * time.Millisecond) // over several segments
	}
	if got := read(t, brokers, name, len(want))[0]; len(got) != len(want) {
		t.Errorf("%d messages, want %d", len(got), len(want))
	}
	checkBatches(t, kafkatest.Client(t, brokers), name)
}

// checkTimes reads the topic: messages before the clock was refused have a time,
// the others none.
func checkTimes(t *testing.T, brokers []string, topic string, values ...string) {
	t.Helper()
	c := kafkatest.Client(t, brokers, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	ctx := bounded(t)
	for i := 0; i < len(values); {
		fetched := c.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			t.Fatalf("%d messages of %d: %v", i, len(values), err)
		}
		fetched.EachRecord(func(r *kgo.Record) {
			known := r.Timestamp.After(time.Now().Add(-time.Hour))
			if string(r.Value) != values[i] || known != (values[i] == "before") {
				t.Errorf("message %d is %q at %s, want %q", i, r.Value, r.Timestamp, values[i])
			}
			i++
		})
	}
}

// checkBatches: no batch without a time has one that retention would take for old.
func checkBatches(t *testing.T, c *kgo.Client, name string) {
	t.Helper()
	p := kmsg.NewFetchRequestTopicPartition()
	p.PartitionMaxBytes = 1 << 20
	one := kmsg.NewFetchRequestTopic()
	one.Topic, one.Partitions = name, []kmsg.FetchRequestTopicPartition{p}
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes, req.Topics = 1<<20, []kmsg.FetchRequestTopic{one}
	metadata := kmsg.NewPtrMetadataRequest()
	asked := kmsg.NewMetadataRequestTopic()
	asked.Topic = &name
	metadata.Topics = append(metadata.Topics, asked)
	known, err := metadata.RequestWith(bounded(t), c)
	if err != nil {
		t.Fatal(err)
	}
	req.Topics[0].TopicID = known.Topics[0].TopicID
	res, err := req.RequestWith(bounded(t), c)
	if err != nil {
		t.Fatal(err)
	}
	batches, timeless := 0, 0
	for raw := res.Topics[0].Partitions[0].RecordBatches; len(raw) > 0; batches++ {
		var b kmsg.RecordBatch
		if err := b.ReadFrom(raw); err != nil {
			t.Fatal(err)
		}
		raw = raw[12+b.Length:]
		if b.FirstTimestamp == -1 {
			timeless++
		}
		if b.FirstTimestamp == -1 && b.MaxTimestamp != -1 {
			t.Errorf("a batch without a time has the latest time %d", b.MaxTimestamp)
		}
	}
	if timeless == 0 {
		t.Errorf("none of %d batches is without a time: the test shows nothing", batches)
	}
}
