package updatecluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tracecheck/specs/updatecluster"
	"tracecheck/trace"
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
		lines := genTrace(rng, randomOpts(rng))
		if lines == nil {
			continue
		}
		opts := validators.Options{Specs: []*validators.Spec{updatecluster.Spec}, Attach: chance(rng, 0.2), OnGap: trace.OnGap(rng.IntN(2))}
		if chance(rng, 0.5) {
			opts.Deadline = time.Duration(1+rng.IntN(20)) * time.Second
		}
		seq := chance(rng, 0.5)
		for i := range lines {
			more := ""
			if chance(rng, 0.8) {
				more += fmt.Sprintf(`"time":"2026-11-20T10:00:%02dZ",`, i%60)
			}
			if seq && i > 0 { // which a meta line does not have
				more += fmt.Sprintf(`"seq":%d,`, i)
			}
			lines[i] = "{" + more + lines[i][1:]
		}
		if i := 1 + rng.IntN(len(lines)-1); seq && chance(rng, 0.5) {
			lines = append(lines[:i:i], lines[i+1:]...)
		}
		name, text := fmt.Sprintf("seed %d", seed), []byte(strings.Join(lines, "\n"))
		validatorstest.CutSome(t, name, text, opts, 5, seed)
		if validatorstest.Damage(t, name, text, opts, rng); t.Failed() {
			t.Fatalf("%s:\n%s", name, text)
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
