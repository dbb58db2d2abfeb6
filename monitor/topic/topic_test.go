package topic

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tracecheck/ingest/kafka/kafkatest"
)

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func openTopic(t *testing.T, brokers []string, name string) *Topic {
	t.Helper()
	to, err := Open(Options{Brokers: brokers, Topic: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(to.Close)
	return to
}

// read returns so many messages of the topic, each partition's in order.
func read(t *testing.T, brokers []string, topic string, n int) map[int32][]string {
	t.Helper()
	c := kafkatest.Client(t, brokers, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	ctx := bounded(t)
	got := map[int32][]string{}
	for count := 0; count < n; {
		list := c.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			t.Fatalf("%d messages of %d: %v", count, n, err)
		}
		list.EachRecord(func(r *kgo.Record) {
			count++
			got[r.Partition] = append(got[r.Partition], fmt.Sprintf("%s=%s", r.Key, r.Value))
		})
	}
	return got
}

// Where keys go is what producers written in Java make of them: the same stream
// is in the same partition for every writer.
func TestWrite(t *testing.T) {
	cluster := kafkatest.Start(t, kfake.NumBrokers(3))
	brokers := cluster.ListenAddrs()
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), "out", 4)
	to := openTopic(t, brokers, "out")
	java := kgo.StickyKeyPartitioner(nil).ForTopic("out")
	want := map[int32][]string{}
	n := 0
	for range 20 {
		var list []Message
		for range 30 {
			key := fmt.Sprint("stream-", n%17)
			value := fmt.Sprint(n)
			list = append(list, Message{Key: []byte(key), Value: []byte(value), Headers: []kafkago.Header{{Key: "h", Value: []byte(value)}}})
			p := java.Partition(&kgo.Record{Key: []byte(key)}, 4)
			want[int32(p)] = append(want[int32(p)], key+"="+value)
			n++
		}
		if tooLarge, err := to.Write(bounded(t), list); err != nil || len(tooLarge) > 0 {
			t.Fatalf("Write: %v, %v", tooLarge, err)
		}
	}
	if _, err := to.Write(bounded(t), nil); err != nil {
		t.Error("nothing to write:", err)
	}
	got := read(t, brokers, "out", n)
	for p := range int32(4) {
		if !slices.Equal(got[p], want[p]) {
			t.Errorf("partition %d has %d messages, want %d, or another order", p, len(got[p]), len(want[p]))
		}
	}
}

// What is too large for the topic is found among others, made shorter in its
// place, and reported where that does not help.
func TestTooLarge(t *testing.T) {
	const limit = 2000
	cluster := kafkatest.Start(t)
	brokers := cluster.ListenAddrs()
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), "small", 1, fmt.Sprint("max.message.bytes=", limit))
	to := openTopic(t, brokers, "small")
	long := strings.Repeat("x", limit)
	plain := func(v string) Message { return Message{Key: []byte("k"), Value: []byte(v)} }
	shrinks := func(steps ...string) Message {
		var at func(i int) Message
		at = func(i int) Message {
			m := plain(steps[i])
			if i+1 < len(steps) {
				m.Shorter = func() Message { return at(i + 1) }
			}
			return m
		}
		return at(0)
	}
	list := []Message{
		plain("0"), plain(long), plain("2"), shrinks(long, "3"), plain(strings.Repeat("y", limit/2)), plain(strings.Repeat("y", limit/2)),
		shrinks(long, long), shrinks(long, long, "7"), shrinks("8", "8 cut"), shrinks(strings.Repeat("z", tooMuch), "9"),
	}
	tooLarge, err := to.Write(bounded(t), list)
	if err != nil || !slices.Equal(tooLarge, []int{1, 6}) {
		t.Fatalf("too large: %v (%v), want [1 6]", tooLarge, err)
	}
	y := "k=" + strings.Repeat("y", limit/2)
	want := []string{"k=0", "k=2", "k=3", y, y, "k=7", "k=8", "k=9"}
	if got := read(t, brokers, "small", len(want))[0]; !slices.Equal(got, want) {
		t.Errorf("got %.40q, want %.40q", got, want)
	}
}

// A message that is not acknowledged is no success, and what comes behind it in
// its partition is not written before it.
func TestFailure(t *testing.T) {
	cluster := kafkatest.Start(t)
	brokers := cluster.ListenAddrs()
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), "out", 1)
	to := openTopic(t, brokers, "out")
	fail := true
	cluster.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if acks := req.(*kmsg.ProduceRequest).Acks; acks != -1 {
			t.Errorf("%d replicas are to acknowledge, want all in sync (-1)", acks)
		}
		if !fail {
			return nil, nil, false
		}
		fail = false
		res := req.ResponseKind().(*kmsg.ProduceResponse)
		res.Topics = []kmsg.ProduceResponseTopic{{Topic: "out", Partitions: []kmsg.ProduceResponseTopicPartition{{ErrorCode: kerr.NotEnoughReplicas.Code}}}}
		return res, nil, true
	})
	var list []Message
	for i := range 3 {
		list = append(list, Message{Key: []byte("k"), Value: []byte(strings.Repeat(fmt.Sprint(i), mostBytes/2+1))}) // a request each
	}
	if _, err := to.Write(bounded(t), list); err == nil || !strings.Contains(err.Error(), "cannot write to out/0 in Kafka") {
		t.Errorf("not enough replicas: %v", err)
	}
	if _, err := to.Write(bounded(t), list); err != nil {
		t.Fatal(err)
	}
	for i, m := range read(t, brokers, "out", 3)[0] {
		if m[2] != byte('0'+i) {
			t.Errorf("message %d is %.5s", i, m)
		}
	}
	if _, err := openTopic(t, brokers, "absent").Write(bounded(t), list); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("no such topic: %v", err)
	}
	ctx, cancel := context.WithCancel(bounded(t))
	cancel()
	if _, err := to.Write(ctx, list); err == nil {
		t.Error("written after the context had ended")
	}
	cluster.Close()
	if _, err := to.Write(bounded(t), list); err == nil {
		t.Error("written without a broker")
	}
}

func TestOpenChecks(t *testing.T) {
	for _, o := range []Options{
		{Topic: "t"}, {Brokers: []string{"localhost"}, Topic: "t"}, {Brokers: []string{"localhost:9092"}, Topic: "a b"}, {Brokers: []string{"localhost:9092"}},
	} {
		if _, err := Open(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
