package kafkasource

import (
	"context"
	"encoding/base64"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"tracecheck/ingest/kafka"
	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor"
)

var _ monitor.Identified = (*part)(nil)

// A topic that is deleted and created again while it is read is another topic,
// however long it is.
func TestTopicCreatedAgain(t *testing.T) {
	t.Parallel()
	createdAgain(t, kafkatest.Start(t, kfake.SeedTopics(1, "t")).ListenAddrs(), "t", 100*time.Millisecond, nil, nil)
}

// Where the reading was interrupted by that, nothing of the other topic is judged,
// however rarely the source looks.
func TestTopicCreatedAgainIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	counter := func(key kmsg.Key) *atomic.Int32 {
		var requests atomic.Int32
		cluster.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			requests.Add(1)
			return nil, nil, false
		})
		return &requests
	}
	fetches, lists := counter(kmsg.Fetch), counter(kmsg.ListOffsets)
	more := func(requests *atomic.Int32, than int32) (is bool) {
		for end := time.Now().Add(10 * time.Second); !is && time.Now().Before(end); time.Sleep(time.Millisecond) {
			is = requests.Load() > than
		}
		return is
	}
	var listed int32
	interrupted := func() bool {
		listed = lists.Load()
		return more(fetches, fetches.Load())
	}
	tooShort := func() bool { return more(lists, listed) } // it asks where the topic ends
	if n := createdAgain(t, cluster.ListenAddrs(), "t", time.Hour, interrupted, tooShort); n != 5 {
		t.Errorf("%d events were taken, want the 5 of the topic that was there first", n)
	}
}

func TestRealKafkaTopicCreatedAgain(t *testing.T) {
	brokers, topic := realTopic(t, 1)
	createdAgain(t, brokers, topic, 100*time.Millisecond, nil, nil)
}

// createdAgain creates the topic again while it is read, by a source that looks as
// often, and returns how many events were taken. between is called when there is no topic,
// and empty when the new one is. They return false if the source has not noticed.
func createdAgain(t *testing.T, brokers []string, topic string, watch time.Duration, between, empty func() bool) (taken int) {
	t.Helper()
	fill := func(messages int) {
		client := kafkatest.Client(t, brokers, kgo.RequestRetries(100)) // a client knows the topic by its id
		var all []*kgo.Record
		for n := range messages {
			all = append(all, kafkatest.Message(topic, 0, "s", event(int64(n))))
		}
		kafkatest.Produce(t, client, all...)
	}
	fill(5)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	uninterrupted := false
	again := sync.OnceFunc(func() {
		await := func(noticed func() bool) {
			if noticed != nil && !uninterrupted && !noticed() {
				uninterrupted = true
				cancel()
			}
		}
		kafkatest.CreateAgain(t, kafkatest.Client(t, brokers), topic, 1, func() { await(between) })
		await(empty)
		fill(20)
	})
	s, err := Open(Options{Kafka: kafka.Options{Brokers: brokers, Topics: []string{topic}}, Watch: watch})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Run(ctx, func(ctx context.Context, p monitor.Part) error {
		return p.Follow(ctx, "", func(b *monitor.Batch) error {
			taken += len(b.Events)
			if taken == 5 {
				again()
			}
			return nil
		})
	})
	if uninterrupted {
		t.Skip("the source has not read while there was no topic")
	}
	if err == nil || !strings.Contains(err.Error(), "the topic "+topic+" was deleted and recreated") || !strings.Contains(err.Error(), "--start-over") {
		t.Errorf("got %v", err)
	}
	return taken
}

// What a part is of is known where the brokers tell it; brokers that are too old
// to know topics by an id tell the cluster's.
func TestIdentity(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opt   kfake.Opt
		topic bool
	}{
		"now": {kfake.ClusterID("west"), true},
		"2.4": {kfake.MaxVersions(kversion.V2_4_0()), false},
	} {
		cluster := kafkatest.Start(t, kfake.SeedTopics(1, "t"), kfake.ClusterID("west"), c.opt)
		numbered(t, cluster, 0, 0, 1)
		s, err := Open(options(cluster))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var got monitor.Identity
		err = s.Run(ctx, func(_ context.Context, p monitor.Part) error {
			got = p.(monitor.Identified).Identity()
			cancel()
			return nil
		})
		cancel()
		s.Close()
		want := ""
		if id := cluster.TopicInfo("t").TopicID; c.topic {
			want = base64.RawURLEncoding.EncodeToString(id[:])
		}
		if err != nil || got.Cluster != "west" || got.Topic != want {
			t.Errorf("%s: got %+v, error %v; want topic %q", name, got, err, want)
		}
	}
}
