package updatecluster_test

import (
	"math/rand/v2"
	"testing"

	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/updatecluster"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// run judges the lines by the machine.
func run(t testing.TB, lines []string) *validators.Result {
	t.Helper()
	return validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{updatecluster.Spec}}, lines...)
}

// TestMachineAgreesWithOracle compares verdicts on random traces of larger
// models than TLC's graph: walks, their mutants, unreachable starts, claims,
// values outside their types, refusals, variables left out, batched steps.
func TestMachineAgreesWithOracle(t *testing.T) {
	kinds := []string{"", "transition", "claim", "type", "invariant"}
	validatorstest.CheckOracle(t, updatecluster.Spec, 2500, 500, kinds, func(rng *rand.Rand) ([]string, validatorstest.Verdict) {
		lines, want := genCase(rng, randomOpts(rng))
		return lines, want
	})
}

// TestOracleAgreesWithTLC: the oracle's own walk from Init finds TLC's states
// and edges.
func TestOracleAgreesWithTLC(t *testing.T) {
	g := validatorstest.ReadGraph(t, "../../testdata/tlc/UpdateCluster.graph.jsonl.gz")
	numbers := map[string]int{}
	for i := range g.States {
		j := judging{possible: stateSet{}, shown: map[string]bool{}, open: map[string]bool{}}
		j.possible.add(oracleInit(true))
		var lines []string
		for _, o := range g.States[i] {
			lines = append(lines, o.Line("snapshot"))
		}
		j.step(readRun(t, lines))
		numbers[j.possible.sorted()[0].key()] = i
	}
	first := []oracleState{oracleInit(true, "r1", "r2"), oracleInit(false, "r1", "r2")}
	validatorstest.CheckExplored(t, g, numbers, first, oracleState.key, func(s oracleState) []validatorstest.Next[oracleState] {
		var all []validatorstest.Next[oracleState]
		for _, n := range s.successors() {
			all = append(all, validatorstest.Next[oracleState]{Action: n.action, To: n.to})
		}
		return all
	})
}

func readRun(t *testing.T, lines []string) []oracle.Event {
	t.Helper()
	run := make([]oracle.Event, len(lines))
	for i, line := range lines {
		if err := unmarshal(line, &run[i]); err != nil {
			t.Fatal(err)
		}
		run[i].Line = i + 1
	}
	return run
}
