package swarmkit_test

import (
	"testing"

	"tracecheck/specs/swarmkit"
	"tracecheck/validators/validatorstest"
)

// noise is of the text's fields, and of those that the profile moby reads too.
var noise = []validatorstest.Noise{
	{
		Kinds: []string{"task", "task", "service", "node"}, IDs: []string{"a", "b", "c"},
		Fields: []string{"service", "slot", "node", "state", "state", "desired_state", "replicas", "remove", "other"},
		Values: []string{
			`"a"`, `"b"`, "1", "2", `"global"`, `""`, `"up"`, `"down"`, "false", "true", `"new"`, `"pending"`, `"assigned"`,
			`"ready"`, `"running"`, `"failed"`, `"shutdown"`, `"remove"`, `"orphaned"`,
		},
	},
	{
		Kinds: []string{"task", "task", "task", "service", "node"}, IDs: []string{"a", "b", "c"},
		Fields: []string{
			"service", "slot", "node", "state", "desired_state", "replicas", "remove", "mode", "max_attempts", "update_order",
			"rollback_order", "constraints", "spec_ports", "spec_version", "job_iteration", "status", "availability",
		},
		Values: []string{
			`"a"`, `"b"`, "1", `"global"`, `""`, `"up"`, `"down"`, "false", `"new"`, `"pending"`, `"assigned"`, `"ready"`, `"running"`,
			`"complete"`, `"shutdown"`, `"remove"`, `"orphaned"`, `"replicated"`, `"replicated-job"`, `"global-job"`, `"start_first"`, `"drain"`, `["x"]`,
		},
	},
	{
		Kinds: []string{"task", "task", "task", "service", "node"}, IDs: []string{"a", "b"},
		Fields: []string{
			"service", "slot", "node", "state", "desired_state", "replicas", "remove", "mode", "max_attempts",
			"spec_ports", "job_iteration", "update_state", "availability",
		},
		Values: []string{`"a"`, "1"},
		Fit: map[string][]string{
			"service": {`"a"`, `"b"`}, "slot": {"1", "2", `"global"`}, "node": {`"a"`, `"b"`, `""`},
			"state":         {`"new"`, `"pending"`, `"assigned"`, `"running"`, `"complete"`, `"failed"`, `"up"`, `"down"`},
			"desired_state": {`"ready"`, `"running"`, `"shutdown"`, `"remove"`},
			"replicas":      {"0", "1", "2", `"global"`}, "remove": {"false", "false", "true"},
			"mode": {`"replicated"`, `"global"`, `"replicated-job"`}, "max_attempts": {"0", "1"},
			"spec_ports": {"[]", `["x"]`}, "job_iteration": {"0", "1"},
			"update_state": {`"updating"`, `"completed"`}, "availability": {`"active"`, `"drain"`},
		},
	},
}

func TestAnyInputIsJudged(t *testing.T) {
	for _, n := range noise {
		validatorstest.CheckAnyInput(t, swarmkit.Spec, n, 3000)
	}
}
