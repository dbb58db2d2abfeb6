package updatecluster_test

import (
	"testing"

	"tracecheck/specs/updatecluster"
	"tracecheck/validators/validatorstest"
)

var noise = validatorstest.Noise{
	Kinds: []string{"request", "request", "cluster"}, IDs: []string{"r1", "r2", "r3"},
	Fields: []string{"status", "status", "rank", "queued", "request", "complete", "last_submitted", "conf_ok", "other"},
	Values: []string{`"waiting"`, `"submitted"`, `"valid"`, `"processing"`, `"partial"`, `"partialFailure"`, `"success"`, "1", "2", "true", "false"},
}

func TestAnyInputIsJudged(t *testing.T) {
	validatorstest.CheckAnyInput(t, updatecluster.Spec, noise, 3000)
}
