package monitor_test

import (
	"runtime/debug"
	"testing"

	"tracecheck/monitor"
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
