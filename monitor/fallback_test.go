package monitor_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest/kafka"
	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/checkpoint"
	"tracecheck/monitor/checkpoint/local"
	"tracecheck/monitor/checkpoint/topic"
	"tracecheck/monitor/monitortest"
	"tracecheck/validators"
)

// A monitor whose last checkpoint is damaged goes on from the one before it, states
// so, and tells in the end what an undisturbed run finds.
func TestDamagedCheckpointIsPassedOver(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "checkpoints")
	t.Run("file", func(t *testing.T) {
		passesOver(t, 40, func() checkpoint.Store {
			store, err := local.Open(path, local.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return store
		}, func(rng *rand.Rand) { hurt(t, rng, path+[]string{"", local.OtherSuffix}[rng.IntN(2)]) })
	})
	t.Run("topic", func(t *testing.T) {
		brokers := kafkatest.Start(t).ListenAddrs()
		passesOver(t, 150, func() checkpoint.Store {
			store, err := topic.Open(t.Context(), topic.Options{Kafka: kafka.Options{Brokers: brokers}, Topic: "state", Pause: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			return store
		}, func(*rand.Rand) { spoilLast(t, brokers, "state") })
	})
}

// passesOver runs monitors one after the other, each for so many lines, and
// damages what it has kept.
func passesOver(t *testing.T, lines int, open func() checkpoint.Store, damage func(*rand.Rand)) {
	t.Helper()
	p := &listed{name: "p", lines: monitortest.Faulty(t, "swarmkit", 7, 7, 900, 40), batch: 7}
	want := undisturbed(t, []*listed{p})
	passed := 0
	rng := rand.New(rand.NewPCG(6, 6))
	alerted := &outbox{}
	for p.stop < len(p.lines) {
		p.stop = min(p.stop+lines, len(p.lines))
		store := open()
		r := start(t, monitor.Options{Store: store, Outbox: alerted, Every: 5 * time.Millisecond, Judge: validators.Options{Select: []string{"swarmkit"}}}, p).judged()
		until(t, "it is looked at", func() bool { return len(r.Overview().Parts) == 1 && r.Overview().Totals.Streams > 0 })
		o := r.Overview()
		if shown := o.Parts[0].Fallback != ""; shown != (o.Counted.Fallbacks == 1) {
			t.Errorf("it shows %q, and counts %d", o.Parts[0].Fallback, o.Counted.Fallbacks)
		}
		passed += int(o.Counted.Fallbacks)
		r.end()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		damage(rng)
	}
	var got []string
	for _, a := range alerted.all {
		if id := "violation " + a.ID; a.Kind == alert.OfViolation && !slices.Contains(got, id) {
			got = append(got, id)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("alerted %d violations, want the %d of an undisturbed run", len(got), len(want))
	}
	if passed < 2 || len(want) == 0 {
		t.Errorf("the test shows nothing: %d checkpoints were passed over, and there are %d violations", passed, len(want))
	}
}

// spoilLast replaces the head that the last checkpoint in the topic wrote: of a
// state there may be another record.
func spoilLast(t *testing.T, brokers []string, name string) {
	t.Helper()
	client := kafkatest.Client(t, brokers, kgo.ConsumeTopics(name))
	var all []*kgo.Record
	for end := int64(-1); len(all) == 0 || all[len(all)-1].Offset < end-1; {
		fetched := client.PollFetches(t.Context())
		if err := fetched.Err(); err != nil {
			t.Fatal(err)
		}
		fetched.EachPartition(func(p kgo.FetchTopicPartition) { end = max(end, p.HighWatermark) })
		all = append(all, fetched.Records()...)
	}
	const kindOf, head, commit = 1, 5, 6 // in a key
	marks := 0
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Key[kindOf] == commit && all[i].Value != nil {
			marks++
		} else if marks == 1 && all[i].Key[kindOf] == head && all[i].Value != nil {
			kafkatest.Produce(t, client, &kgo.Record{Topic: name, Key: all[i].Key, Value: []byte("spoilt")})
			return
		}
	}
	t.Fatal("the topic has no checkpoint")
}

// hurt changes bits of a file.
func hurt(t *testing.T, rng *rand.Rand, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
