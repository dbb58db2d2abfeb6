package swarmkit_test

import (
	"testing"

	"tracecheck/specs/swarmkit"
	"tracecheck/validators/validatorstest"
)

func TestAnyInputIsJudged(t *testing.T) {
	validatorstest.CheckAnyInput(t, swarmkit.Spec, validatorstest.Noise{
		Kinds: []string{"task", "task", "service", "node"}, IDs: []string{"a", "b", "c"},
		Fields: []string{"service", "slot", "node", "state", "state", "desired_state", "replicas", "remove", "other"},
		Values: []string{`"a"`, `"b"`, "1", "2", `"global"`, `""`, `"up"`, `"down"`, "false", "true", `"new"`, `"pending"`, `"assigned"`,
			`"ready"`, `"running"`, `"failed"`, `"shutdown"`, `"remove"`, `"orphaned"`},
	}, 3000)
}
