package topic

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tracecheck/ingest/kafka"
	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor/checkpoint"
)

var _ checkpoint.Store = (*Store)(nil)

func openTopic(t testing.TB, brokers []string, name string, partitions int) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{
		Kafka: kafka.Options{Brokers: brokers, Timeout: 20 * time.Second}, Topic: name, Partitions: partitions, Pause: time.Millisecond, chunk: 8 << 10,
	})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// The topic is made as it has to be, and what is saved is there for the next
// process, before and after compaction.
func TestTopic(t *testing.T) {
	c := kafkatest.Start(t)
	testTopic(t, c.ListenAddrs(), "state", 3, c.Compact)
	info := c.TopicInfo("state")
	for _, want := range settings {
		if got := info.Configs[want.ConfigName]; got == nil || *got != want.ConfigValue {
			t.Errorf("%s is %v, want %s", want.ConfigName, got, want.ConfigValue)
		}
	}
}

func testTopic(t *testing.T, brokers []string, topic string, partitions int, compact func()) {
	maker := saver{rng: rand.New(rand.NewPCG(6, 6))}
	want := map[string]*picture{}
	for range 4 {
		s := openTopic(t, brokers, topic, partitions)
		if s.partitions != partitions {
			t.Fatalf("%d partitions, want %d", s.partitions, partitions)
		}
		for i := range 4 {
			name := fmt.Sprint("kafka:events/", i)
			p, got := openPart(t, s, name)
			if !got.equal(want[name]) {
				t.Fatalf("%s: got %v, want %v", name, got, want[name])
			}
			for range 5 {
				to, c := maker.next(want[name], p.Whole())
				if err := p.Save(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				want[name] = to
			}
		}
		s.Close()
		compact()
	}
}

// cutOff is a broker whose writing ends after some records, as when its owner is
// killed.
type cutOff struct {
	broker
	mu   sync.Mutex
	left int
}

func (c *cutOff) write(ctx context.Context, partition int, messages []message) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(c.left, len(messages))
	if c.left -= n; n > 0 {
		if at, err := c.broker.write(ctx, partition, messages[:n]); err != nil || n == len(messages) {
			return at, err
		}
	}
	return 0, errBroker
}

// As TestStopsAfterAnyRecord, in Kafka.
func TestTopicStopsAfterAnyRecord(t *testing.T) {
	c := kafkatest.Start(t)
	testCutOff(t, c.ListenAddrs(), "state", c.Compact)
}

func testCutOff(t *testing.T, brokers []string, topic string, compact func()) {
	s := openTopic(t, brokers, topic, 2)
	for k := 0; ; k++ {
		name := fmt.Sprint("part ", k)
		maker := saver{rng: rand.New(rand.NewPCG(8, 8))}
		first, _ := openPart(t, s, name)
		cutter := *s
		cutter.broker = &cutOff{broker: s.broker, left: k}
		first.(*part).store = &cutter
		last, making := (*picture)(nil), (*picture)(nil)
		stopped := false
		for range 4 {
			var c *checkpoint.Change
			making, c = maker.next(last, first.Whole())
			if stopped = first.Save(t.Context(), c) != nil; stopped {
				break
			}
			if last = making; first.Whole() {
				break
			}
		}
		if k%8 == 0 {
			compact()
		}
		second, got := openPart(t, s, name)
		if !got.equal(last) && !(stopped && got.equal(making)) {
			t.Fatalf("after %d records: got %v, want %v, or what was being made, %v", k, got, last, making)
		}
		to, c := maker.next(got, true)
		if err := second.Save(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if _, got := openPart(t, s, name); !got.equal(to) {
			t.Fatalf("after %d records: the next owner's: got %v, want %v", k, got, to)
		}
		if !stopped && !first.Whole() {
			return
		}
	}
}

// A broker that fails makes a save fail, and not more.
func TestTopicFails(t *testing.T) {
	c := kafkatest.Start(t)
	s := openTopic(t, c.ListenAddrs(), "state", 1)
	p, _ := openPart(t, s, "a")
	maker := saver{rng: rand.New(rand.NewPCG(9, 9))}
	first, change := maker.next(nil, true)
	if err := p.Save(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	for _, fail := range []func() (*kmsg.ProduceResponse, error){
		func() (*kmsg.ProduceResponse, error) { return nil, fmt.Errorf("cut") },
		func() (*kmsg.ProduceResponse, error) {
			res := kmsg.NewPtrProduceResponse()
			one := kmsg.NewProduceResponseTopic()
			one.Topic = "state"
			part := kmsg.NewProduceResponseTopicPartition()
			part.ErrorCode = int16(kafkago.MessageSizeTooLarge)
			one.Partitions = append(one.Partitions, part)
			res.Topics = append(res.Topics, one)
			return res, nil
		},
	} {
		c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
			res, err := fail()
			if err != nil {
				return nil, err, true
			}
			res.SetVersion(req.GetVersion())
			return res, nil, true
		})
		_, change := maker.next(first, true)
		err := p.Save(t.Context(), change)
		if err == nil || !strings.Contains(err.Error(), "cannot save a checkpoint of a in topic state: ") {
			t.Errorf("got %v", err)
		}
		if !p.Whole() {
			t.Error("the next may be of some streams")
		}
		if _, got := openPart(t, s, "a"); !got.equal(first) {
			t.Errorf("got %v, want %v", got, first)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, change = maker.next(first, true)
	if err := p.Save(over, change); err == nil {
		t.Error("a save that was given up succeeds")
	}
	if _, err := s.Open(over, "a"); err == nil {
		t.Error("and so does an Open")
	}
}

// A topic that is not one of checkpoints is not written to.
func TestTopicIsAnother(t *testing.T) {
	c := kafkatest.Start(t, kfake.SeedTopics(1, "deleting"))
	client := kafkatest.Client(t, c.ListenAddrs())
	compact := "cleanup.policy=compact"
	kafkatest.CreateTopic(t, client, "events", 1, compact)
	kafkatest.Produce(t, client, kafkatest.Message("events", 0, "cluster", `{"kind":"node","op":"delete","id":"n"}`))
	kafkatest.CreateTopic(t, client, "shrunk", 1, compact)
	about := key{kind: layout}
	kafkatest.Produce(t, client, &kgo.Record{Topic: "shrunk", Key: about.bytes(), Value: sealed(about.bytes(), 5)})
	kafkatest.CreateTopic(t, client, "later", 1, compact)
	later := about.bytes()
	later[0] = 9
	kafkatest.Produce(t, client, &kgo.Record{Topic: "later", Key: later, Value: []byte{1}})
	for topic, want := range map[string]string{
		"deleting": "so Kafka would delete checkpoints: set it to compact",
		"events":   "the topic events cannot be used for checkpoints (it has version 99): name another",
		"shrunk":   "it was used with 5 partitions, but has 1",
		"later":    "it has version 9",
		"no topic": `"no topic" is not a topic name`,
	} {
		_, err := Open(t.Context(), Options{Kafka: kafka.Options{Brokers: c.ListenAddrs()}, Topic: topic})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", topic, err, want)
		}
	}
}

// A topic that gets more partitions has the parts where they were.
func TestTopicGrows(t *testing.T) {
	c := kafkatest.Start(t)
	maker := saver{rng: rand.New(rand.NewPCG(10, 10))}
	p, _ := openPart(t, openTopic(t, c.ListenAddrs(), "state", 2), "events/3")
	want, change := maker.next(nil, true)
	if err := p.Save(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	kafkatest.Grow(t, kafkatest.Client(t, c.ListenAddrs()), "state", 5)
	if _, got := openPart(t, openTopic(t, c.ListenAddrs(), "state", 5), "events/3"); !got.equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A record that is missing is reported, and never made up for.
func TestTopicDamaged(t *testing.T) {
	c := kafkatest.Start(t)
	s := openTopic(t, c.ListenAddrs(), "state", 1)
	p, _ := openPart(t, s, "a")
	change := &checkpoint.Change{Head: []byte("head"), Whole: true, Streams: slices.Values([]checkpoint.Stream{{Name: "x", State: []byte("1")}, {Name: "y", State: []byte("2")}})}
	for range 2 {
		if err := p.Save(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		change = &checkpoint.Change{Head: []byte("head")}
	}
	for slot := range uint8(2) { // in each of which it is
		if _, got := openPart(t, s, "a"); got == nil || got.streams["x"] != "1" {
			t.Errorf("without %d of two records: got %v", slot, got)
		}
		k := p.(*part).key(id{state, "x"}, slot, 0)
		kafkatest.Produce(t, kafkatest.Client(t, c.ListenAddrs()), &kgo.Record{Topic: "state", Key: k})
	}
	next, err := s.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := loadPicture(next); err == nil || !strings.Contains(err.Error(), "and so is the previous one") {
		t.Errorf("got %v, error %v", got, err)
	}
}

func TestRealKafkaTopic(t *testing.T) {
	testTopic(t, kafkatest.Real(t), kafkatest.Topic(t), 3, func() {})
}

func TestRealKafkaTopicStopsAfterAnyRecord(t *testing.T) {
	testCutOff(t, kafkatest.Real(t), kafkatest.Topic(t), func() {})
}

// A clock that is far ahead of the broker's ends no owner: a topic of message times
// that others made takes its checkpoints, too.
func TestTopicClockAhead(t *testing.T) {
	c := kafkatest.Start(t)
	kafkatest.CreateTopic(t, kafkatest.Client(t, c.ListenAddrs()), "state", 1, "cleanup.policy=compact", "retention.ms=-1") // by which the stand-in deletes, too
	kafkatest.SetBack(t, c, 3*time.Hour)
	testTopic(t, c.ListenAddrs(), "state", 1, c.Compact)
}

// The same of a real broker: what is written has been on its way for a moment,
// which is too long for this topic.
func TestRealKafkaTopicClock(t *testing.T) {
	brokers, topic := kafkatest.Real(t), kafkatest.Topic(t)
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), topic, 1, "cleanup.policy=compact", "message.timestamp.before.max.ms=0")
	testTopic(t, brokers, topic, 1, func() {})
}

// Many checkpoints leave a topic that does not grow with them, while it is
// compacted, and each of them can be loaded meanwhile.
func TestRealKafkaTopicCompaction(t *testing.T) {
	brokers, topic := kafkatest.Real(t), kafkatest.Topic(t)
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), topic, 1, "cleanup.policy=compact", "segment.ms=200",
		"min.cleanable.dirty.ratio=0.001", "max.compaction.lag.ms=500", "delete.retention.ms=100")
	s := openTopic(t, brokers, topic, 1)
	maker := saver{rng: rand.New(rand.NewPCG(11, 11))}
	p, _ := openPart(t, s, "events/0")
	var want *picture
	shrunk := 0
	for began, n := time.Now(), 0; shrunk < 3; n++ {
		if time.Since(began) > time.Minute {
			t.Fatalf("after %d checkpoints, %d times fewer records are there than were written", n, shrunk)
		}
		to, c := maker.next(want, p.Whole())
		if err := p.Save(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		want = to
		time.Sleep(20 * time.Millisecond)
		if n%20 != 0 {
			continue
		}
		records := int64(0)
		_, end, err := s.broker.bounds(t.Context(), 0)
		if err == nil {
			err = s.broker.read(t.Context(), 0, 0, end, func(kafka.Message) error { records++; return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
		if records < end/3 {
			shrunk++
		}
		var got *picture
		if p, got = openPart(t, s, "events/0"); !got.equal(want) {
			t.Fatalf("after %d checkpoints: got %v, want %v", n, got, want)
		}
	}
}
