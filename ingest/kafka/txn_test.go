package kafka

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest/kafka/kafkatest"
)

// Messages of aborted transactions are never handed out, and all others are,
// for random producers, from any offset and with answers of any size.
func TestTransactions(t *testing.T) {
	c := cluster(t, 1)
	testTransactions(t, c.ListenAddrs(), "t", 150)
}

func testTransactions(t *testing.T, brokers []string, topic string, steps int) {
	rng := rand.New(rand.NewPCG(1, 2))
	counts := kafkatest.Transactions(t, brokers, topic, rng, steps, func(n int) string { return node(fmt.Sprint(n)) })
	for _, size := range sizes(1, 500, 1<<20) {
		s := open(t, Options{Brokers: brokers, Topics: []string{topic}, most: size.answer, part: size.batch})
		span := decided(t, s)
		left := -1
		for _, from := range []int64{0, 1, span.End / 3, span.End / 2, span.End - 1} {
			var want []string
			for _, r := range counts {
				if r.Offset >= from {
					want = append(want, fmt.Sprintf("%s/0 offset %d", topic, r.Offset))
				}
			}
			var got []string
			aborted := 0
			one := span
			one.From = from
			err := s.Drain(bounded(t), []Span{one}, func(b *Batch) error {
				for i := range b.Events {
					got = append(got, b.Events[i].Pos.String())
				}
				aborted += b.Aborted
				return nil
			})
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("from %d, %v bytes: got %d events, want %d, error %v\n%q\n%q", from, size, len(got), len(want), err, got, want)
			}
			if from == 0 {
				left = aborted
			}
		}
		if left <= 0 || len(counts) == 0 {
			t.Errorf("%d messages were left out, %d count: the test shows nothing", left, len(counts))
		}
	}
}

// decided is all of the one partition, once the marks of the transactions that
// have ended are written: a real broker does so by and by.
func decided(t *testing.T, s *Source) Span {
	t.Helper()
	for {
		parts, err := s.Partitions(bounded(t))
		if err != nil {
			t.Fatal(err)
		}
		if parts[0].Stable == parts[0].High {
			return parts[0].Span()
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// What a transaction has written that is still open is beyond the end.
func TestOpenTransaction(t *testing.T) {
	c := cluster(t, 1)
	testOpenTransaction(t, c.ListenAddrs(), "t")
}

func testOpenTransaction(t *testing.T, brokers []string, topic string) {
	single := kafkatest.Client(t, brokers)
	kafkatest.Produce(t, single, kafkatest.Message(topic, 0, "a", node("0")))
	slow := kafkatest.Client(t, brokers, kgo.TransactionalID(topic+"-slow"), kgo.TransactionTimeout(10*time.Minute))
	if err := slow.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	kafkatest.Produce(t, slow, kafkatest.Message(topic, 0, "a", node("1")))
	kafkatest.Produce(t, single, kafkatest.Message(topic, 0, "a", node("2")))
	s := open(t, Options{Brokers: brokers, Topics: []string{topic}})
	parts, err := s.Partitions(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Partition{topic, 0, 0, 1, 3}); parts[0] != want {
		t.Errorf("got %+v, want %+v", parts[0], want)
	}
	if got := drain(t, s, []Span{parts[0].Span()}); len(got.events) != 1 || got.aborted != 0 {
		t.Errorf("got %q, want the one before the transaction", got.events)
	}
	if err := slow.EndTransaction(bounded(t), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	if got := drain(t, s, []Span{decided(t, s)}); len(got.events) != 3 {
		t.Errorf("got %q, want all three", got.events)
	}
}
