package monitor_test

import (
	"path/filepath"
	"testing"
	"time"

	"tracecheck/ingest/kafka"
	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor"
	"tracecheck/monitor/checkpoint"
	"tracecheck/monitor/checkpoint/local"
	"tracecheck/monitor/checkpoint/topic"
	"tracecheck/monitor/monitortest"
	"tracecheck/specs"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// unsavable cannot be encoded.
type unsavable struct{ validators.Machine }

func (u unsavable) Persist(c *codec.Codec) {
	if c.Reading() {
		u.Machine.Persist(c)
	} else {
		c.Fail("a value cannot be saved")
	}
}

// A checkpoint with a state that cannot be encoded is not written: it could not be read. The
// one before it stays.
func TestUnsavableStateKeepsTheCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoints")
	t.Run("file", func(t *testing.T) {
		keepsCheckpoint(t, func() (checkpoint.Store, error) { return local.Open(path, local.Options{}) })
	})
	brokers := kafkatest.Start(t).ListenAddrs()
	t.Run("topic", func(t *testing.T) {
		keepsCheckpoint(t, func() (checkpoint.Store, error) {
			return topic.Open(t.Context(), topic.Options{Kafka: kafka.Options{Brokers: brokers}, Topic: "state", Pause: time.Millisecond})
		})
	})
}

func keepsCheckpoint(t *testing.T, open func() (checkpoint.Store, error)) {
	t.Helper()
	p := &listed{name: "p", lines: monitortest.Faulty(t, "swarmkit", 7, 3, 400, 40)}
	p.stop = len(p.lines) / 2
	for _, bad := range []bool{false, true, false} {
		store, err := open()
		if err != nil {
			t.Fatal(err)
		}
		var judge validators.Options
		for _, s := range specs.All() {
			own := *s
			if bad {
				own.New = func(c validators.Config) (validators.Machine, error) {
					m, err := s.New(c)
					return unsavable{m}, err
				}
			}
			judge.Specs = append(judge.Specs, &own)
		}
		judge.Select = []string{"swarmkit"}
		r := start(t, monitor.Options{Store: store, Every: 5 * time.Millisecond, Judge: judge}, p)
		r.judged()
		until(t, "the overview has all", func() bool { return r.Overview().Totals.Events == int64(p.stop) })
		r.end()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		p.stop = len(p.lines)
	}
}
