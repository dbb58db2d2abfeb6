package workerimpl

import (
	"testing"

	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

func TestCases(t *testing.T) {
	validatorstest.RunCases(t, []*validators.Spec{Spec}, "testdata")
}
