package kcpstorage

import (
	"testing"

	"tracecheck/validators/validatorstest"
)

func TestCasesReachEveryClause(t *testing.T) {
	validatorstest.CheckEveryClause(t, Spec, "testdata", text.Relation(), nil)
}

func TestCasesExerciseEverything(t *testing.T) {
	validatorstest.CheckCoverage(t, Spec, "testdata", nil)
}
