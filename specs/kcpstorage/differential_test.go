package kcpstorage_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/kcpstorage"
	"tracecheck/validators/validatorstest"
)

// TestMachineAgreesWithOracle compares verdicts on random traces of larger
// models than TLC's graph: walks, their mutants, unreachable starts, claims,
// values outside their types, refusals, batched steps.
func TestMachineAgreesWithOracle(t *testing.T) {
	kinds := []string{"", "transition", "claim", "type", "invariant"}
	validatorstest.CheckOracle(t, kcpstorage.Spec, 2500, 100, kinds, func(rng *rand.Rand) ([]string, validatorstest.Verdict) {
		lines, want := genCase(rng, randomOpts(rng))
		return lines, want
	})
}

// TestOracleAgreesWithTLC: the oracle's own walk from Init finds TLC's states
// and edges.
func TestOracleAgreesWithTLC(t *testing.T) {
	g := validatorstest.ReadGraph(t, "../../testdata/tlc/kcpStorage.graph.jsonl.gz")
	numbers := map[string]int{}
	for i := range g.States {
		var run []oracle.Event
		for _, o := range g.States[i] {
			var e oracle.Event
			if err := json.Unmarshal([]byte(o.Line("snapshot")), &e); err != nil {
				t.Fatal(err)
			}
			run = append(run, e)
		}
		j := newJudging(0)
		v := j.step(run)
		numbers[j.spaces["ns1"].key()] = i
		if broken := slices.Equal(v.Kinds, []string{"invariant"}); broken != (j.spaces["ns1"].syncers.syncs() > 1) {
			t.Errorf("state %d: %+v", i, v)
		}
	}
	first := newOracleSpace()
	first.pvcs["pvc1"] = states{}
	validatorstest.CheckExplored(t, g, numbers, []oracleSpace{first}, oracleSpace.key, func(s oracleSpace) []validatorstest.Next[oracleSpace] {
		var all []validatorstest.Next[oracleSpace]
		for _, n := range s.successors([]string{"c1", "c2", "c3"}) {
			all = append(all, validatorstest.Next[oracleSpace]{Action: n.action, To: n.to})
		}
		return all
	})
}
