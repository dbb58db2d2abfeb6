package swarmkit

import (
	"testing"

	"tracecheck/validators/validatorstest"
)

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
