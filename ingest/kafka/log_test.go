package kafka

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tracecheck/ingest"
)

// madeLog is a partition as a broker may have it and no producer can make it.
type madeLog struct {
	bundles []stored
	raw     map[int][]byte // instead of a bundle
	high    int64
	stable  int64
	aborted []undone
}

// undone is an aborted transaction: the producer's messages from the first
// offset to the marker at the second.
type undone struct{ producer, first, marker int64 }

// serve makes the cluster answer fetches of its one partition from the log.
func (l *madeLog) serve(c *kfake.Cluster) {
	c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked := req.(*kmsg.FetchRequest).Topics[0].Partitions[0]
		res := req.ResponseKind().(*kmsg.FetchResponse)
		p := kmsg.NewFetchResponseTopicPartition()
		p.HighWatermark, p.LastStableOffset, p.RecordBatches = l.high, l.stable, []byte{}
		var upTo int64
		for i, b := range l.bundles {
			if b.last < asked.FetchOffset || b.first >= l.stable || len(p.RecordBatches) >= int(asked.PartitionMaxBytes) {
				continue
			}
			bytes, ok := l.raw[i]
			if !ok {
				bytes = b.bytes()
			}
			p.RecordBatches = append(p.RecordBatches, bytes...)
			upTo = b.last
		}
		for _, a := range l.aborted {
			if a.first <= upTo && a.marker >= asked.FetchOffset {
				t := kmsg.NewFetchResponseTopicPartitionAbortedTransaction()
				t.ProducerID, t.FirstOffset = a.producer, a.first
				p.AbortedTransactions = append(p.AbortedTransactions, t)
			}
		}
		topic := kmsg.NewFetchResponseTopic()
		topic.Topic = "t"
		topic.Partitions = append(topic.Partitions, p)
		res.Topics = append(res.Topics, topic)
		return res, nil, true
	})
}

// kept is a bundle of messages of no transaction; the range may be larger.
func kept(first, last int64, offsets ...int64) stored {
	b := stored{first: first, last: last, producer: -1}
	for _, o := range offsets {
		b.messages = append(b.messages, storedMessage{o, "a", node(fmt.Sprint(o))})
	}
	return b
}

// of makes the bundle one of a transaction.
func (s stored) of(producer int64) stored {
	s.producer, s.attributes = producer, transactional
	return s
}

func events(offsets ...int64) []string {
	var all []string
	for _, o := range offsets {
		all = append(all, fmt.Sprintf("t/0 offset %d %q %d", o, "a", o))
	}
	return all
}

// Compaction leaves gaps: within a bundle, at its ends, whole bundles, and at
// the end of the log. What is left is read, and the end is reached.
func TestGaps(t *testing.T) {
	logs := map[string]madeLog{
		"within":                 {bundles: []stored{kept(0, 9, 2, 5)}},
		"at ends":                {bundles: []stored{kept(0, 4, 3), kept(5, 9, 5)}},
		"empty bundles":          {bundles: []stored{kept(0, 4), kept(5, 6, 5, 6), kept(7, 9)}},
		"nothing but empty ones": {bundles: []stored{kept(0, 4), kept(5, 9)}},
		"whole bundles":          {bundles: []stored{kept(4, 5, 4, 5)}},
		"a tail of markers":      {bundles: []stored{kept(0, 3, 0, 1).of(7), marker(4, 7, true), kept(5, 8, 6).of(7), marker(9, 7, false)}, aborted: []undone{{7, 5, 9}}},
		"nothing at all":         {},
	}
	want := map[string][]int64{
		"within": {2, 5}, "at ends": {3, 5}, "empty bundles": {5, 6}, "whole bundles": {4, 5}, "a tail of markers": {0, 1},
	}
	for name, l := range logs {
		for _, size := range sizes(1, 1<<20) {
			t.Run(fmt.Sprintf("%s, %v bytes", name, size), func(t *testing.T) {
				l.high, l.stable = 10, 10
				c := cluster(t, 1)
				l.serve(c)
				s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, most: size.answer, part: size.batch})
				got := drain(t, s, []Span{{"t", 0, 0, 10}})
				if w := events(want[name]...); !slices.Equal(got.events, w) || got.next["kafka:t/0"] != 10 {
					t.Errorf("got %q, next %v; want %q, and 10", got.events, got.next, w)
				}
			})
		}
	}
}

// A bundle that cannot be read is handed out as bad, with all its offsets, and
// the next ones are read.
func TestDamaged(t *testing.T) {
	damage := map[string]func([]byte) []byte{
		"its checksum does not match":            func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"its messages do not follow one another": nil, // a length that is too long, under a right checksum
		"compressed in an unknown way (7)":       nil,
		"cannot be decompressed":                 nil,
	}
	for reason, change := range damage {
		t.Run(reason, func(t *testing.T) {
			bad := kept(1, 3, 1, 2, 3)
			raw := bad.bytes()
			switch {
			case change != nil:
				raw = change(raw)
			case strings.Contains(reason, "unknown way"):
				bad.attributes = 7
				raw = bad.bytes()
			case strings.Contains(reason, "decompressed"):
				bad.attributes = 4 // zstd, which it is not
				raw = bad.bytes()
			default:
				bad.messages[2].value = strings.Repeat("x", 100)
				whole := bad.bytes()
				raw = resummed(whole[:len(whole)-50])
			}
			l := madeLog{bundles: []stored{kept(0, 0, 0), bad, kept(4, 4, 4)}, raw: map[int][]byte{1: raw}, high: 5, stable: 5}
			c := cluster(t, 1)
			l.serve(c)
			s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}})
			var found []ingest.Malformed
			var got seen
			err := s.Drain(bounded(t), []Span{{"t", 0, 0, 5}}, func(b *Batch) error {
				found = append(found, b.Bad...)
				return got.take(b)
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != 1 || found[0].Last != 3 || len(found[0].Streams) != 0 ||
				!strings.HasPrefix(found[0].Err.Error(), "t/0 offset 1: the batch ") || !strings.Contains(found[0].Err.Error(), reason) {
				t.Errorf("got %+v, want offsets 1 to 3, of any stream, since %q", found, reason)
			}
			last := got.events[len(got.events)-1]
			if got.events[0] != events(0)[0] || last != events(4)[0] {
				t.Errorf("got %q, want those around it", got.events)
			}
		})
	}
}

// An answer without a whole bundle is an error, never the end of the log.
func TestUnreadableAnswers(t *testing.T) {
	old := kept(0, 0, 0)
	raw := old.bytes()
	raw[16] = 1
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"an old format": {raw, "the format of brokers before Kafka 0.11"},
		"cut off":       {old.bytes()[:70], "no whole batch from there on"},
		"no bundle":     {[]byte("nonsense"), "no whole batch from there on"},
	} {
		t.Run(name, func(t *testing.T) {
			l := madeLog{bundles: []stored{old}, raw: map[int][]byte{0: c.raw}, high: 1, stable: 1}
			k := cluster(t, 1)
			l.serve(k)
			s := open(t, Options{Brokers: k.ListenAddrs(), Topics: []string{"t"}})
			err := s.Drain(bounded(t), []Span{{"t", 0, 0, 1}}, func(*Batch) error { return errors.New("a batch of what cannot be read") })
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "t/0") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// Aborted transactions, by the broker's list of them: each is the producer's
// messages from an offset to its marker, wherever the reading begins.
func TestAbortedByList(t *testing.T) {
	l := madeLog{
		bundles: []stored{
			kept(0, 1, 0, 1).of(7), // aborted at 6
			kept(2, 2, 2),
			kept(3, 3, 3).of(8), // committed at 5
			kept(4, 4, 4).of(7),
			marker(5, 8, true), marker(6, 7, false),
			kept(7, 7, 7).of(7), // committed at 8
			marker(8, 7, true),
			kept(9, 9, 9).of(7), // aborted at 11
			kept(10, 10, 10),
			marker(11, 7, false),
			kept(12, 12, 12).of(7), // open
		},
		high: 13, stable: 12, aborted: []undone{{7, 9, 11}, {7, 0, 6}}, // in no order
	}
	committed := []int64{2, 3, 7, 10}
	for _, size := range sizes(1, 200, 1<<20) {
		for from := range int64(12) {
			c := cluster(t, 1)
			l.serve(c)
			s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, most: size.answer, part: size.batch})
			got := drain(t, s, []Span{{"t", 0, from, 12}})
			var want []int64
			for _, o := range committed {
				if o >= from {
					want = append(want, o)
				}
			}
			if w := events(want...); !slices.Equal(got.events, w) {
				t.Errorf("from %d, %v bytes: got %q, want %q", from, size, got.events, w)
			}
			c.Close()
		}
	}
}
