package workerimpl_test

import (
	"testing"

	"tracecheck/specs/workerimpl"
	"tracecheck/validators/validatorstest"
)

var noise = validatorstest.Noise{
	Kinds: []string{"task", "task", "container", "node"}, IDs: []string{"a", "b", "c"},
	Fields: []string{"service", "slot", "node", "state", "state", "desired_state", "other"},
	Values: []string{`"a"`, `"b"`, "1", "2", `"global"`, `""`, `"up"`, `"down"`, `"new"`, `"pending"`, `"assigned"`, `"ready"`,
		`"starting"`, `"running"`, `"terminating"`, `"complete"`, `"failed"`, `"shutdown"`, `"remove"`, `"orphaned"`},
}

func TestAnyInputIsJudged(t *testing.T) {
	validatorstest.CheckAnyInput(t, workerimpl.Spec, noise, 3000)
}
