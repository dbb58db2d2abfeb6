package deadletter

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor/topic"
)

func offset(n int64) *int64 { return &n }

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dead.jsonl")
	f, err := OpenFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Write(t.Context(), []Record{
		{Part: "kafka:events/3", Offset: offset(0), Reason: "it is <no> JSON", Streams: []string{"a", "b"}, Key: []byte("a"), Raw: []byte("{\n")},
		{Part: "kafka:events/3", Offset: offset(17), Reason: "r", Key: []byte{0xff, 0}, Raw: []byte{0xfe}},
		{Part: "app.log", Line: 4, Reason: "r", Raw: []byte{}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	f.Reopen()
	if err := f.Write(t.Context(), []Record{{Part: "app.log", Line: 5, Reason: "r"}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		path + ".1": `{"part":"kafka:events/3","offset":0,"reason":"it is <no> JSON","streams":["a","b"],"key":"a","raw":"{\n"}
{"part":"kafka:events/3","offset":17,"reason":"r","key_base64":"/wA=","raw_base64":"/g=="}
{"part":"app.log","line":4,"reason":"r","raw":""}
`,
		path: `{"part":"app.log","line":5,"reason":"r"}
`,
	} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s has %s (%v), want %s", filepath.Base(name), got, err, want)
		}
	}
}

// Keys and values arrive as they were, with null apart from empty; only what is
// too large for the topic is cut off, and states so.
func TestTopic(t *testing.T) {
	const limit = 3000
	cluster := kafkatest.Start(t)
	brokers := cluster.ListenAddrs()
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), "dead", 1, "max.message.bytes=3000")
	to, err := OpenTopic(topic.Options{Brokers: brokers, Topic: "dead"})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	long := []byte(strings.Repeat("x", limit))
	records := []Record{
		{Part: "kafka:events/3", Offset: offset(17), Reason: "it is no JSON", Key: []byte("a"), Raw: []byte{0xff, '{'}},
		{Part: "app.log", Line: 4, Reason: "r", Raw: []byte{}},
		{Part: "kafka:events/3", Offset: offset(18), Reason: "r", Key: []byte{}},
		{Part: "kafka:events/3", Offset: offset(19), Reason: "r", Key: []byte("a"), Raw: long},
		{Part: "kafka:events/3", Offset: offset(20), Reason: "r", Key: long, Raw: []byte("abc")},
		{Part: "kafka:events/3", Offset: offset(21), Reason: string(long), Key: []byte("a")},
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := to.Write(ctx, records); err != nil {
		t.Fatal(err)
	}
	c := kafkatest.Client(t, brokers, kgo.ConsumeTopics("dead"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	var got []*kgo.Record
	for len(got) < len(records) {
		got = append(got, c.PollFetches(ctx).Records()...)
		if ctx.Err() != nil {
			t.Fatalf("%d messages, want %d", len(got), len(records))
		}
	}
	for i, want := range []struct {
		key, value     []byte
		source, reason string
		whole          string
	}{
		{[]byte("a"), []byte{0xff, '{'}, "events/3/17", "it is no JSON", ""},
		{nil, []byte{}, "app.log:4", "r", ""},
		{[]byte{}, nil, "events/3/18", "r", ""},
		{[]byte("a"), long[:limit/2], "events/3/19", "r", "3000"},
		{nil, []byte{}, "events/3/20", "r", "3"},
		{[]byte("a"), nil, "events/3/21", string(long[:2000]), ""},
	} {
		r := got[i]
		if string(r.Key) != string(want.key) || (r.Key == nil) != (want.key == nil) || string(r.Value) != string(want.value) || (r.Value == nil) != (want.value == nil) {
			t.Errorf("letter %d has the key %.20q and the value %.20q of %d bytes, want %.20q and %.20q", i, r.Key, r.Value, len(r.Value), want.key, want.value)
		}
		headers := map[string]string{}
		for _, h := range r.Headers {
			headers[h.Key] = string(h.Value)
		}
		if headers["tracecheck-source"] != want.source || headers["tracecheck-reason"] != want.reason || headers["tracecheck-truncated"] != want.whole {
			t.Errorf("letter %d has the headers %.100v", i, headers)
		}
	}
	if err := to.Write(ctx, []Record{{Part: strings.Repeat("p", limit), Line: 1, Raw: long}}); err == nil || !strings.Contains(err.Error(), "max.message.bytes") {
		t.Errorf("nothing of it fits: %.100v", err)
	}
	cluster.Close()
	if err := to.Write(ctx, records); err == nil {
		t.Error("written without a broker")
	}
}
