package swarmkit_test

import (
	"strings"
	"testing"

	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/swarmkit"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// run judges the lines by the machine.
func run(t testing.TB, lines []string) *validators.Result {
	t.Helper()
	return validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{swarmkit.Spec}}, lines...)
}

// TestMachineAgreesWithOracle compares verdicts on random traces of larger
// models than TLC's graph: walks, their mutants, unreachable starts, claims,
// values outside their types, batched steps.
func TestMachineAgreesWithOracle(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 2000) {
		compare(t, seed)
	}
}

// compare generates the seed's case and judges it both ways.
func compare(t *testing.T, seed uint64) {
	t.Helper()
	rng := oracle.NewRand(seed)
	o := randomOpts(rng)
	lines, want := genCase(rng, o)
	res := run(t, lines)
	first, last := 0, 0
	var kinds []string
	for _, v := range res.Violations {
		first, last = v.FirstLine, v.LastLine
		kinds = append(kinds, string(v.Kind))
	}
	if res.Verdict == validators.Unusable || !want.Accepts(first, last, kinds) {
		t.Fatalf("seed %d (%+v): got %s %v at lines %d to %d, want %+v\n%s\n%+v\n%s", seed, o, res.Verdict, kinds, first, last, want,
			strings.Join(lines, "\n"), res.Violations, res.Reason)
	}
}

// TestWaitsFollowTheState: what waits after a trace is what waits in the state
// that it leads to. Snapshots cannot tell of nodes that are gone, nor of what a
// violation leaves unknown.
func TestWaitsFollowTheState(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 300) {
		rng := oracle.NewRand(seed)
		lines, _ := genCase(rng, randomOpts(rng))
		if res := run(t, lines); len(res.Violations) > 0 {
			lines = lines[:res.Violations[0].FirstLine-1]
		}
		if !strings.Contains(strings.Join(lines, "\n"), `"kind":"node","op":"delete"`) {
			validatorstest.CheckWaits(t, swarmkit.Spec, lines)
		}
	}
}

// FuzzMachine compares the machine with the oracle on the case of any seed.
func FuzzMachine(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { compare(t, seed) })
}
