package updatecluster_test

import (
	"slices"
	"strings"
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
	seen, n := map[string]int{}, 0
	for seed := range validatorstest.Seeds(t, 2500) {
		n++
		rng := oracle.NewRand(seed)
		o := randomOpts(rng)
		lines, want := genCase(rng, o)
		res := run(t, lines)
		from, to := 0, 0
		var kinds []string
		for _, v := range res.Violations {
			from, to = v.FirstLine, v.LastLine
			kinds = append(kinds, string(v.Kind))
			if v.Line < from || v.Line > to {
				t.Errorf("seed %d: line %d is not in the step of lines %d to %d", seed, v.Line, from, to)
			}
		}
		if res.Verdict == validators.Unusable && strings.Contains(res.Reason, "no step to judge") {
			continue
		}
		if res.Verdict == validators.Unusable || !want.accepts(from, to, kinds) {
			t.Fatalf("seed %d (%+v): got %s %v at lines %d to %d, want %+v\n%s\n%+v\n%s", seed, o, res.Verdict, kinds, from, to, want,
				strings.Join(lines, "\n"), res.Violations, res.Reason)
		}
		seen[strings.Join(want.kinds, " ")]++
	}
	t.Logf("%d traces: %v", n, seen)
	for _, kinds := range []string{"", "transition", "claim", "type", "invariant"} {
		if seen[kinds] < n/500 {
			t.Errorf("only %d of %d traces give %q", seen[kinds], n, kinds)
		}
	}
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
	todo := []oracleState{oracleInit(true, "r1", "r2"), oracleInit(false, "r1", "r2")}
	seen, edges := map[string]bool{todo[0].key(): true, todo[1].key(): true}, 0
	for ; len(todo) > 0; todo = todo[1:] {
		s := todo[0]
		from, ok := numbers[s.key()]
		if !ok {
			t.Fatalf("not a state of TLC's: %s", s.key())
		}
		got := map[int][]string{}
		for _, n := range s.successors() {
			key := n.to.key()
			if key != s.key() && !slices.Contains(got[numbers[key]], n.action) {
				got[numbers[key]] = append(got[numbers[key]], n.action)
			}
			if !seen[key] {
				seen[key] = true
				todo = append(todo, n.to)
			}
		}
		for to, actions := range got {
			edges++
			if want := slices.Sorted(slices.Values(g.Edges[from][to])); !slices.Equal(slices.Sorted(slices.Values(actions)), want) {
				t.Errorf("state %d to %d: %v, want %v", from, to, actions, want)
			}
		}
	}
	if len(seen) != g.NStates || edges != g.NEdges {
		t.Errorf("%d states and %d edges, want %d and %d", len(seen), edges, g.NStates, g.NEdges)
	}
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
