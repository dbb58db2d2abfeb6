package monitor

import (
	"fmt"
	"testing"
	"time"

	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// TestCheckpointWaitsForSnapshots: one that is due waits while snapshots of a
// large stream come, for a minute at most; and so does each one after it.
func TestCheckpointWaitsForSnapshots(t *testing.T) {
	r, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{"swarmkit"}, Recover: true, InParts: 2})
	if err != nil {
		t.Fatal(err)
	}
	const every = 10 * time.Second
	p := &part{m: &Monitor{opts: Options{Every: every}}, runner: r}
	lines := 0
	push := func(op string) {
		t.Helper()
		var d trace.Decoder
		var ev trace.Event
		lines++
		line := fmt.Sprintf(`{"kind":"node","op":%q,"id":"n%d","object":{"state":"up"}}`, op, lines)
		if err := d.Decode([]byte(line), trace.Pos{File: "f", Line: lines}, &ev); err != nil {
			t.Fatal(err)
		}
		if err := r.Push([]trace.Event{ev}); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Unix(1_000_000, 0)
	due := func(want bool, when string) {
		t.Helper()
		if got := p.isDue(now); got != want {
			t.Errorf("a checkpoint is due %t %s", got, when)
		}
		if want {
			p.saver.began = now
		}
	}
	push("snapshot")
	due(true, "while a small stream is shown")
	now = now.Add(every)
	push("snapshot")
	due(false, "while a large one is")
	push("snapshot")
	due(false, "as long as more of it comes")
	due(true, "when no more comes")
	now = now.Add(every)
	for round := range 2 {
		for began := now; now.Sub(began) < showFor; now = now.Add(time.Second) {
			push("snapshot")
			due(false, fmt.Sprint("in round ", round, " after ", now.Sub(began)))
		}
		push("snapshot")
		due(true, "after a minute of snapshots")
		due(false, "at once after another one")
		now = now.Add(every)
	}
	push("snapshot")
	push("create")
	due(true, "when the snapshots are over")
}
