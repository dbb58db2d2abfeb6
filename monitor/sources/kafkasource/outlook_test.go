package kafkasource

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/monitor/checkpoint/local"
	"tracecheck/specs"
	"tracecheck/validators"
)

// closed is a receiver that takes nothing until it is opened.
type closed struct {
	mu   sync.Mutex
	open bool
	got  []int64 // the offsets
}

func (*closed) Name() string { return "people" }
func (*closed) Close() error { return nil }
func (c *closed) Deliver(_ context.Context, alerts []alert.Alert) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.open {
		return fmt.Errorf("nobody is there")
	}
	for i := range alerts {
		c.got = append(c.got, *alerts[i].Offset)
	}
	return nil
}

func (c *closed) opens() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = true
}

// watched is a monitor of the topic "t", with one partition.
type watched struct {
	t *testing.T
	*monitor.Monitor
	to  *closed
	end func()
}

// watch runs one with a checkpoint in the file; "": none.
func watch(t *testing.T, brokers []string, file string) *watched {
	t.Helper()
	o := Options{}
	o.Kafka.Brokers, o.Kafka.Topics = brokers, []string{"t"}
	source, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, to: &closed{}}
	outbox, err := alert.NewOutbox([]alert.Receiver{w.to}, alert.Options{MaxPending: 1, RetryMax: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	mo := monitor.Options{Source: source, Judge: validators.Options{Specs: specs.All(), Select: []string{"swarmkit"}}, Outbox: outbox, Every: 20 * time.Millisecond, Settle: 50 * time.Millisecond, Look: 100 * time.Millisecond, Lines: 1}
	var store *local.Store
	if file != "" {
		if store, err = local.Open(file, local.Options{}); err != nil {
			t.Fatal(err)
		}
		mo.Store = store
	}
	if w.Monitor, err = monitor.New(mo); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- w.Run(ctx) }()
	w.end = sync.OnceFunc(func() {
		cancel()
		if err := <-result; err != nil {
			t.Error(err)
		}
		outbox.Close(ctx)
		source.Close()
		if store != nil {
			store.Close()
		}
	})
	t.Cleanup(w.end)
	return w
}

// until waits for the part to be so.
func (w *watched) until(what string, holds func(p board.Part) bool) board.Part {
	w.t.Helper()
	var last []board.Part
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if last = w.Overview().Parts; len(last) == 1 && holds(last[0]) {
			return last[0]
		}
	}
	w.t.Fatalf("it does not come: %s; the part is %+v", what, last)
	return board.Part{}
}

// twice are two messages, of which the second is a violation.
func twice(id string) []*kgo.Record {
	one := kafkatest.Message("t", 0, "s", fmt.Sprintf(`{"kind":"service","op":"create","id":%q,"object":{"replicas":1,"remove":false}}`, id))
	two := *one
	return []*kgo.Record{one, &two}
}

// What waits behind an open transaction is lag, and it is reported since when.
func TestOpenTransactionShows(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	numbered(t, c, 0, 0, 1)
	w := watch(t, c.ListenAddrs(), "")
	w.until("all is judged", func(p board.Part) bool { return p.Position == "1" && p.Lag == 0 && p.Blocked.IsZero() })
	slow := kafkatest.Client(t, c.ListenAddrs(), kgo.TransactionalID("slow"), kgo.TransactionTimeout(10*time.Minute))
	if err := slow.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	kafkatest.Produce(t, slow, kafkatest.Message("t", 0, "s0", event(1)))
	numbered(t, c, 0, 2, 401)
	first := w.until("400 messages wait", func(p board.Part) bool { return p.Lag == 400 && p.Unit == "messages" && !p.Blocked.IsZero() })
	numbered(t, c, 0, 401, 402)
	if p := w.until("one more", func(p board.Part) bool { return p.Lag == 401 }); !p.Blocked.Equal(first.Blocked) || p.Position != "1" {
		t.Errorf("it is held since %v at offset %s, and was since %v", p.Blocked, p.Position, first.Blocked)
	}
	if err := slow.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	w.until("all is judged, and nothing holds it up", func(p board.Part) bool {
		return p.Lag == 0 && p.Blocked.IsZero() && p.Position == "403" && p.Events == 402 // with the mark of the commit
	})
}

// Where nobody answers, it shows since when, until a user does.
func TestDeadBrokerShows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	port := kafkatest.Port(t)
	c, err := kfake.NewCluster(kfake.Ports(port), kfake.SeedTopics(1, "t"), kfake.DataDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	addrs := c.ListenAddrs()
	numbered(t, c, 0, 0, 1)
	w := watch(t, addrs, "")
	w.until("it is judged", func(p board.Part) bool { return p.Position == "1" })
	quiet := w.until("it is heard", func(p board.Part) bool { return p.Answered.After(p.LastRead) })
	w.until("it is heard again, with nothing new", func(p board.Part) bool { return p.Answered.After(quiet.Answered) })
	c.Close()
	lost := w.until("it is not heard", func(p board.Part) bool { return time.Since(p.Answered) > 1500*time.Millisecond })
	back, err := kfake.NewCluster(kfake.Ports(port), kfake.DataDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	numbered(t, back, 0, 1, 2)
	w.until("it goes on", func(p board.Part) bool { return p.Answered.After(lost.Answered) && p.Position == "2" && p.Lag == 0 })
	w.end()
}

// While judging waits for alerts to be taken, the lag grows as the topic does, and
// the broker is heard.
func TestLagGrowsWhileJudgingWaits(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	client := kafkatest.Client(t, c.ListenAddrs())
	w := watch(t, c.ListenAddrs(), "")
	for n := range 20 { // so many batches
		kafkatest.Produce(t, client, twice(fmt.Sprint(n))...)
	}
	w.until("it waits", func(p board.Part) bool { return p.State == board.Waiting })
	for n := range 300 {
		kafkatest.Produce(t, client, twice(fmt.Sprint("more", n))...)
	}
	seen := w.until("the lag is right", func(p board.Part) bool {
		at, _ := strconv.ParseInt(p.Position, 10, 64) // shown a moment after the state
		return p.State == board.Waiting && at > 0 && p.Lag == 640-at
	})
	w.until("it is heard", func(p board.Part) bool {
		return p.State == board.Waiting && p.Position == seen.Position && p.Answered.After(seen.Answered)
	})
	w.to.opens()
	w.until("it is judged", func(p board.Part) bool { return p.Position == "640" && p.Lag == 0 })
}

// After a restart at the topic's end the lag is known, though no message comes.
func TestLagAfterRestartAtTheEnd(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	numbered(t, c, 0, 0, 3)
	file := t.TempDir() + "/state"
	for range 2 {
		w := watch(t, c.ListenAddrs(), file)
		w.until("it is judged, and the lag is known", func(p board.Part) bool { return p.Position == "3" && p.Lag == 0 && p.Unit == "messages" })
		w.end()
	}
}

// A checkpoint may be in the middle of what the broker stores as one: judging stops
// where no more alerts may be pending, and goes on from there.
func TestStopsWithinABatch(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	var all []*kgo.Record
	var want []int64
	for n := range 20 {
		all = append(all, twice(fmt.Sprint(n))...)
		want = append(want, int64(2*n+1))
	}
	kafkatest.Produce(t, kafkatest.Client(t, c.ListenAddrs()), all...)
	file := t.TempDir() + "/state"
	for range 2 {
		w := watch(t, c.ListenAddrs(), file)
		w.until("it waits behind its first violation", func(p board.Part) bool { return p.State == board.Waiting && p.Position == "2" && p.Lag == 38 })
		w.end()
	}
	w := watch(t, c.ListenAddrs(), file)
	w.to.opens()
	w.until("all is judged", func(p board.Part) bool { return p.Position == "40" && p.Events == 40 })
	w.end()
	if !slices.Equal(w.to.got, want) {
		t.Errorf("alerted of %v, want %v", w.to.got, want)
	}
}
