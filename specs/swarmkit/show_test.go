package swarmkit

import (
	"fmt"
	"slices"
	"testing"

	"tracecheck/validators"
)

// TestListsFollowTheState: what a report says of a vslot's tasks does not
// depend on the order in which they came.
func TestListsFollowTheState(t *testing.T) {
	begin := []string{
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		`{"kind":"service","op":"snapshot","id":"web","object":{"replicas":1,"remove":false}}`,
	}
	for _, id := range []string{"t3", "t1", "t5", "t2", "t4"} {
		begin = append(begin, taskLine("snapshot", id, `"service":"web","slot":1,"node":"n1","state":"running","desired_state":"running"`))
	}
	again := slices.Clone(begin)
	slices.Reverse(again[2:])
	const want = "in slot 1: t1 (running, desired running), t2 (running, desired running), " +
		"t3 (running, desired running), t4 (running, desired running), and 1 more"
	for _, lines := range [][]string{begin, again} {
		found := judgeAll(t, validators.DefaultBudget, lines, []string{
			taskLine("create", "t6", `"service":"web","slot":1,"node":"","state":"new","desired_state":"running"`),
		})
		if len(found) != 1 || !slices.ContainsFunc(found[0].Nearest, func(n validators.Near) bool { return slices.Contains(n.Values, want) }) {
			t.Errorf("%+v, want the value %s", found, want)
		}
	}
}

// TestListLooksAtFew: what a report costs does not grow with the tasks of a vslot.
func TestListLooksAtFew(t *testing.T) {
	begin := []string{
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		`{"kind":"service","op":"snapshot","id":"web","object":{"replicas":1,"remove":false}}`,
	}
	for i := range 1000 {
		begin = append(begin, taskLine("snapshot", fmt.Sprintf("t%04d", i), `"service":"web","slot":1,"node":"n1","state":"running","desired_state":"running"`))
	}
	const want = "in slot 1: t0800 (running, desired running), t0801 (running, desired running), " +
		"t0802 (running, desired running), t0803 (running, desired running), and 196 more, among 200 of its tasks"
	found := judgeAll(t, validators.DefaultBudget, begin, []string{
		taskLine("create", "x", `"service":"web","slot":1,"node":"","state":"new","desired_state":"running"`),
	})
	if len(found) != 1 || !slices.ContainsFunc(found[0].Nearest, func(n validators.Near) bool { return slices.Contains(n.Values, want) }) {
		t.Errorf("%+v, want the value %s", found, want)
	}
}
