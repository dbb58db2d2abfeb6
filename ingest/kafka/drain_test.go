package kafka

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest/kafka/kafkatest"
)

// Every message of every partition comes once, partition by partition, in the
// order of the offsets, under each compression and with leaders on several
// brokers.
func TestDrain(t *testing.T) {
	t.Parallel()
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			c := cluster(t, 12, kfake.NumBrokers(3))
			producer := kafkatest.Client(t, c.ListenAddrs(), kgo.ProducerBatchCompression(codec))
			const each = 500
			var want []string
			for p := range 12 {
				var list []*kgo.Record
				for i := range each {
					id := fmt.Sprintf("p%d-%d", p, i)
					r := kafkatest.Message("t", p, fmt.Sprintf("s%d", p), node(id))
					r.Headers = []kgo.RecordHeader{{Key: "trace", Value: []byte("x")}}
					list = append(list, r)
					want = append(want, fmt.Sprintf("t/%d offset %d %q %s", p, i, fmt.Sprintf("s%d", p), id))
				}
				// In several batches: one record is one too.
				kafkatest.Produce(t, producer, list[:1]...)
				kafkatest.Produce(t, producer, list[1:each/2]...)
				kafkatest.Produce(t, producer, list[each/2:]...)
			}
			s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}})
			got := drain(t, s, spans(t, s))
			if !slices.Equal(got.events, want) {
				t.Fatalf("got %d events, want %d, in the same order", len(got.events), len(want))
			}
			if len(got.bad) > 0 || got.empty > 0 || got.aborted > 0 {
				t.Errorf("got %v bad, %d empty, %d aborted", got.bad, got.empty, got.aborted)
			}
			for file, next := range got.next {
				if next != each {
					t.Errorf("%s: next is %d, want %d", file, next, each)
				}
			}
		})
	}
}

// Batches that are kept stay as they are until their release, however much is read after them.
func TestKeep(t *testing.T) {
	t.Parallel()
	c := cluster(t, 1)
	producer := kafkatest.Client(t, c.ListenAddrs())
	const each, bundles = 50, 60
	for n := range bundles {
		var list []*kgo.Record
		for i := range each {
			list = append(list, kafkatest.Message("t", 0, "", node(fmt.Sprint(n*each+i))))
		}
		kafkatest.Produce(t, producer, list...)
	}
	opts := Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, most: 16 << 10, part: 4 << 10}
	s := open(t, opts)
	type kept struct {
		*Batch
		first   int // the number of its first event
		release func()
	}
	const most = 6
	var list []kept
	var released sync.WaitGroup
	check := func() {
		k := list[0]
		list = list[1:]
		released.Go(func() {
			for i := range k.Events {
				if got, want := k.Events[i].ID, fmt.Sprint(k.first+i); got != want {
					t.Errorf("event %s has the id %s", want, got)
				}
			}
			k.release()
		})
	}
	n := 0
	err := s.Drain(bounded(t), spans(t, s), func(b *Batch) error {
		list = append(list, kept{b, n, b.Keep()})
		if n += len(b.Events); len(list) > most {
			check()
		}
		return nil
	})
	if err != nil || n != each*bundles || len(list) != most {
		t.Fatalf("%d events, %d batches kept, %v; want %d, %d", n, len(list), err, each*bundles, most)
	}
	for len(list) > 0 {
		check()
	}
	released.Wait()
}

// What is not an event comes with its position; what has no value is counted.
func TestMessages(t *testing.T) {
	long := node(strings.Repeat("x", 300))
	cases := []struct {
		name, key, value string
		want             string // the event, or what is bad
	}{
		{"the key is the stream", "a", node("n"), `"a" n`},
		{"a line that names its stream", "", `{"stream":"b",` + node("n")[1:], `"b" n`},
		{"both, and they agree", "a", `{"stream":"a",` + node("n")[1:], `"a" n`},
		{"an empty stream is none", "a", `{"stream":"",` + node("n")[1:], `"a" n`},
		{"neither", "", node("n"), `"" n`},
		{"a line end", "a", node("n") + "\r\n", `"a" n`},
		{"both, and they differ", "a", `{"stream":"b",` + node("n")[1:],
			`["a" "b"] t/0 offset 1: the key names the stream "a", but the line names "b": use the same name, or leave one out`},
		{"a key that is no text", "\xff", node("n"), `[] t/0 offset 1: the key is not valid UTF-8: it is the name of the stream`},
		{"a name that is no text", "a", strings.Replace(node("n"), `"n"`, `"n\ud800"`, 1), `["a"] t/0 offset 1: id is not text: \ud800 is half of a surrogate pair`},
		{"a stream that is no text", "a", `{"stream":"a\udfff",` + node("n")[1:], `["a"] t/0 offset 1: stream is not text: \udfff is half of a surrogate pair`},
		{"a value that is no text", "a", strings.Replace(node("n"), `"n"`, "\"n\xff\"", 1), `["a"] t/0 offset 1: the line is not valid UTF-8: byte 37 is 0xff, in "id"`},
		{"no JSON", "a", "nonsense", `["a"] t/0 offset 1: the line is not JSON: "nonsense"`},
		{"an unknown kind", "a", `{"kind":"cow","op":"create","id":"x"}`, `["a"] t/0 offset 1: unknown kind "cow"`},
		{"of another stream", "a", `{"kind":"cow","op":"create","id":"x","stream":"b"}`, `["a" "b"] t/0 offset 1: unknown kind "cow"`},
		{"too long", "a", long, `["a"] t/0 offset 1: the message is longer than 256 bytes: if it is an event, raise the limit with --max-line`},
		{"no value", "a", "", "empty"},
		{"a blank one", "a", " \n", "empty"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			k := cluster(t, 1)
			producer := kafkatest.Client(t, k.ListenAddrs())
			kafkatest.Produce(t, producer, kafkatest.Message("t", 0, "a", node("before")),
				kafkatest.Message("t", 0, c.key, c.value), kafkatest.Message("t", 0, "a", node("after")))
			s := open(t, Options{Brokers: k.ListenAddrs(), Topics: []string{"t"}, MaxLine: 256})
			var before []int
			var got seen
			err := s.Drain(bounded(t), spans(t, s), func(b *Batch) error {
				for _, bad := range b.Bad {
					before = append(before, bad.Before)
				}
				return got.take(b)
			})
			if err != nil {
				t.Fatal(err)
			}
			events := []string{`t/0 offset 0 "a" before`, `t/0 offset 2 "a" after`}
			switch {
			case c.want == "empty":
				if got.empty != 1 {
					t.Errorf("counted %d without a value, want 1", got.empty)
				}
			case strings.HasPrefix(c.want, "["):
				if len(got.bad) != 1 || !strings.HasPrefix(got.bad[0], c.want) || !slices.Equal(before, []int{1}) {
					t.Errorf("got bad %q before event %v\nwant %q before event 1", got.bad, before, c.want)
				}
			default:
				events = slices.Insert(events, 1, "t/0 offset 1 "+c.want)
			}
			if !slices.Equal(got.events, events) {
				t.Errorf("got  %q\nwant %q", got.events, events)
			}
		})
	}
}

// A span is kept to the message, inside of batches too.
func TestSpans(t *testing.T) {
	c := cluster(t, 2)
	producer := kafkatest.Client(t, c.ListenAddrs())
	stamp := time.UnixMilli(1_800_000_000_000)
	for p := range 2 {
		var list []*kgo.Record
		for i := range 10 {
			r := kafkatest.Message("t", p, "a", node(fmt.Sprint(i)))
			r.Timestamp = stamp.Add(time.Duration(i) * time.Second)
			list = append(list, r)
		}
		kafkatest.Produce(t, producer, list...)
	}
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}})
	got := drain(t, s, []Span{{"t", 0, 3, 5}, {"t", 1, 9, 10}, {"t", 1, 10, 10}})
	want := []string{`t/0 offset 3 "a" 3`, `t/0 offset 4 "a" 4`, `t/1 offset 9 "a" 9`}
	if !slices.Equal(got.events, want) || got.next["kafka:t/0"] != 5 {
		t.Errorf("got %q, next %v; want %q", got.events, got.next, want)
	}
	parts, err := s.Partitions(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Partition{{"t", 0, 0, 10, 10}, {"t", 1, 0, 10, 10}} {
		if parts[i] != want {
			t.Errorf("got %+v, want %+v", parts[i], want)
		}
	}
	for _, c := range []struct {
		after time.Duration
		want  int64
	}{{-time.Hour, 0}, {3500 * time.Millisecond, 4}, {4 * time.Second, 4}, {time.Hour, 10}} {
		at, err := s.OffsetsAt(bounded(t), parts, stamp.Add(c.after))
		if err != nil || !slices.Equal(at, []int64{c.want, c.want}) {
			t.Errorf("after %s: offsets %v, error %v; want %d", c.after, at, err, c.want)
		}
	}
}

// A topic without messages is at its end at once.
func TestEmpty(t *testing.T) {
	c := cluster(t, 3)
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}})
	if got := drain(t, s, spans(t, s)); len(got.events) != 0 || len(got.next) != 0 {
		t.Errorf("got %+v of nothing", got)
	}
	if err := s.Drain(bounded(t), nil, nil); err != nil {
		t.Errorf("no span: %v", err)
	}
}

// Who takes the batches can end the reading.
func TestTakeFails(t *testing.T) {
	c := cluster(t, 1)
	kafkatest.Produce(t, kafkatest.Client(t, c.ListenAddrs()), kafkatest.Message("t", 0, "a", node("n")))
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}})
	enough := fmt.Errorf("enough")
	if err := s.Drain(bounded(t), spans(t, s), func(*Batch) error { return enough }); err != enough {
		t.Errorf("got %v", err)
	}
	if err := s.Follow(bounded(t), spans(t, s), func(*Batch) error { return enough }); err != enough {
		t.Errorf("got %v", err)
	}
}

// One stream in two partitions is found.
func TestAssignment(t *testing.T) {
	c := cluster(t, 3)
	kafkatest.Produce(t, kafkatest.Client(t, c.ListenAddrs()),
		kafkatest.Message("t", 0, "a", node("1")), kafkatest.Message("t", 0, "b", node("2")),
		kafkatest.Message("t", 1, "c", node("3")), kafkatest.Message("t", 1, "b", node("4")),
		kafkatest.Message("t", 2, "d", node("5")), kafkatest.Message("t", 1, "c", node("6")))
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}})
	assigned := Assignment{}
	var found []string
	err := s.Drain(bounded(t), spans(t, s), func(b *Batch) error {
		if bad := assigned.Check(b); bad != nil {
			found = append(found, fmt.Sprintf("%q before %d: %v", bad.Streams, bad.Before, bad.Err))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `["b"] before 1: t/1 offset 1: stream "b" is in t/0 too, and the order between two partitions is not known: ` +
		`give all messages of a stream the same key, and the topic a constant number of partitions`
	if !slices.Equal(found, []string{want}) {
		t.Errorf("got  %q\nwant %q", found, want)
	}
}
