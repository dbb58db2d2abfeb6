package swarmkit

import (
	"testing"
	"time"

	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// TestDeadlineByOtherKinds: the clock of a stream counts events of kinds that no chosen spec reads.
func TestDeadlineByOtherKinds(t *testing.T) {
	result := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{Spec}, Deadline: 5 * time.Minute},
		`{"kind":"meta","object":{"spec":["swarmkit"]}}`,
		`{"kind":"node","op":"create","id":"n1","time":"2026-11-20T10:00:00Z","object":{"state":"up"}}`,
		`{"kind":"service","op":"create","id":"web","time":"2026-11-20T10:00:01Z","object":{"replicas":1,"remove":false}}`,
		`{"kind":"request","op":"create","id":"r1","time":"2026-11-20T10:05:02Z","object":{"status":"submitted","rank":1}}`)
	if v := result.Violations; len(v) == 0 || v[0].Kind != validators.OfLiveness || v[0].Line != 4 {
		t.Errorf("violations are %+v, want one of the deadline at line 4", v)
	}
}

func TestWhatWaitsIsEnabled(t *testing.T) {
	g := validatorstest.ReadGraph(t, graphFile)
	// The model has two task ids for a vslot: where both are used, neither
	// CreateSlot nor ReplaceTask has one left.
	validatorstest.CheckEnabled(t, Spec, g, func(state []validatorstest.Object, action string) bool {
		tasks := 0
		for i := range state {
			if state[i].Kind == "task" {
				tasks++
			}
		}
		return action == replaceTask.Name && tasks >= 2
	})
}
