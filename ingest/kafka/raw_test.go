package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest"
	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/trace"
)

// A message that is not an event comes as it is, for who keeps such ones, and cut
// off where it is large.
func TestBadKeepsTheMessage(t *testing.T) {
	c := cluster(t, 1)
	long := strings.Repeat("x", MaxRaw-1) + "yz"
	kafkatest.Produce(t, kafkatest.Client(t, c.ListenAddrs(), kgo.ProducerBatchMaxBytes(4<<20), kgo.ProducerBatchCompression(kgo.ZstdCompression())),
		kafkatest.Message("t", 0, "", " nonsense\n"), kafkatest.Message("t", 0, "a", "more"), kafkatest.Message("t", 0, "b", long))
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, MaxLine: 100_000})
	var got []string
	err := s.Drain(bounded(t), spans(t, s), func(b *Batch) error {
		for _, x := range b.Bad {
			got = append(got, fmt.Sprintf("%q %t %q", x.Key, x.Key == nil, x.Raw))
		}
		return nil
	})
	want := []string{`"" true " nonsense\n"`, `"a" false "more"`, fmt.Sprintf("%q false %q", "b", long[:MaxRaw])}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %.200q, error %v; want %.200q", got, err, want)
	}
}

// With Raw, messages come as they are.
func TestRaw(t *testing.T) {
	c := cluster(t, 1)
	kafkatest.Produce(t, kafkatest.Client(t, c.ListenAddrs()),
		kafkatest.Message("t", 0, "\xff", " x "), kafkatest.Message("t", 0, "a", ""), kafkatest.Message("t", 0, "", "y"))
	for _, most := range []int32{1, 0} {
		s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, Raw: true, most: most})
		var got []string
		span := spans(t, s)[0]
		err := s.Drain(bounded(t), []Span{span}, func(b *Batch) error {
			if len(b.Events)+len(b.Bad)+b.Empty > 0 {
				return errors.New("they are taken for events")
			}
			for _, m := range b.Messages {
				got = append(got, fmt.Sprintf("%d %q %q %t", m.Offset, m.Key, m.Value, m.Value == nil))
			}
			return nil
		})
		want := []string{`0 "\xff" " x " false`, `1 "a" "" true`, `2 "" "y" false`}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, error %v; want %q", got, err, want)
		}
	}
}

// Who waits without end does not wait so for a broker that closes each
// connection, unless it has answered before.
func TestPatience(t *testing.T) {
	s := open(t, Options{Brokers: []string{"127.0.0.1:1"}, Topics: []string{"t"}, Timeout: Forever})
	cut := fmt.Errorf("wrapped: %w", io.ErrUnexpectedEOF)
	if s.patience(cut) != DefaultTimeout || s.patience(syscall.ECONNREFUSED) != Forever {
		t.Errorf("at first: %s, %s", s.patience(cut), s.patience(syscall.ECONNREFUSED))
	}
	s.reached.Store(true)
	if s.patience(cut) != Forever || strings.Contains(s.hint(cut), "tls") {
		t.Errorf("later: %s, %s", s.patience(cut), s.hint(cut))
	}
}

// However many partitions are read at once, in however many calls, what they ask
// for is within the budget.
func TestBudget(t *testing.T) {
	s := open(t, Options{Brokers: []string{"127.0.0.1:1"}, Topics: []string{"t"}, Budget: 1 << 20})
	for n, want := range map[int]int{0: 1 << 20, 1: 1 << 20, 4: 1 << 18, 16: leastBytes, 100: leastBytes} {
		var ends []func()
		for range n {
			_, end := s.start(t.Context(), 1)
			ends = append(ends, end)
		}
		if got := s.share(); got != int32(want) {
			t.Errorf("with %d partitions: %d bytes each, want %d", n, got, want)
		}
		for _, end := range ends {
			end()
		}
	}
}

// An error in words is still the error that it was.
func TestErrorsStayKnown(t *testing.T) {
	c := cluster(t, 1)
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"nosuch"}, Timeout: Forever})
	if _, err := s.Partitions(bounded(t)); !errors.Is(err, kafkago.UnknownTopicOrPartition) {
		t.Errorf("got %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Partitions(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// words makes an event of each word of a message, in the stream before its colon. It is
// no word that has a question mark.
type words struct{}

func (words) Reset() {}

func (words) Decode(events []trace.Event, line []byte, pos trace.Pos) ([]trace.Event, error) {
	for word := range strings.FieldsSeq(string(line)) {
		if strings.Contains(word, "?") {
			return events, &trace.Error{Pos: pos, Reason: "it asks"}
		}
		stream, id, _ := strings.Cut(word, ":")
		events = append(events, trace.Event{Stream: stream, ID: id, Pos: pos})
	}
	return events, nil
}

func (words) Streams(line []byte) ([]string, bool) {
	return []string{""}, strings.HasPrefix(string(line), "?")
}

// Messages of another log are events as its decoder states. The key names the stream where
// that names none, and may be anything elsewhere.
func TestLines(t *testing.T) {
	c := cluster(t, 1)
	kafkatest.Produce(t, kafkatest.Client(t, c.ListenAddrs()),
		kafkatest.Message("t", 0, "k", "a:1 :2 b:3"), kafkatest.Message("t", 0, "\xff", "b:4"), kafkatest.Message("t", 0, "\xff", ":5"),
		kafkatest.Message("t", 0, "k", "a:6 b?"), kafkatest.Message("t", 0, "k", "?"), kafkatest.Message("t", 0, "", ":7"))
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, Lines: func() ingest.LineDecoder { return words{} }})
	var got []string
	err := s.Drain(bounded(t), spans(t, s), func(b *Batch) error {
		for i := range b.Events {
			got = append(got, b.Events[i].Stream+b.Events[i].ID)
		}
		for _, x := range b.Bad {
			got = append(got, fmt.Sprintf("%d before %d: %q %s", x.Last, x.Before, x.Streams, x.Err.Reason))
		}
		for _, f := range b.Streams {
			got = append(got, fmt.Sprintf("%q at %d", f.Stream, f.Event))
		}
		return nil
	})
	want := []string{"a1", "k2", "b3", "b4", "7",
		`2 before 4: [] the key is not valid UTF-8: it is the name of the stream`, `3 before 4: [] it asks`, `4 before 4: ["k"] it asks`,
		`"a" at 0`, `"k" at 1`, `"b" at 2`, `"" at 4`}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, error %v; want %q", got, err, want)
	}
}
