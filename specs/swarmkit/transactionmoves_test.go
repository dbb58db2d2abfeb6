package swarmkit

import (
	"slices"
	"testing"

	"tracecheck/specs/internal/swarm"
	"tracecheck/validators"
)

// stateWays and the clauses agree on every change of a task's state.
func TestStateWaysAreTheClauses(t *testing.T) {
	made, err := newMachine(validators.Config{Steps: validators.Batched, Profile: swarm.Moby})
	if err != nil {
		t.Fatal(err)
	}
	m := made.(*machine)
	e := explainer{m: m, w: &m.whole, ways: stateWays()}
	rules := slices.Concat(relation{allocateTask}, agentRules)
	found := 0
	for _, n := range []*node{nil, {}, {shown: true, exists: true}, {shown: true, exists: true, nodeValue: nodeValue{up: true}}, {either: true}} {
		for from := range Orphaned + 1 {
			for desired := range Orphaned + 1 {
				for to := range Orphaned + 1 {
					c := taskChange{record: &task{in: &vslot{}}, span: span{was: true, is: true},
						old: taskValue{&service{}, 1, taskRest{node: n, taskStates: taskStates{state: from, desired: desired}}}}
					c.new = c.old.withState(to)
					want, is := rules.Match(&pair{s: m.s, tasks: []taskChange{c}}), e.leg([]taskChange{c}, rules)
					if want != is {
						t.Errorf("%s to %s, desired %s, node %+v: %v, want %v", from, to, desired, n, is, want)
					}
					found += b2i(want != nil)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no action explains any change")
	}
}
