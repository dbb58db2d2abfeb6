package monitor_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/monitortest"
)

// What TestKilled shows holds while batches are judged later, too.
func TestKilledWhileReadingOn(t *testing.T) {
	t.Parallel()
	for seed := range uint64(exhaustive.Or(1, 12)) {
		disturb(t, seed, monitor.Options{}, []*listed{
			{name: "a", lines: monitortest.Faulty(t, "swarmkit", seed, 7, 6000, 40), batch: 200, keeps: true, unseen: seed%2 == 0},
			{name: "b", lines: monitortest.Faulty(t, "swarmkit", seed+1000, 7, 6000, 400), batch: 130, keeps: true},
		})
	}
}

// What is found in the last batch is alerted at once, though nothing comes after it. Its lines
// are judged while the next ones would be read.
func TestAlertedWhileNothingComes(t *testing.T) {
	t.Parallel()
	lines, want := twice(500)
	alerted := &outbox{}
	p := &listed{name: "p", lines: lines, stop: len(lines), batch: 250, keeps: true}
	r := start(t, monitor.Options{Judge: swarmkit, Outbox: alerted, Every: time.Hour, Look: time.Hour}, p).judged()
	until(t, "all alerts", func() bool { return len(alerted.of(alert.OfViolation)) == len(want) })
	if got := alerted.of(alert.OfViolation); !slices.Equal(got, want) {
		t.Errorf("alerted %q, want %q", got, want)
	}
	r.end()
}

// Batches without alerts give back the room that they have reserved.
func TestRoomIsGivenBack(t *testing.T) {
	t.Parallel()
	var lines []string
	for n := range 20_000 {
		lines = append(lines, begins("s", fmt.Sprint(n)))
	}
	room := &counted{}
	p := &listed{name: "p", lines: lines, stop: len(lines), batch: 250, keeps: true}
	start(t, monitor.Options{Judge: swarmkit, Outbox: room, Every: time.Hour, Look: time.Hour}, p).judged().end()
	if left, most := room.left.Load(), room.most.Load(); left != 0 || most > 6000 {
		t.Errorf("%d events have reserved room at the end, and %d at most", left, most)
	}
}

// counted counts the events that have reserved room.
type counted struct {
	outbox
	left, most atomic.Int64
}

func (c *counted) Reserve(events int) (int, <-chan struct{}) {
	c.most.Store(max(c.most.Load(), c.left.Add(int64(events))))
	return events, nil
}

func (c *counted) Add(part string, alerts []alert.Alert, events int) {
	c.left.Add(-int64(events))
	c.outbox.Add(part, alerts, 0)
}
