package swarmkit

import (
	"fmt"
	"testing"
	"time"

	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// TestSnapshotsOfManyNodes: the time of a run of snapshots grows with the nodes and the
// global services, not with their product.
func TestSnapshotsOfManyNodes(t *testing.T) {
	took := func(n int) time.Duration {
		m, err := newMachine(validators.Config{Ledger: validators.NewLedger(len(waits))})
		if err != nil {
			t.Fatal(err)
		}
		events := validatorstest.Events(t, append(
			times(n, func(i int) string {
				return fmt.Sprintf(`{"kind":"service","op":"snapshot","id":"g%d","object":{"replicas":"global","remove":false}}`, i)
			}), times(n, func(i int) string {
				return fmt.Sprintf(`{"kind":"node","op":"snapshot","id":"n%d","object":{"state":"up"}}`, i)
			})...)...)
		begin := time.Now()
		for i := range events {
			m.Snapshot(&events[i])
		}
		if found := m.SnapshotsEnd(); len(found) > 0 {
			t.Fatal(found)
		}
		return time.Since(begin)
	}
	const few, times = 250, 16
	var a, b time.Duration
	for range 5 { // a busy machine may be slow once
		if a, b = max(a, took(few)), took(times*few); b < 4*times*a {
			return
		}
	}
	t.Errorf("%d take %s, and %d take %s", few, a, times*few, b)
}
