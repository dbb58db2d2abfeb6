package topic

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor/checkpoint"
)

// forgetful is a broker that keeps nothing.
type forgetful struct{ next atomic.Int64 }

func (f *forgetful) write(_ context.Context, _ int, messages []message) (int64, error) {
	n := int64(len(messages))
	return f.next.Add(n) - n, nil
}

func (f *forgetful) read(context.Context, int, int64, int64, func(kafka.Message) error) error {
	return nil
}

func (f *forgetful) bounds(context.Context, int) (start, end int64, err error) {
	return 0, f.next.Load(), nil
}

// Of what a checkpoint has written, nothing but its keys is kept, and while it is
// written, little.
func TestCheckpointTakesLittleMemory(t *testing.T) {
	const streams, size = 5_000, 6000
	const most = 8 << 20 // of 30 MB
	s := &Store{broker: &forgetful{}, topic: "state", partitions: 1, chunk: defaultChunk, log: zap.NewNop()}
	p, err := s.Open(t.Context(), "p/0")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", size)
	before, peak := live(), int64(0)
	err = p.Save(t.Context(), &checkpoint.Change{Head: []byte("head"), Whole: true, Streams: func(yield func(checkpoint.Stream) bool) {
		for i := range streams {
			if i%500 == 499 {
				peak = max(peak, live()-before)
			}
			if !yield(checkpoint.Stream{Name: fmt.Sprint(i), State: []byte(fmt.Sprint(i, text))}) {
				return
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	after := live() - before
	t.Logf("%d kB at most, %d kB then", peak>>10, after>>10)
	if peak > most || after > most {
		t.Errorf("%d kB are held at most while it is written, and %d kB then", peak>>10, after>>10)
	}
	runtime.KeepAlive(p)
}

// live is how much lives, in bytes.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
