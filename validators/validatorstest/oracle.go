package validatorstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/validators"
)

// Verdict is an oracle's verdict of a trace: the kinds of violation that its first
// violating step must have, separated by spaces, and whether a checker's answer
// agrees. A conforming trace has lines 0 and 0.
type Verdict struct {
	Kinds  string
	Agrees func(first, last int, kinds []string) bool
}

// CheckOracle compares the spec with an oracle on random traces. generate gives the
// trace of a seed, and its verdict. It returns how many traces have which kinds, and
// how many there are. Traces without a step do not count.
func CheckOracle(t *testing.T, spec *validators.Spec, cases uint64, generate func(seed uint64) ([]string, Verdict)) (seen map[string]int, n int) {
	t.Helper()
	seen = map[string]int{}
	for seed := range Seeds(t, cases) {
		n++
		lines, want := generate(seed)
		res := Judge(t, validators.Options{Specs: []*validators.Spec{spec}}, lines...)
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
			continue
		}
		if res.Verdict == validators.Unusable || !want.Agrees(first, last, kinds) {
			t.Fatalf("seed %d: got %s %v at lines %d to %d, want %q\n%s\n%+v\n%s", seed, res.Verdict, kinds, first, last, want.Kinds,
				strings.Join(lines, "\n"), res.Violations, res.Reason)
		}
		seen[want.Kinds]++
	}
	return seen, n
}

// Next is a successor of a state, by an action.
type Next[S any] struct {
	Action string
	To     S
}

// CheckExplored explores all states from the first ones, and compares states and
// edges with TLC's graph. numbers has the graph's states by key. Steps that change
// nothing are no edges.
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
