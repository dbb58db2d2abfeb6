package swarmkit_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/swarmkit"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// TestMachineAgreesWithOracle compares verdicts on random traces of larger
// models than TLC's graph: walks, their mutants, unreachable starts, claims,
// values outside their types, batched steps.
func TestMachineAgreesWithOracle(t *testing.T) {
	validatorstest.CheckOracle(t, swarmkit.Spec, 2000, 100, []string{"", "transition", "claim", "type"}, randomCase)
}

func randomCase(rng *rand.Rand) ([]string, validatorstest.Verdict) {
	lines, want := genCase(rng, randomOpts(rng))
	return lines, want
}

// TestWaitsFollowTheState: what waits after a trace is what waits in the state
// that it leads to. Snapshots cannot tell of nodes that are gone, nor of what a
// violation leaves unknown.
func TestWaitsFollowTheState(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 300) {
		lines, _ := randomCase(oracle.NewRand(seed))
		if res := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{swarmkit.Spec}}, lines...); len(res.Violations) > 0 {
			lines = lines[:res.Violations[0].FirstLine-1]
		}
		if !strings.Contains(strings.Join(lines, "\n"), `"kind":"node","op":"delete"`) {
			validatorstest.CheckWaits(t, swarmkit.Spec, lines)
		}
	}
}

// TestAttachAcceptsWhatConforms: a part of a trace that conforms, judged from its middle on,
// breaks nothing under --attach.
func TestAttachAcceptsWhatConforms(t *testing.T) {
	judged := 0
	for seed := range validatorstest.Seeds(t, 4000) {
		rng := oracle.NewRand(seed)
		o := randomOpts(rng)
		o.mutation = ""
		lines := genTrace(rng, o)
		if lines == nil || len(validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{swarmkit.Spec}}, lines...).Violations) > 0 {
			continue
		}
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
		from := 1 + rng.IntN(len(lines)-1)
		for ; from > 1; from-- {
			if tx := oracle.Parse(lines[from], 0).Tx; tx == nil || tx != oracle.Parse(lines[from-1], 0).Tx {
				break
			}
		}
		part := append([]string{lines[0]}, lines[from:]...)
		res := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{swarmkit.Spec}, Attach: true}, part...)
		if judged += res.Steps; len(res.Violations) > 0 {
			t.Fatalf("seed %d: %+v\n%s", seed, res.Violations[0], strings.Join(part, "\n"))
		}
	}
	if judged == 0 {
		t.Error("no step was judged")
	}
	t.Logf("%d steps judged", judged)
}

// FuzzMachine compares the machine with the oracle on the case of any seed.
func FuzzMachine(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { validatorstest.CompareOracle(t, swarmkit.Spec, seed, randomCase) })
}
