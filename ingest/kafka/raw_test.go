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

	"tracecheck/ingest/kafka/kafkatest"
)

// A message that is no event comes as it is, for who keeps such ones, and cut
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
