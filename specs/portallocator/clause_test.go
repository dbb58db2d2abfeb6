package portallocator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

// TestClauseCasesBreakOneClause: the last step of each case clause_ACTION_*.txt
// breaks one clause of one action and nothing else of it, and together they
// break them all.
func TestClauseCasesBreakOneClause(t *testing.T) {
	paths, err := filepath.Glob("testdata/clause_*.txt")
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]bool{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{Spec}})
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(raw), "\n") {
			if line != "" && line[0] != '#' {
				ev := decode(t, line)
				ev.Pos.Line = i + 1
				if err := r.Push([]trace.Event{ev}); err != nil {
					t.Fatal(err)
				}
			}
		}
		violations := r.Finish().Violations
		at := slices.IndexFunc(violations, func(v validators.Violation) bool { return v.Kind == validators.OfTransition })
		if at < 0 {
			t.Errorf("%s: no step is unexplained", path)
			continue
		}
		near := violations[at].Nearest[0]
		if len(near.Failed) != 1 {
			t.Errorf("%s: %s fails %q; want one clause", path, near.Action, near.Failed)
			continue
		}
		if near.Values[0] == "" && near.Failed[0] != proposed[0].Text {
			t.Errorf("%s: %s shows no values", path, near.Failed[0])
		}
		broken[near.Action+": "+near.Failed[0]] = true
	}
	// nullEndpoint has nothing to recover, and the module asserts that a
	// removal is never refused.
	never := []string{newEndpoint.Name + ": " + proposed[1].Text, removeEndpoint.Name + `: props # {}`}
	for _, a := range next {
		for _, c := range a.Clauses {
			if name := a.Name + ": " + c.Text; broken[name] == slices.Contains(never, name) {
				t.Errorf("%s: broken by a case: %v", name, broken[name])
			}
		}
	}
}

func TestConstants(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		ok        bool
	}{
		{"dynamic_ports", "[30000,32767]", true},
		{"dynamic_ports", "[1, 65535]", true},
		{"dynamic_ports", "[7,7]", true},
		{"dynamic_ports", "[0,7]", false},
		{"dynamic_ports", "[8,7]", false},
		{"dynamic_ports", "[1,65536]", false},
		{"dynamic_ports", "[1]", false},
		{"dynamic_ports", "[1,2,3]", false},
		{"dynamic_ports", `["1","2"]`, false},
		{"dynamic_ports", `5`, false},
		{"protocols", `["tcp"]`, true},
		{"protocols", `["tcp","udp","sctp","quic"]`, true},
		{"protocols", `[]`, false},
		{"protocols", `["tcp","tcp"]`, false},
		{"protocols", `["tcp",""]`, false},
		{"protocols", `["a/b"]`, false},
		{"protocols", `[6]`, false},
		{"protocols", `"tcp"`, false},
		{"max_terminated", `"another spec's"`, true},
	} {
		_, err := newMachine(validators.Config{Constants: map[string]string{c.name: c.raw}})
		if (err == nil) != c.ok {
			t.Errorf("%s = %s: %v", c.name, c.raw, err)
		}
	}
}

// TestLost: after a gap nothing is known.
func TestLost(t *testing.T) {
	m := newTestMachine(t, validators.Config{Steps: validators.Atomic})
	steps := stepsOf(t, create, `{"kind":"allocator","op":"create","object":{"allocated":["tcp/30000"]}}`)
	take(t, m, &steps[0])
	take(t, m, &steps[1])
	m.Lost()
	m.Objects(func(kind trace.Kind, id string, object []byte) {
		t.Errorf("%s %s stands: %s", kind, id, object)
	})
	m.SnapshotsEnd()
	take(t, m, &steps[0])
	take(t, m, &steps[1])
}

// TestEveryRuleIsDocumented: the spec lists what a report may name.
func TestEveryRuleIsDocumented(t *testing.T) {
	var names []string
	for _, r := range Spec.Rules {
		names = append(names, string(r.Kind)+" "+r.Name)
		if len(r.Clauses) == 0 || r.Doc == "" {
			t.Errorf("%s has no text", r.Name)
		}
	}
	want := []string{"type TypeOK", "invariant AllocationsOK", "property AllocateIdempotent", "rejection RejectJustified"}
	if !slices.Equal(names, want) {
		t.Errorf("rules are %v, want %v", names, want)
	}
	var actions []string
	for _, a := range Spec.Actions {
		actions = append(actions, a.Name)
	}
	if want := []string{"NewEndpoint", "UpdateEndpoint", "RemoveEndpoint"}; !slices.Equal(actions, want) {
		t.Errorf("actions are %v, want %v", actions, want)
	}
}
