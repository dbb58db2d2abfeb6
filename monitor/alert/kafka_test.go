package alert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor/topic"
)

func newTopic(t *testing.T, cluster *kfake.Cluster, config ...string) *Topic {
	t.Helper()
	kafkatest.CreateTopic(t, kafkatest.Client(t, cluster.ListenAddrs()), "alerts", 2, config...)
	to, err := NewTopic("", topic.Options{Brokers: cluster.ListenAddrs(), Topic: "alerts"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { to.Close() })
	return to
}

// consume returns so many messages.
func consume(t *testing.T, cluster *kfake.Cluster, n int) []*kgo.Record {
	t.Helper()
	c := kafkatest.Client(t, cluster.ListenAddrs(), kgo.ConsumeTopics("alerts"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var got []*kgo.Record
	for len(got) < n {
		got = append(got, c.PollFetches(ctx).Records()...)
		if ctx.Err() != nil {
			t.Fatalf("%d messages, want %d", len(got), n)
		}
	}
	return got
}

func TestTopic(t *testing.T) {
	cluster := kafkatest.Start(t)
	to := newTopic(t, cluster)
	q := newQueue(t, Options{}, to)
	var want []Alert
	for i := range 30 {
		want = append(want, violated(fmt.Sprint(i), fmt.Sprint("stream-", i%7)))
	}
	mustAdd(t, q, "p", want...)
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	streams := map[string][]string{}
	for _, r := range consume(t, cluster, len(want)) {
		var got Alert
		if err := json.Unmarshal(r.Value, &got); err != nil {
			t.Fatal(err)
		}
		if string(r.Key) != got.Stream || len(r.Headers) != 1 || r.Headers[0].Key != "tracecheck-id" || string(r.Headers[0].Value) != got.ID {
			t.Errorf("%s has the key %s and the headers %v", got.ID, r.Key, r.Headers)
		}
		i := slices.IndexFunc(want, func(a Alert) bool { return a.ID == got.ID })
		if i < 0 || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("got %+v", got)
		}
		streams[got.Stream] = append(streams[got.Stream], got.ID)
	}
	for i, w := range want {
		if ids := streams[w.Stream]; len(ids) == 0 || ids[0] != w.ID {
			t.Fatalf("%d of %s: %v come next", i, w.Stream, ids)
		}
		streams[w.Stream] = streams[w.Stream][1:]
	}
	if s := q.Stats()[0]; s.Name != "kafka:alerts" || s.Delivered != 30 {
		t.Errorf("%+v", s)
	}
}

// An alert that is too large for the topic comes without the bulk of its
// violation, as short as it must be; one for which the topic is too small is
// refused.
func TestTopicTooLarge(t *testing.T) {
	const limit = 4000
	cluster := kafkatest.Start(t)
	to := newTopic(t, cluster, fmt.Sprint("max.message.bytes=", limit))
	lines, texts, stream := violated("lines", "s"), violated("texts", "s"), violated("stream", strings.Repeat("s", limit))
	for range 20 {
		lines.Violation.Events = append(lines.Violation.Events, lines.Violation.Events[0])
		lines.Violation.Events[0].Raw = []byte(`"` + strings.Repeat("x", limit/10) + `"`)
	}
	texts.Message = strings.Repeat("m", limit)
	err := to.Deliver(t.Context(), []Alert{violated("whole", "s"), lines, stream, texts})
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok || len(refused.Refusals) != 1 || refused.Refusals[0].Index != 2 {
		t.Errorf("delivered: %v", err)
	}
	got := map[string]Alert{}
	for _, r := range consume(t, cluster, 3) {
		var a Alert
		if err := json.Unmarshal(r.Value, &a); err != nil {
			t.Fatal(err)
		}
		got[a.ID] = a
	}
	if a := got["whole"]; a.Truncated || len(a.Violation.Events) != 1 {
		t.Errorf("whole: %+v", a)
	}
	if a := got["lines"]; !a.Truncated || len(a.Violation.Events) != 0 || a.Message != lines.Message || len(a.Violation.Nearest) != 1 {
		t.Errorf("without lines: %+v", a)
	}
	if a := got["texts"]; !a.Truncated || !strings.HasPrefix(a.Message, "mmm") || len(a.Message) > 500 || a.Violation.Rule != "Next" || a.Violation.Nearest == nil {
		t.Errorf("without texts: %+v", a)
	}
}

// A cluster that comes back gets what waited.
func TestTopicAway(t *testing.T) {
	cluster := kafkatest.Start(t)
	to := newTopic(t, cluster)
	fails := 5
	cluster.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if fails == 0 {
			return nil, nil, false
		}
		fails--
		return nil, errDown, true // the connection ends
	})
	q := newQueue(t, Options{RetryMin: time.Millisecond, RetryMax: time.Millisecond}, to)
	mustAdd(t, q, "p", simple("1", "2")...)
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := q.Stats()[0]; s.Failures != 5 || s.Delivered != 2 {
		t.Errorf("%+v", s)
	}
	consume(t, cluster, 2)
}
