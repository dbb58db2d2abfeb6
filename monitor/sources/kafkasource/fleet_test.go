package kafkasource

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor"
)

// fleet is some monitors that judge one topic together, and what they have
// saved.
type fleet struct {
	t       *testing.T
	brokers []string
	topic   string
	group   kafka.Group

	mu      sync.Mutex
	saved   map[string]*saved
	owners  map[string]*member        // who judges a part now, but for zombies
	slow    map[*member]chan struct{} // who gives nothing up until that is closed
	overlap []string
	wrong   []string
	change  chan struct{} // is closed at each change
}

// saved is the checkpoint of a part.
type saved struct {
	epoch  int   // of the latest owner
	judged int64 // how many messages: those with the first offsets
}

// member is one monitor.
type member struct {
	fleet  *fleet
	name   string
	wire   *wire
	stop   context.CancelFunc
	done   chan error
	source *Source
}

// wire is a network that can be cut.
type wire struct {
	mu    sync.Mutex
	conns []net.Conn
	cut   bool
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return nil, errors.New("the network is down")
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		w.conns = append(w.conns, c)
	}
	return c, err
}

func (w *wire) sever(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

func newFleet(t *testing.T, brokers []string, topic string, session time.Duration) *fleet {
	return &fleet{
		t: t, brokers: brokers, topic: topic,
		group: kafka.Group{ID: topic + "-group", Session: session, Heartbeat: 100 * time.Millisecond, Rebalance: 20 * time.Second},
		saved: map[string]*saved{}, owners: map[string]*member{}, slow: map[*member]chan struct{}{}, change: make(chan struct{}),
	}
}

func (f *fleet) start(name string) *member {
	f.t.Helper()
	m := &member{fleet: f, name: name, wire: &wire{}, done: make(chan error, 1)}
	log := zap.NewNop()
	if testing.Verbose() {
		log = zap.NewExample().With(zap.String("member", name))
	}
	var err error
	m.source, err = Open(Options{
		Kafka: kafka.Options{Brokers: f.brokers, Topics: []string{f.topic}, Log: log, Dial: m.wire.dial},
		Group: f.group, Watch: 300 * time.Millisecond, Grace: 10 * time.Second,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(f.t.Context())
	m.stop = stop
	go func() {
		err := m.source.Run(ctx, m.judge)
		if err != nil {
			f.locked(func() { f.wrong = append(f.wrong, fmt.Sprintf("%s: %v", name, err)) })
		}
		m.done <- err
	}()
	f.t.Cleanup(func() { stop(); m.source.Close() })
	return m
}

// leave ends a member in order.
func (m *member) leave() {
	m.fleet.t.Helper()
	m.stop()
	if err := <-m.done; err != nil {
		m.fleet.t.Errorf("%s: %v", m.name, err)
	}
}

// cutOff is for a member whose machine loses its network. What it still does with
// the parts that it has counts no more.
func (m *member) cutOff() {
	m.fleet.locked(func() {
		for part, owner := range m.fleet.owners {
			if owner == m {
				delete(m.fleet.owners, part)
			}
		}
	})
	m.wire.sever(true)
}

func (f *fleet) locked(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	close(f.change)
	f.change = make(chan struct{})
}

// judge counts a part's messages, which say how many came before them, and saves
// the count now and then, as the monitor does with what it knows.
func (m *member) judge(ctx context.Context, p monitor.Part) error {
	f := m.fleet
	var epoch int
	var at int64
	f.locked(func() {
		if other := f.owners[p.Name()]; other != nil {
			f.overlap = append(f.overlap, fmt.Sprintf("%s gets %s, which %s has", m.name, p.Name(), other.name))
		}
		f.owners[p.Name()] = m
		s := f.saved[p.Name()]
		if s == nil {
			s = &saved{}
			f.saved[p.Name()] = s
		}
		s.epoch++
		epoch, at = s.epoch, s.judged
	})
	save := func() {
		f.locked(func() {
			if s := f.saved[p.Name()]; s.epoch == epoch {
				s.judged = at
			}
		})
		p.(monitor.Saver).Saved(ctx, position(at))
	}
	defer f.locked(func() {
		if f.owners[p.Name()] == m {
			delete(f.owners, p.Name())
		}
	})
	from := monitor.Position("")
	if at > 0 {
		from = position(at)
	}
	batches := 0
	err := p.Follow(ctx, from, func(b *monitor.Batch) error {
		for i := range b.Events {
			if want := fmt.Sprint("n", at); b.Events[i].ID != want || b.Events[i].Pos.Number() != at {
				f.locked(func() {
					f.wrong = append(f.wrong, fmt.Sprintf("%s: %s at %v, want %s", m.name, b.Events[i].ID, b.Events[i].Pos, want))
				})
			}
			at++
		}
		if next, _ := strconv.ParseInt(string(b.Next), 10, 64); next != at || b.Missed != nil || len(b.Bad) > 0 {
			return fmt.Errorf("after %d messages: next %s, missed %v, bad %v", at, b.Next, b.Missed, b.Bad)
		}
		if batches++; batches%3 == 0 || b.Lag == 0 {
			save()
		}
		return nil
	})
	var slow chan struct{}
	f.locked(func() { slow = f.slow[m] })
	if slow != nil {
		<-slow
	}
	time.Sleep(20 * time.Millisecond) // the last checkpoint takes a while
	save()
	return err
}

// await waits until the condition holds.
func (f *fleet) await(what string, holds func() bool) {
	f.t.Helper()
	over := time.After(60 * time.Second)
	for {
		f.mu.Lock()
		ok, change := holds() || len(f.wrong)+len(f.overlap) > 0, f.change
		f.mu.Unlock()
		if ok {
			f.complain()
			return
		}
		select {
		case <-change:
		case <-over:
			f.mu.Lock()
			defer f.mu.Unlock()
			has := map[string]string{}
			for part, m := range f.owners {
				has[part] = m.name
			}
			f.t.Fatalf("%s: it did not come; %v; saved %v", what, has, f.saved)
		}
	}
}

// complain states what went wrong on the way.
func (f *fleet) complain() {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if all := append(f.wrong, f.overlap...); len(all) > 0 {
		f.t.Fatal(strings.Join(all, "\n"))
	}
}

// shares waits until the members have so many parts each.
func (f *fleet) shares(want map[*member]int) {
	f.t.Helper()
	f.await(fmt.Sprint("shares of ", want), func() bool {
		got := map[*member]int{}
		for _, m := range f.owners {
			got[m]++
		}
		for m, n := range want {
			if got[m] != n {
				return false
			}
		}
		return len(got) == len(want)
	})
}

// produce writes messages to each partition, on and on, until stop is called,
// which returns how many each has.
func (f *fleet) produce(partitions int) (stop func() (each int64)) {
	client := kafkatest.Client(f.t, f.brokers)
	over, ended := make(chan struct{}), make(chan int64)
	go func() {
		for n := int64(0); ; n++ {
			for p := range partitions {
				kafkatest.Produce(f.t, client, kafkatest.Message(f.topic, p, keyOf(p), event(n)))
			}
			select {
			case <-over:
				ended <- n + 1
				return
			case <-time.After(3 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(over); return <-ended }
}

func keyOf(partition int) string { return fmt.Sprint("s", partition) }

func event(n int64) string {
	return fmt.Sprintf(`{"kind":"node","op":"create","id":"n%d","object":{"state":"up"}}`, n)
}

// judgedAll waits until all is judged.
func (f *fleet) judgedAll(partitions int, each int64) {
	f.t.Helper()
	f.await("the end", func() bool {
		for p := range partitions {
			if s := f.saved[nameOf(f.topic, p)]; s == nil || s.judged < each {
				return false
			}
		}
		return true
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	for p := range partitions {
		if s := f.saved[nameOf(f.topic, p)]; s.judged != each {
			f.t.Errorf("partition %d: %d messages were judged, want %d", p, s.judged, each)
		}
	}
}
