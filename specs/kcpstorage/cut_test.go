package kcpstorage_test

import (
	"math/rand/v2"
	"testing"

	"tracecheck/specs/kcpstorage"
	"tracecheck/validators/validatorstest"
)

// A run that is cut and gone on with from what it saved says what one without a
// break says.

func TestCut(t *testing.T) {
	validatorstest.CutSpec(t, kcpstorage.Spec, noise, func(rng *rand.Rand) []string { return genTrace(rng, randomOpts(rng)) })
}
