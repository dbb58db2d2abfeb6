package kafka

import (
	"context"
	"testing"

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
