package monitor_test

import (
	"bytes"
	"context"
	"runtime"
	"testing"
	"time"

	"tracecheck/internal/generate"
	"tracecheck/monitor"
	"tracecheck/trace"
)

// once is a part that has its lines judged, and no more come.
type once struct{ lines [][]byte }

func (*once) Name() string { return "p" }

func (o *once) Follow(ctx context.Context, _ monitor.Position, take func(*monitor.Batch) error) error {
	var d trace.Decoder
	for n := 0; n < len(o.lines); {
		d.Reset()
		b := &monitor.Batch{Events: make([]trace.Event, min(100, len(o.lines)-n))}
		for i := range b.Events {
			if err := d.Decode(o.lines[n], trace.Pos{File: "p", Line: n + 1}, &b.Events[i]); err != nil {
				return err
			}
			n++
		}
		b.Next = "x"
		if err := take(b); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

// A stream takes little memory, with what is shown of it: 100,000 of about 11
// objects are to fit in 8 kB each, garbage included.
func TestStreamsTakeLittle(t *testing.T) {
	const streams, most = 4000, 5000 // bytes
	var text bytes.Buffer
	_, err := generate.Run(t.Context(), generate.Options{
		Specs: []string{"swarmkit"}, Events: 20 * streams, Seed: 1, Streams: streams, Objects: 4, Snapshot: true,
		Start: time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC), Interval: time.Millisecond,
	}, &text)
	if err != nil {
		t.Fatal(err)
	}
	source := &once{lines: bytes.Split(bytes.TrimSpace(text.Bytes()), []byte("\n"))}
	m, err := monitor.New(monitor.Options{
		Judge: all(swarmkit), Outbox: forgets{}, Every: 20 * time.Millisecond, Lines: 1,
		Source: runs(func(ctx context.Context, judge func(context.Context, monitor.Part) error) error {
			return judge(ctx, source)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	before := live()
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- m.Run(ctx) }()
	until(t, "all are judged", func() bool {
		o := m.Overview()
		return o.Totals.Events == int64(len(source.lines)) && o.Totals.Streams == streams
	})
	after := live()
	o := m.Overview()
	cancel()
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	if o.Totals.Unusable > 0 || o.Totals.Objects < 10*streams {
		t.Fatalf("it has judged %+v", o.Totals)
	}
	each := (after - before) / streams
	t.Logf("%d bytes a stream of %.1f objects", each, float64(o.Totals.Objects)/streams)
	if each > most {
		t.Errorf("a stream takes %d bytes, and %d at most are to be", each, most)
	}
}

// live is how much lives, in bytes.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
