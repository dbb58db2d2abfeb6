package validatorstest

import (
	"fmt"
	"iter"
	"os"
	"testing"

	"tracecheck/internal/exhaustive"
)

// Seeds yields the seeds of a test's random cases: from 1 to a twentieth of cases, or to
// cases if the test is exhaustive. TRACECHECK_SEEDS=FROM-TO sets others.
func Seeds(t testing.TB, cases uint64) iter.Seq[uint64] {
	t.Helper()
	from, to := uint64(1), exhaustive.Or((cases+19)/20, cases)
	if asked := os.Getenv("TRACECHECK_SEEDS"); asked != "" {
		if _, err := fmt.Sscanf(asked, "%d-%d", &from, &to); err != nil || to < from {
			t.Fatalf("TRACECHECK_SEEDS=%s: want FROM-TO, such as 1000-9999", asked)
		}
	}
	return func(yield func(uint64) bool) {
		for seed := from; seed <= to && yield(seed); seed++ {
		}
	}
}
