package portallocator

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

func TestConstants(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		ok        bool
	}{
		{"dynamic_ports", "[30000,32767]", true},
		{"dynamic_ports", "[1, 65535]", true},
		{"dynamic_ports", "[7,7]", true},
		{"dynamic_ports", "[3e4,3.2767e4]", true},
		{"dynamic_ports", "[7.0,7.5]", false},
		{"dynamic_ports", "[0,7]", false},
		{"dynamic_ports", "[null,7]", false},
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
		_, err := Spec.New(validators.Config{Constants: map[string]string{c.name: c.raw}})
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
		t.Errorf("%s %s exists: %s", kind, id, object)
	})
	m.SnapshotsEnd()
	take(t, m, &steps[0])
	take(t, m, &steps[1])
}

// TestRefusalUnderAttach: what the stream has not shown may use the address, so
// that such a refusal alone is not a step that was judged.
func TestRefusalUnderAttach(t *testing.T) {
	for _, c := range []struct {
		port   string
		judged bool
	}{{"x 80 80", false}, {"x 80 80,y 80 80", true}} {
		m := newTestMachine(t, validators.Config{Attach: true})
		step := stepsOf(t, endpointLine("reject", "a", strings.Split(c.port, ",")...))
		if found, judged, err := m.Step(&step[0]); judged != c.judged || len(found) > 0 || err != nil {
			t.Errorf("%s: judged %v, want %v: %v %v", c.port, judged, c.judged, found, err)
		}
	}
}

// TestOneLongRunOfSnapshots: what is kept of a run follows what exists, not how
// often it is shown.
func TestOneLongRunOfSnapshots(t *testing.T) {
	m := newTestMachine(t, validators.Config{})
	for i := range 1000 {
		ev := decode(t, endpointLine("snapshot", "a", fmt.Sprintf("x 0 %d", 80+i%2)))
		m.Snapshot(&ev)
	}
	if n := len(m.s.shifted); n > 200 {
		t.Errorf("the run of 1000 lines keeps %d addresses, want no more than twice those of the state and some", n)
	}
	if found := m.SnapshotsEnd(); len(found) > 0 {
		t.Error(found)
	}
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
