package updatecluster

import (
	"testing"

	"tracecheck/validators/validatorstest"
)

var cannotFailAlone = map[string]string{
	`ProcessQueue: queue # {}`: `where queue is empty, no r \in queue`,
}

func TestCasesReachEveryClause(t *testing.T) {
	validatorstest.CheckEveryClause(t, Spec, "testdata", spec.Relation(), cannotFailAlone)
}

func TestCasesExerciseEverything(t *testing.T) {
	validatorstest.CheckCoverage(t, Spec, "testdata", cannotFailAlone)
}
