package validatorstest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/validators"
)

// Verdict is an oracle's verdict on a trace. A conforming trace has the lines 0 and 0.
type Verdict interface {
	// Reported are the kinds of violation of the first violating step, separated by spaces.
	Reported() string
	// Accepts says whether a checker's first violating step agrees.
	Accepts(first, last int, kinds []string) bool
}

// CheckOracle compares the spec with an oracle on random traces. generate gives a trace
// and its verdict. Each of the kinds has to be the verdict on one in rarest traces. Traces
// without a step do not count.
func CheckOracle(t *testing.T, spec *validators.Spec, cases uint64, rarest int, kinds []string, generate func(*rand.Rand) ([]string, Verdict)) {
	t.Helper()
	seen, n := map[string]int{}, 0
	for seed := range Seeds(t, cases) {
		n++
		if want, judged := CompareOracle(t, spec, seed, generate); judged {
			seen[want.Reported()]++
		}
	}
	t.Logf("%d traces: %v", n, seen)
	for _, k := range kinds {
		if seen[k] < n/rarest {
			t.Errorf("only %d of %d traces give %q", seen[k], n, k)
		}
	}
}

// CompareOracle is CheckOracle of one seed. judged says that the trace has a step.
func CompareOracle(t *testing.T, spec *validators.Spec, seed uint64, generate func(*rand.Rand) ([]string, Verdict)) (want Verdict, judged bool) {
	t.Helper()
	lines, want := generate(rand.New(rand.NewPCG(seed, 1)))
	r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{spec}})
	if err != nil {
		t.Fatal(err)
	}
	Push(t, r, lines...)
	res := r.Finish()
	first, last := 0, 0
	var kinds []string
	for _, v := range res.Violations {
		first, last = v.FirstLine, v.LastLine
		kinds = append(kinds, string(v.Kind))
		if v.Line < first || v.Line > last {
			t.Errorf("seed %d: line %d is not in the step of lines %d to %d", seed, v.Line, first, last)
		}
	}
	if res.Verdict == validators.Unusable && strings.Contains(res.Reason, "no step to judge") {
		return want, false
	}
	if res.Verdict == validators.Unusable || !want.Accepts(first, last, kinds) {
		t.Fatalf("seed %d: got %s %v at lines %d to %d, want %q\n%s\n%+v\n%s", seed, res.Verdict, kinds, first, last, want.Reported(),
			strings.Join(lines, "\n"), res.Violations, res.Reason)
	}
	return want, true
}

// Next is a successor of a state, by an action.
type Next[S any] struct {
	Action string
	To     S
}

// CheckExplored explores all states that are reachable from first, and compares states
// and edges with TLC's graph. numbers has the graph's states by key. Stuttering steps are
// not edges.
func CheckExplored[S any](t *testing.T, g *Graph, numbers map[string]int, first []S, key func(S) string, successors func(S) []Next[S]) {
	t.Helper()
	todo, seen, edges := first, map[string]bool{}, 0
	for _, s := range first {
		seen[key(s)] = true
	}
	for ; len(todo) > 0; todo = todo[1:] {
		is := key(todo[0])
		from, ok := numbers[is]
		if !ok {
			t.Fatalf("not a state of TLC's: %s", is)
		}
		got := map[int][]string{}
		for _, n := range successors(todo[0]) {
			k := key(n.To)
			if to := numbers[k]; k != is && !slices.Contains(got[to], n.Action) {
				got[to] = append(got[to], n.Action)
			}
			if !seen[k] {
				seen[k] = true
				todo = append(todo, n.To)
			}
		}
		for to, actions := range got {
			edges++
			if want := slices.Sorted(slices.Values(g.Edges[from][to])); !slices.Equal(slices.Sorted(slices.Values(actions)), want) {
				t.Errorf("state %d to %d: %v, want %v", from, to, actions, want)
			}
		}
	}
	if got, want := fmt.Sprint(len(seen), edges), fmt.Sprint(g.NStates, g.NEdges); got != want {
		t.Errorf("states and edges: %s, want %s", got, want)
	}
}
