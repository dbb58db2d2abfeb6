package monitor_test

import (
	"context"
	"runtime/debug"
	"testing"

	"tracecheck/monitor"
	"tracecheck/monitor/checkpoint"
)

// TestCollectorWhileLoading: the garbage collector comes rarely only as long as
// a checkpoint is loaded.
func TestCollectorWhileLoading(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	kept := newMemory()
	p := &listed{name: "p", lines: []string{begins("s", "a"), begins("s", "b")}, stop: 2}
	for range 2 { // the second goes on from the first one's checkpoint
		start(t, monitor.Options{Store: kept.open(), Judge: swarmkit, GCPercent: 55}, p).judged().end()
		if got := debug.SetGCPercent(77); got != 55 {
			t.Errorf("the collector's percentage is %d when it is loaded, want 55", got)
		}
	}
}

// collected is a store that notes the garbage collector's percentage while a
// checkpoint is written.
type collected struct {
	checkpoint.Store
	seen chan int
}

func (c *collected) Open(ctx context.Context, part string) (checkpoint.Part, error) {
	p, err := c.Store.Open(ctx, part)
	return &collectedPart{p, c.seen}, err
}

type collectedPart struct {
	checkpoint.Part
	seen chan int
}

func (p *collectedPart) Save(ctx context.Context, c *checkpoint.Change) error {
	now := debug.SetGCPercent(77)
	debug.SetGCPercent(now)
	select {
	case p.seen <- now:
	default:
	}
	return p.Part.Save(ctx, c)
}

// The garbage collector comes more often while a checkpoint is written that may be
// large, and only then.
func TestCollectorWhileSaving(t *testing.T) {
	before := debug.SetGCPercent(55)
	defer debug.SetGCPercent(before)
	seen := make(chan int, 1)
	p := &listed{name: "p", lines: []string{begins("s", "a"), begins("s", "b")}, stop: 2}
	start(t, monitor.Options{Store: &collected{newMemory().open(), seen}, Judge: swarmkit, GCPercent: 55}, p).judged().end()
	if got := <-seen; got >= 55 {
		t.Errorf("the collector's percentage is %d while a checkpoint is written, want less than 55", got)
	}
	if got := debug.SetGCPercent(55); got != 55 {
		t.Errorf("it is %d when it is written, want 55", got)
	}
}
