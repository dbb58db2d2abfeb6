package updatecluster

import (
	"testing"

	"tracecheck/validators/validatorstest"
)

func TestCasesReachEveryClause(t *testing.T) {
	validatorstest.CheckEveryClause(t, Spec, "testdata", next, map[string]string{
		`ProcessQueue: queue # {}`: `where queue is empty, no r \in queue`,
	})
}
