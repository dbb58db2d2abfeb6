package kafka

import (
	"context"
	"sync"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"tracecheck/ingest/kafka/kafkatest"
)

// A partition of a generation that has ended meanwhile is nobody's: the library
// does not wait for who takes it, and the next generation may have begun.
func TestGenerationIsOver(t *testing.T) {
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	m := &member{
		source: open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}}),
		group:  Group{ID: "g"}.withDefaults(),
		own: func(context.Context, *Claim) error {
			t.Error("the partition is given away")
			return nil
		},
	}
	config, err := m.config()
	if err != nil {
		t.Fatal(err)
	}
	cg, err := kafkago.NewConsumerGroup(*config)
	if err != nil {
		t.Fatal(err)
	}
	defer cg.Close()
	gen, err := cg.Next(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	gen.Start(func(ctx context.Context) { // its end is that of the generation
		go func() { <-ctx.Done(); close(over) }()
	})
	<-over
	m.start(t.Context(), gen, "t", 0, 1)
	m.going.Wait()
}

// growing is a balancer that is slow: the topic gets partitions after they were assigned.
type growing struct {
	kafkago.GroupBalancer
	grow func()
}

func (g growing) AssignGroups(members []kafkago.GroupMember, partitions []kafkago.Partition) kafkago.GroupMemberAssignments {
	defer g.grow()
	return g.GroupBalancer.AssignGroups(members, partitions)
}

// Partitions that are added before the generation begins are assigned in the next one.
func TestTopicGrowsWhileJoining(t *testing.T) {
	c := kafkatest.Start(t, kfake.SeedTopics(2, "t"))
	client := kafkatest.Client(t, c.ListenAddrs())
	ctx, cancel := context.WithCancel(bounded(t))
	var mu sync.Mutex
	owned := map[int]bool{}
	m := &member{
		source: open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}}),
		group:  Group{ID: "g", Heartbeat: 50 * time.Millisecond, Watch: 100 * time.Millisecond}.withDefaults(),
		stop:   cancel,
		own: func(ctx context.Context, c *Claim) error {
			mu.Lock()
			owned[c.Partition] = true
			if len(owned) == 5 {
				cancel()
			}
			mu.Unlock()
			<-ctx.Done()
			return ctx.Err()
		},
	}
	config, err := m.config()
	if err != nil {
		t.Fatal(err)
	}
	grow := sync.OnceFunc(func() { kafkatest.Grow(t, client, "t", 5) })
	for i, b := range config.GroupBalancers {
		config.GroupBalancers[i] = growing{b, grow}
	}
	cg, err := kafkago.NewConsumerGroup(*config)
	if err != nil {
		t.Fatal(err)
	}
	err = m.run(ctx, cg)
	m.leave(cg)
	if err != nil || len(owned) != 5 {
		t.Errorf("got %v, and the partitions %v, want all 5", err, owned)
	}
}
