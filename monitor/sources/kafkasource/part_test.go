package kafkasource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"tracecheck/ingest/kafka"
	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor"
)

var _ monitor.Source = (*Source)(nil)

// seen is what a run gave, part by part.
type seen struct {
	mu     sync.Mutex
	events map[string][]string
	bad    []string
	missed []string
	next   map[string]monitor.Position
	lag    map[string]int64
}

// judge runs the source until each part has been read up to the position that is
// wanted of it.
func judge(t *testing.T, o Options, from map[string]monitor.Position, until map[string]monitor.Position) (*seen, error) {
	t.Helper()
	if o.Watch == 0 {
		o.Watch = 200 * time.Millisecond
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := &seen{events: map[string][]string{}, next: map[string]monitor.Position{}, lag: map[string]int64{}}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	err = s.Run(ctx, func(ctx context.Context, p monitor.Part) error {
		p.(monitor.Saver).Saved(ctx, "7") // without a group, it is of no use to anyone
		return p.Follow(ctx, from[p.Name()], func(b *monitor.Batch) error {
			got.mu.Lock()
			defer got.mu.Unlock()
			for i := range b.Events {
				got.events[p.Name()] = append(got.events[p.Name()], b.Events[i].ID)
			}
			for _, x := range b.Bad {
				got.bad = append(got.bad, fmt.Sprintf("before %d of %q, key %q, %q: %v", x.Before, x.Streams, x.Key, x.Raw, x.Err))
			}
			if b.Missed != nil {
				got.missed = append(got.missed, b.Missed.Error())
			}
			got.next[p.Name()], got.lag[p.Name()] = b.Next, b.Lag
			if b.Unit != "messages" {
				return fmt.Errorf("the unit is %q", b.Unit)
			}
			for name, at := range until {
				if got.next[name] != at {
					return nil
				}
			}
			cancel()
			return nil
		})
	})
	return got, err
}

func options(c *kfake.Cluster) Options {
	return Options{Kafka: kafka.Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}}}
}

// numbered writes messages n to partition 0.
func numbered(t *testing.T, c *kfake.Cluster, partition, from, to int) {
	t.Helper()
	client := kafkatest.Client(t, c.ListenAddrs())
	for n := from; n < to; n++ {
		kafkatest.Produce(t, client, kafkatest.Message("t", partition, fmt.Sprint("s", partition), event(int64(n))))
	}
}

func ids(from, to int) (all []string) {
	for n := from; n < to; n++ {
		all = append(all, fmt.Sprint("n", n))
	}
	return all
}

// A partition is read on from the checkpoint, and without one from where it was
// asked for.
func TestPositions(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	numbered(t, c, 0, 0, 5)
	time.Sleep(20 * time.Millisecond)
	middle := time.Now()
	time.Sleep(20 * time.Millisecond)
	numbered(t, c, 0, 5, 10)
	kafkatest.DeleteUpTo(t, kafkatest.Client(t, c.ListenAddrs()), "t", 0, 2)
	for _, test := range []struct {
		name  string
		from  monitor.Position
		start Start
		want  []string
	}{
		{"the first that is left", "", Start{}, ids(2, 10)},
		{"a checkpoint", "7", Start{}, ids(7, 10)},
		{"a checkpoint, whatever the start", "7", Start{Offset: 4}, ids(7, 10)},
		{"an offset", "", Start{Offset: 4}, ids(4, 10)},
		{"an offset that is gone", "", Start{Offset: 1}, ids(2, 10)},
		{"a time", "", Start{Time: middle}, ids(5, 10)},
	} {
		o := options(c)
		o.Start = test.start
		got, err := judge(t, o, map[string]monitor.Position{"kafka:t/0": test.from}, map[string]monitor.Position{"kafka:t/0": "10"})
		if err != nil || !slices.Equal(got.events["kafka:t/0"], test.want) || len(got.missed) > 0 || got.lag["kafka:t/0"] != 0 {
			t.Errorf("%s: got %q, missed %q, error %v; want %q", test.name, got.events, got.missed, err, test.want)
		}
	}
}

// What is to begin beyond the end begins with what comes.
func TestBeginsAtTheEnd(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	numbered(t, c, 0, 0, 5)
	for _, start := range []Start{{Offset: 99}, {Time: time.Now().Add(time.Hour)}} {
		o := options(c)
		o.Start = start
		s, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		p := &part{source: s, claim: &kafka.Claim{Topic: "t"}, name: nameOf("t", 0)}
		if at, err := p.begin(t.Context(), ""); err != nil || at != 5 {
			t.Errorf("%+v: offset %d, error %v; want 5", start, at, err)
		}
		s.Close()
	}
}

// A partition that the topic gets is judged from its start.
func TestNewPartition(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	go func() {
		time.Sleep(300 * time.Millisecond)
		kafkatest.Grow(t, kafkatest.Client(t, c.ListenAddrs()), "t", 2)
		numbered(t, c, 1, 0, 3)
	}()
	got, err := judge(t, options(c), nil, map[string]monitor.Position{"kafka:t/1": "3"})
	if err != nil || !slices.Equal(got.events["kafka:t/1"], ids(0, 3)) || len(got.events["kafka:t/0"]) > 0 {
		t.Errorf("got %q, error %v", got.events, err)
	}
}

// What retention has deleted before it was judged is reported.
func TestMissed(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	numbered(t, c, 0, 0, 10)
	kafkatest.DeleteUpTo(t, kafkatest.Client(t, c.ListenAddrs()), "t", 0, 6)
	got, err := judge(t, options(c), map[string]monitor.Position{"kafka:t/0": "3"}, map[string]monitor.Position{"kafka:t/0": "10"})
	want := []string{"t/0 offset 3: the messages up to offset 5 were deleted by retention before they were judged: set retention.ms to more than the longest absence or delay of the monitor"}
	if err != nil || !slices.Equal(got.missed, want) || !slices.Equal(got.events["kafka:t/0"], ids(6, 10)) {
		t.Errorf("got %q, missed %q, error %v", got.events, got.missed, err)
	}
}

// Bad messages come with their place, and all there is of them.
func TestBad(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	client := kafkatest.Client(t, c.ListenAddrs())
	kafkatest.Produce(t, client, kafkatest.Message("t", 0, "a", event(0)), kafkatest.Message("t", 0, "a", "nonsense"),
		kafkatest.Message("t", 0, "", "more"), kafkatest.Message("t", 0, "a", event(1)))
	got, err := judge(t, options(c), nil, map[string]monitor.Position{"kafka:t/0": "4"})
	want := []string{
		`before 1 of ["a"], key "a", "nonsense": t/0 offset 1: the line is not JSON: "nonsense"`,
		`before 1 of [""], key "", "more": t/0 offset 2: the line is not JSON: "more"`,
	}
	if err != nil || !slices.Equal(got.bad, want) || !slices.Equal(got.events["kafka:t/0"], ids(0, 2)) {
		t.Errorf("got %q, bad %q, error %v; want %q", got.events, got.bad, err, want)
	}
}

// What cannot be gone on from is reported, with what to do.
func TestPositionsThatAreNone(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	numbered(t, c, 0, 0, 10)
	for position, want := range map[monitor.Position]string{
		"12":  "t/0 ends at offset 10, before offset 12, where reading was to start: was the topic deleted and recreated? If it was, use --start-over, or another file or topic",
		"x":   `the checkpoint of kafka:t/0 has the position "x", which is not an offset`,
		"-1":  `has the position "-1", which is not an offset`,
		"1 2": "is damaged, or belongs to another source",
	} {
		_, err := judge(t, options(c), map[string]monitor.Position{"kafka:t/0": position}, map[string]monitor.Position{"kafka:t/0": "never"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", position, err, want)
		}
	}
}

// A topic that is made late is waited for; one that does not come, or goes, is
// reported.
func TestMissingTopics(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t)
	client := kafkatest.Client(t, c.ListenAddrs())
	o := options(c)
	go func() {
		time.Sleep(300 * time.Millisecond)
		kafkatest.CreateTopic(t, client, "t", 1)
		numbered(t, c, 0, 0, 1)
	}()
	if got, err := judge(t, o, nil, map[string]monitor.Position{"kafka:t/0": "1"}); err != nil || len(got.events["kafka:t/0"]) != 1 {
		t.Errorf("got %v, error %v", got.events, err)
	}
	o.Grace = 300 * time.Millisecond
	o.Kafka.Topics = []string{"nosuch"}
	if _, err := judge(t, o, nil, nil); err == nil || !strings.Contains(err.Error(), "check the topic's name") {
		t.Errorf("no topic: got %v", err)
	}
	o.Kafka.Topics = []string{"t"}
	go func() {
		time.Sleep(300 * time.Millisecond)
		if err := c.DeleteTopic("t"); err != nil {
			t.Error(err)
		}
	}()
	_, err := judge(t, o, nil, map[string]monitor.Position{"kafka:t/0": "never"})
	if err == nil || !strings.Contains(err.Error(), "check the topic's name") {
		t.Errorf("a topic that goes: got %v", err)
	}
}

// An end that is asked for is no error, even where nothing answers.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	s, err := Open(Options{Kafka: kafka.Options{Brokers: []string{"127.0.0.1:1"}, Topics: []string{"t"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err = s.Run(ctx, func(context.Context, monitor.Part) error { return errors.New("a part of what?") })
	if err != nil {
		t.Errorf("got %v", err)
	}
	if _, err := Open(Options{}); err == nil {
		t.Error("no broker and no topic is taken")
	}
}
