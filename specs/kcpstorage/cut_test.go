package kcpstorage_test

import (
	"testing"

	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/kcpstorage"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// A run that is cut and gone on with from what it saved says what one without a
// break says.

func TestCutCases(t *testing.T) {
	validatorstest.CutCases(t, []*validators.Spec{kcpstorage.Spec}, "testdata")
}

func TestCutNoise(t *testing.T) {
	validatorstest.CutNoise(t, kcpstorage.Spec, noise, 3000)
}

func TestCutWalks(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 800) {
		rng := oracle.NewRand(seed)
		if lines := genTrace(rng, randomOpts(rng)); lines != nil {
			validatorstest.CutWalk(t, kcpstorage.Spec, lines, rng, seed)
		}
	}
}
