package updatecluster_test

import (
	"strings"
	"testing"

	"tracecheck/specs/updatecluster"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// A run that is cut and gone on with from what it saved says what one without a
// break says.

func TestCutCases(t *testing.T) {
	validatorstest.CutCases(t, []*validators.Spec{updatecluster.Spec}, "testdata")
}

func TestCutNoise(t *testing.T) {
	validatorstest.CutNoise(t, updatecluster.Spec, noise, 3000)
}

func TestCutWalks(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 800) {
		rng := newRand(seed)
		if lines := genTrace(rng, randomOpts(rng)); lines != nil {
			validatorstest.CutWalk(t, updatecluster.Spec, lines, rng, seed)
		}
	}
}

// TestCutBadCluster: a field of the cluster that was outside its type is so
// until a line gives it anew.
func TestCutBadCluster(t *testing.T) {
	validatorstest.CutAll(t, "a bad cluster", []byte(strings.Join([]string{
		`{"kind":"cluster","op":"snapshot","object":{"request":null,"complete":"yes","last_submitted":1,"conf_ok":true}}`,
		`{"kind":"request","op":"snapshot","id":"r1","object":{"status":"processing","rank":1,"queued":false}}`,
		`{"tx":1,"kind":"request","op":"update","id":"r1","object":{"status":"partial"}}`,
		`{"tx":1,"kind":"cluster","op":"update","object":{"request":"r1"}}`,
	}, "\n")), validators.Options{Specs: []*validators.Spec{updatecluster.Spec}})
}
