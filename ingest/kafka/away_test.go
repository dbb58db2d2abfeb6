package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tracecheck/ingest/kafka/kafkatest"
)

// fill writes so many messages to each partition, and returns what a Drain is
// to give.
func fill(t *testing.T, brokers []string, partitions, each int) []string {
	t.Helper()
	producer := kafkatest.Client(t, brokers, kgo.ProducerBatchMaxBytes(1000))
	var want []string
	for p := range partitions {
		var list []*kgo.Record
		for i := range each {
			key, id := fmt.Sprintf("s%d", p), fmt.Sprint(i)
			list = append(list, kafkatest.Message("t", p, key, node(id)))
			want = append(want, fmt.Sprintf("t/%d offset %d %q %s", p, i, key, id))
		}
		kafkatest.Produce(t, producer, list...)
	}
	return want
}

// Connections that break, and leaders that move, lose nothing and repeat
// nothing.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	c := cluster(t, 3, kfake.NumBrokers(3))
	want := fill(t, c.ListenAddrs(), 3, 300)
	rng := rand.New(rand.NewPCG(3, 4))
	broken := 0
	c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if rng.IntN(4) == 0 {
			broken++
			return nil, errors.New("cut"), true
		}
		return nil, nil, false
	})
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, most: 1})
	var got seen
	moves := int32(0)
	err := s.Drain(bounded(t), spans(t, s), func(b *Batch) error {
		if moves < 6 && len(got.events)%7 == 0 {
			for p := range int32(3) {
				if err := c.MoveTopicPartition("t", p, (p+moves)%3); err != nil {
					return err
				}
			}
			moves++
		}
		return got.take(b)
	})
	if err != nil || !slices.Equal(got.events, want) {
		t.Errorf("got %d events, want %d; error %v", len(got.events), len(want), err)
	}
	if broken == 0 || moves < 3 {
		t.Errorf("%d connections broke, and leaders moved %d times: the test shows nothing", broken, moves)
	}
}

// A broker that is gone for a while is waited for.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	port := kafkatest.Port(t)
	first, err := kfake.NewCluster(kfake.Ports(port), kfake.SeedTopics(1, "t"), kfake.DataDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	addr := first.ListenAddrs()[0]
	want := fill(t, []string{addr}, 1, 300)
	s := open(t, Options{Brokers: []string{addr}, Topics: []string{"t"}, most: 1})
	var got seen
	var again atomic.Pointer[kfake.Cluster]
	err = s.Drain(bounded(t), spans(t, s), func(b *Batch) error {
		if len(got.events) > 50 && first != nil {
			first.Close()
			first = nil
			time.AfterFunc(300*time.Millisecond, func() {
				c, err := kfake.NewCluster(kfake.Ports(port), kfake.DataDir(dir))
				if err != nil {
					t.Errorf("no second cluster: %v", err)
					return
				}
				again.Store(c)
			})
		}
		return got.take(b)
	})
	if c := again.Load(); c != nil {
		c.Close()
	}
	if err != nil || !slices.Equal(got.events, want) {
		t.Errorf("got %d events, want %d; error %v", len(got.events), len(want), err)
	}
}

// A broker that stays away ends the reading, after what was read.
func TestAway(t *testing.T) {
	t.Parallel()
	c := cluster(t, 1)
	addrs := c.ListenAddrs()
	fill(t, addrs, 1, 300)
	s := open(t, Options{Brokers: addrs, Topics: []string{"t"}, most: 1, Timeout: 10 * time.Second})
	all := spans(t, s)
	var got seen
	err := s.Drain(bounded(t), all, func(b *Batch) error {
		c.Close()
		return got.take(b)
	})
	if err == nil || !strings.Contains(err.Error(), "cannot read t/0: Kafka at "+addrs[0]+" was away for 10s") {
		t.Errorf("got %v", err)
	}
	if len(got.events) == 0 {
		t.Error("what was read before is not handed out")
	}
}

// Retention that overtakes the reading is reported, with the offsets that are lost.
func TestRetention(t *testing.T) {
	c := cluster(t, 1)
	want := fill(t, c.ListenAddrs(), 1, 30)
	client := kafkatest.Client(t, c.ListenAddrs())
	kafkatest.DeleteUpTo(t, client, "t", 0, 12)
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}})
	for _, test := range []struct {
		span Span
		want []string
		lost []Lost
		next int64
	}{
		{Span{"t", 0, 12, 30}, want[12:], nil, 30},
		{Span{"t", 0, 3, 30}, want[12:], []Lost{{3, 12}}, 30},
		{Span{"t", 0, 3, 10}, nil, []Lost{{3, 10}}, 10},
	} {
		got := drain(t, s, []Span{test.span})
		if !slices.Equal(got.events, test.want) || !slices.Equal(got.lost, test.lost) || got.next["kafka:t/0"] != test.next {
			t.Errorf("%+v: got %q, lost %v, next %v", test.span, got.events, got.lost, got.next)
		}
	}
	err := s.Drain(bounded(t), []Span{{"t", 0, 31, 40}}, func(*Batch) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "t/0 ends at offset 30, before offset 31") {
		t.Errorf("behind the end: got %v", err)
	}
}

// Follow gives what comes, in the order of each partition, until it is asked to
// stop.
func TestFollow(t *testing.T) {
	c := cluster(t, 4, kfake.NumBrokers(2))
	before := fill(t, c.ListenAddrs(), 4, 20)
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}})
	all := spans(t, s)
	for i := range all {
		all[i].End = Endless
	}
	ctx, cancel := context.WithCancel(bounded(t))
	defer cancel()
	var got seen
	live := kafkatest.Client(t, c.ListenAddrs())
	err := s.Follow(ctx, all, func(b *Batch) error {
		if err := got.take(b); err != nil {
			return err
		}
		switch {
		case len(got.events) == 80 && b.Next == 20:
			for p := range 4 {
				kafkatest.Produce(t, live, kafkatest.Message("t", p, "new", node("x")))
			}
		case len(got.events) == 84:
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	want := slices.Clone(before)
	for p := range 4 {
		want = append(want, fmt.Sprintf("t/%d offset 20 %q x", p, "new"))
	}
	slices.SortStableFunc(want, byPartition)
	slices.SortStableFunc(got.events, byPartition)
	if !slices.Equal(got.events, want) {
		t.Errorf("got %d events, want %d", len(got.events), len(want))
	}
	// With ends, it ends.
	var ended seen
	if err := s.Follow(bounded(t), []Span{{"t", 0, 0, 5}, {"t", 1, 19, 20}, {"t", 2, 3, 3}}, ended.take); err != nil || len(ended.events) != 6 {
		t.Errorf("with ends: %d events, error %v", len(ended.events), err)
	}
}

func byPartition(a, b string) int {
	x, _, _ := strings.Cut(a, " ")
	y, _, _ := strings.Cut(b, " ")
	return strings.Compare(x, y)
}

// What may pass is waited for, and nothing else.
func TestPassing(t *testing.T) {
	gone := &net.DNSError{IsNotFound: true}
	for _, c := range []struct {
		err             error
		before, reached bool
	}{
		{gone, false, true},
		{&net.DNSError{IsTimeout: true}, true, true},
		{syscall.ECONNREFUSED, true, true},
		{kafkago.NotLeaderForPartition, true, true},
		{unknown, true, true},
		{topicError{"t", kafkago.UnknownTopicOrPartition}, false, false},
		{topicError{"t/0", kafkago.UnknownTopicOrPartition}, true, true},
		{topicError{"t/0", kafkago.TopicAuthorizationFailed}, false, false},
		{kafkago.SASLAuthenticationFailed, false, false},
		{&tls.CertificateVerificationError{Err: errors.New("bad")}, false, false},
		{tls.RecordHeaderError{Msg: "bad"}, false, false},
		{fmt.Errorf("%w: broker appears to be expecting TLS", io.ErrUnexpectedEOF), false, false},
		{permanent{io.EOF}, false, false},
	} {
		err := fmt.Errorf("wrapped: %w", c.err)
		if before, reached := passing(err, false), passing(err, true); before != c.before || reached != c.reached {
			t.Errorf("%v: %v at first and %v later, want %v and %v", err, before, reached, c.before, c.reached)
		}
	}
}
