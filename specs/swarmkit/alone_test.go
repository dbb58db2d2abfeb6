package swarmkit

import (
	"fmt"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// TestActionsAlone: a step of each of these actions is judged alone.
func TestActionsAlone(t *testing.T) {
	for a, step := range map[*action]struct {
		from, desired State
		node, object  string
	}{
		allocateTask:     {New, Running, "", `"state":"pending"`},
		scheduler:        {Pending, Running, "", `"state":"assigned","node":"n"`},
		progressTask:     {Assigned, Running, "n", `"state":"accepted"`},
		rejectTask:       {Assigned, Running, "n", `"state":"rejected"`},
		shutdownComplete: {Running, Shutdown, "n", `"state":"shutdown"`},
		containerExit:    {Running, Running, "n", `"state":"failed"`},
	} {
		made, err := newMachine(validators.Config{Steps: validators.Atomic})
		if err != nil {
			t.Fatal(err)
		}
		m := made.(*machine)
		events := validatorstest.Events(t,
			`{"kind":"service","op":"snapshot","id":"s","object":{"replicas":1,"remove":false}}`,
			`{"kind":"node","op":"snapshot","id":"n","object":{"state":"up"}}`,
			fmt.Sprintf(`{"kind":"task","op":"snapshot","id":"t","object":{"service":"s","slot":1,"node":%q,"state":%q,"desired_state":%q}}`, step.node, step.from, step.desired),
			fmt.Sprintf(`{"kind":"task","op":"update","id":"t","object":{%s}}`, step.object))
		for i := range 3 {
			m.Snapshot(&events[i])
		}
		m.SnapshotsEnd()
		if !m.stepsAlone(&trace.Step{Events: events[3:]}) || m.by != a {
			t.Errorf("%s: the step is not judged alone", a.Name)
		}
	}
}
