package monitor_test

import (
	"context"
	"runtime"
	"strconv"
	"testing"
	"time"

	"tracecheck/ingest"
	"tracecheck/internal/exhaustive"
	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/trace"
)

// endless is a part whose every line breaks a rule, or is not an event.
type endless struct {
	looks []int // after so many lines
	look  func()
}

func (*endless) Name() string { return "p" }

func (e *endless) Follow(ctx context.Context, _ monitor.Position, take func(*monitor.Batch) error) error {
	var d trace.Decoder
	streams := []string{"a", "b", "c"}
	for n := 1; ; n++ {
		d.Reset()
		line := []byte(begins(streams[n%3], "x"))
		b := &monitor.Batch{Next: monitor.Position(strconv.Itoa(n)), Events: make([]trace.Event, 1)}
		if err := d.Decode(line, trace.Pos{File: "p", Line: n}, &b.Events[0]); err != nil {
			return err
		}
		if n%100 == 0 {
			b.Bad = []ingest.Malformed{{Streams: streams[:1], Err: &trace.Error{Pos: trace.Pos{File: "p", Line: n}, Reason: "it is bad"}, Raw: line}}
			b.Events[0].Op = trace.OpSnapshot
		}
		if err := take(b); err != nil {
			return err
		}
		if n == e.looks[0] {
			e.look()
			if e.looks = e.looks[1:]; len(e.looks) == 0 {
				<-ctx.Done()
				return ctx.Err()
			}
		}
	}
}

// forgets is an outbox that keeps nothing.
type forgets struct{}

func (forgets) Reserve(events int) (int, <-chan struct{}) { return events, nil }
func (forgets) Add(string, []alert.Alert, int)            {}
func (forgets) Pending(string) []alert.Pending            { return nil }
func (forgets) Restore(string, []alert.Pending)           {}
func (forgets) Withdraw(string, func(*alert.Alert) bool)  {}
func (forgets) Drop(string)                               {}

// However much is found, and nobody looks, memory does not grow with it.
func TestMemoryIsBounded(t *testing.T) {
	few, many := 5_000, exhaustive.Or(50_000, 100_000)
	var heaps []uint64
	seen := make(chan struct{})
	source := &endless{looks: []int{few, many}, look: func() {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if heaps = append(heaps, m.HeapAlloc); len(heaps) == 2 {
			close(seen)
		}
	}}
	kept := newMemory()
	m, err := monitor.New(monitor.Options{
		Judge: all(swarmkit), Outbox: forgets{}, Store: kept.open(), Every: 50 * time.Millisecond, Lines: 1,
		Source: runs(func(ctx context.Context, judge func(context.Context, monitor.Part) error) error {
			return judge(ctx, source)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- m.Run(ctx) }()
	<-seen
	cancel()
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	if o := m.Overview(); o.Counted.Events != int64(many) || o.Counted.Bad == 0 {
		t.Fatalf("it has judged %+v", o.Counted)
	}
	const most = 4 << 20 // a violation has some kB
	if heaps[1] > heaps[0]+most {
		t.Errorf("%d kB are held after %d lines, and %d kB after %d", heaps[0]>>10, few, heaps[1]>>10, many)
	}
	t.Logf("%d kB after %d lines, %d kB after %d", heaps[0]>>10, few, heaps[1]>>10, many)
}
