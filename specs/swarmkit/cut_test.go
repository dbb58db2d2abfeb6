package swarmkit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tracecheck/specs/swarmkit"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// A run that is cut and gone on with from what it saved says what one without a
// break says.

func TestCutCases(t *testing.T) {
	validatorstest.CutCases(t, []*validators.Spec{swarmkit.Spec}, "testdata")
}

func TestCutNoise(t *testing.T) {
	for _, n := range noise {
		validatorstest.CutNoise(t, swarmkit.Spec, n, 3000)
	}
}

func TestCutWalks(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 800) {
		rng := newRand(seed)
		lines := genTrace(rng, randomOpts(rng))
		if lines == nil {
			continue
		}
		opts := validators.Options{Specs: []*validators.Spec{swarmkit.Spec}, Attach: chance(rng, 0.2), OnGap: trace.OnGap(rng.IntN(2))}
		if chance(rng, 0.3) {
			opts.Deadline = time.Duration(1+rng.IntN(20)) * time.Second
		}
		if chance(rng, 0.3) {
			opts.Profile = validators.ProfileMoby
		}
		if i := rng.IntN(len(lines)); chance(rng, 0.2) {
			lines = append(lines[:i:i], lines[i+1:]...)
		}
		validatorstest.CutSome(t, fmt.Sprintf("seed %d", seed), []byte(strings.Join(lines, "\n")), opts, 5, seed)
	}
}
