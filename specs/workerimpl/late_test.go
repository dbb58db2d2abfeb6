package workerimpl_test

import (
	"slices"
	"testing"

	"tracecheck/validators"
)

// TestLateFinding: what a worker could not explain before it was named is reported
// with the lines of the step that it is about, and what came near to it.
func TestLateFinding(t *testing.T) {
	lines := []string{
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		`{"kind":"node","op":"snapshot","id":"n2","object":{"state":"up"}}`,
		`{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"starting","desired_state":"running"}}`,
		`{"kind":"task","op":"snapshot","id":"t2","object":{"service":"web","slot":2,"node":"n1","state":"starting","desired_state":"running"}}`,
		`{"tx":1,"kind":"node","op":"create","id":"n3","object":{"state":"up"}}`,
		`{"tx":1,"kind":"task","op":"update","id":"t1","object":{"state":"running"}}`,
		`{"tx":1,"kind":"node","op":"create","id":"n4","object":{"state":"up"}}`,
		`{"tx":2,"kind":"task","op":"update","id":"t2","object":{"state":"running"}}`,
		`{"tx":2,"kind":"container","op":"create","id":"t2","object":{"node":"n1","state":"running"}}`,
	}
	found := run(t, lines).result.Violations
	cutAll(t, lines, validators.Options{})
	if len(found) != 1 {
		t.Fatalf("%d violations, want 1: %+v", len(found), found)
	}
	v := found[0]
	if v.Kind != validators.OfTransition || v.FirstLine != 5 || v.Line != 6 || v.LastLine != 7 {
		t.Errorf("%s at line %d of lines %d to %d, want one of a transition at line 6 of lines 5 to 7", v.Kind, v.Line, v.FirstLine, v.LastLine)
	}
	if len(v.Nearest) == 0 || v.Nearest[0].Action != "ProgressTask" || len(v.Changes) == 0 || v.Changes[len(v.Changes)-1].ID != "t1" {
		t.Errorf("nearest %+v, changes %+v", v.Nearest, v.Changes)
	}
}

// TestLateFindingIsTheFirst: of the steps that a node could not explain, the
// first is reported, though other nodes could not explain it either.
func TestLateFindingIsTheFirst(t *testing.T) {
	lines := []string{
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"down"}}`,
		`{"kind":"node","op":"snapshot","id":"n2","object":{"state":"up"}}`,
		`{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"ready","desired_state":"running"}}`,
		`{"kind":"task","op":"snapshot","id":"t2","object":{"service":"web","slot":2,"node":"n1","state":"ready","desired_state":"running"}}`,
		`{"kind":"task","op":"snapshot","id":"t3","object":{"service":"web","slot":3,"node":"n2","state":"ready","desired_state":"ready"}}`,
		`{"kind":"task","op":"snapshot","id":"t4","object":{"service":"web","slot":4,"node":"n2","state":"starting","desired_state":"running"}}`,
		`{"tx":1,"kind":"task","op":"update","id":"t1","object":{"state":"orphaned"}}`,
		`{"tx":1,"kind":"task","op":"update","id":"t2","object":{"state":"orphaned"}}`, // n1 alone could
		`{"kind":"task","op":"update","id":"t3","object":{"state":"orphaned"}}`,        // n2 could not
		`{"tx":2,"kind":"task","op":"update","id":"t4","object":{"state":"running"}}`,
		`{"tx":2,"kind":"container","op":"create","id":"t4","object":{"node":"n2","state":"running"}}`,
	}
	found := run(t, lines).result.Violations
	cutAll(t, lines, validators.Options{})
	if len(found) != 1 || found[0].FirstLine != 7 || found[0].LastLine != 8 {
		t.Errorf("got %+v, want one violation, of lines 7 to 8", found)
	}
}

// TestLateFindings: of the steps that the nodes could not explain which one step
// makes workers, the first is reported, and once.
func TestLateFindings(t *testing.T) {
	lines := []string{
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		`{"kind":"node","op":"snapshot","id":"n2","object":{"state":"up"}}`,
		`{"kind":"node","op":"snapshot","id":"n3","object":{"state":"up"}}`,
		`{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"ready","desired_state":"ready"}}`,
		`{"kind":"task","op":"snapshot","id":"t2","object":{"service":"web","slot":2,"node":"n2","state":"ready","desired_state":"ready"}}`,
		`{"kind":"task","op":"snapshot","id":"t3","object":{"service":"web","slot":3,"node":"n3","state":"running","desired_state":"shutdown"}}`,
		`{"kind":"task","op":"snapshot","id":"t4","object":{"service":"web","slot":4,"node":"n3","state":"running","desired_state":"shutdown"}}`,
		`{"kind":"task","op":"update","id":"t1","object":{"state":"orphaned"}}`,
		`{"kind":"task","op":"update","id":"t2","object":{"state":"orphaned"}}`,
		`{"tx":1,"kind":"container","op":"create","id":"c1","object":{"node":"n1","state":"running"}}`,
		`{"tx":1,"kind":"container","op":"create","id":"c2","object":{"node":"n2","state":"running"}}`,
		`{"tx":1,"kind":"container","op":"delete","id":"c1"}`,
		`{"tx":1,"kind":"container","op":"delete","id":"c2"}`,
	}
	if got := run(t, lines); !slices.Equal(got.lines, []int{8}) {
		t.Errorf("violations at lines %v, want 8", got.lines)
	}
	cutAll(t, lines, validators.Options{})
	lines[7] = `{"tx":0,"kind":"task","op":"update","id":"t3","object":{"state":"shutdown"}}`
	lines[8] = `{"tx":0,"kind":"task","op":"update","id":"t4","object":{"state":"shutdown"}}`
	if got := run(t, lines); !slices.Equal(got.lines, []int{8}) {
		t.Errorf("violations at lines %v, want 8", got.lines)
	}
}

// TestLateFindingOfTheOnly: the one node that could have been the worker is to blame for
// a later step of several tasks, which another worker explains.
func TestLateFindingOfTheOnly(t *testing.T) {
	lines := []string{
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"down"}}`,
		`{"kind":"node","op":"snapshot","id":"n2","object":{"state":"down"}}`,
		`{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"ready","desired_state":"running"}}`,
		`{"kind":"task","op":"snapshot","id":"t2","object":{"service":"web","slot":2,"node":"n1","state":"ready","desired_state":"running"}}`,
		`{"kind":"task","op":"snapshot","id":"t3","object":{"service":"web","slot":3,"node":"n2","state":"ready","desired_state":"running"}}`,
		`{"kind":"task","op":"snapshot","id":"t4","object":{"service":"web","slot":4,"node":"n2","state":"ready","desired_state":"running"}}`,
		`{"tx":1,"kind":"task","op":"update","id":"t1","object":{"state":"orphaned"}}`,
		`{"tx":1,"kind":"task","op":"update","id":"t2","object":{"state":"orphaned"}}`, // n1 alone could
		`{"tx":2,"kind":"container","op":"create","id":"c2","object":{"node":"n2","state":"running"}}`,
		`{"tx":2,"kind":"container","op":"delete","id":"c2"}`,
		`{"tx":3,"kind":"task","op":"update","id":"t3","object":{"state":"orphaned"}}`,
		`{"tx":3,"kind":"task","op":"update","id":"t4","object":{"state":"orphaned"}}`, // n2 could, n1 not
		`{"tx":4,"kind":"container","op":"create","id":"c1","object":{"node":"n1","state":"running"}}`,
		`{"tx":4,"kind":"container","op":"delete","id":"c1"}`,
	}
	o := validators.Options{KeepGoing: true}
	if got := runWith(t, lines, o); !slices.Equal(got.steps, [][2]int{{7, 8}, {11, 12}}) {
		t.Errorf("violations of lines %v, want 7 to 8 and 11 to 12", got.steps)
	}
	cutAll(t, lines, o)
}
