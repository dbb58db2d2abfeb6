package swarmkit

import (
	"fmt"
	"testing"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Reports of a node that is down are taken on credit in a step of 200 lines, at
// which the dispatcher's batch is cut: the node's line is to come in the rest of
// the batch. Where it does not, the step is reported at its own lines. A shorter
// step has no credit.
func TestReportsAheadOfTheirNode(t *testing.T) {
	for _, test := range []struct {
		name    string
		reports int
		up      bool
		flagged bool // the first step is
	}{
		{"the node's line comes", maxChanges, true, false},
		{"it does not come", maxChanges, false, true},
		{"the batch is not cut", maxChanges - 1, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := newMachine(validators.Config{Steps: validators.Batched, Profile: swarm.Moby, Uses: &validators.Uses{}})
			if err != nil {
				t.Fatal(err)
			}
			line := 0
			event := func(text string, args ...any) trace.Event {
				var d trace.Decoder
				var ev trace.Event
				line++
				if err := d.Decode(fmt.Appendf(nil, text, args...), trace.Pos{Line: line}, &ev); err != nil {
					t.Fatal(err)
				}
				return ev
			}
			show := func(text string, args ...any) {
				ev := event(text, args...)
				m.Snapshot(&ev)
			}
			show(`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"down","status":"down","availability":"active"}}`)
			show(`{"kind":"node","op":"snapshot","id":"n2","object":{"state":"up","status":"ready","availability":"active"}}`)
			show(`{"kind":"service","op":"snapshot","id":"web","object":{"replicas":500,"remove":false,"mode":"replicated"}}`)
			for i := range 300 {
				node := "n1"
				if i >= test.reports {
					node = "n2"
				}
				show(`{"kind":"task","op":"snapshot","id":"t%d","object":{"service":"web","slot":%d,"node":%q,"state":"assigned","desired_state":"running"}}`, i, i+1, node)
			}
			if found := m.SnapshotsEnd(); len(found) > 0 {
				t.Fatal(found[0].Message)
			}
			line = 1000
			report := func(i int) trace.Event {
				return event(`{"tx":1,"kind":"task","op":"update","id":"t%d","object":{"state":"accepted"}}`, i)
			}
			var first trace.Step
			for i := range test.reports {
				first.Events = append(first.Events, report(i))
			}
			rest := trace.Step{Events: []trace.Event{report(299)}}
			if test.up {
				rest.Events = append(rest.Events, event(`{"tx":1,"kind":"node","op":"update","id":"n1","object":{"state":"up","status":"ready"}}`))
			}
			var found []validators.Finding
			for _, step := range []*trace.Step{&first, &rest} {
				more, _, err := m.Step(step)
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, more...)
			}
			if !test.flagged && len(found) > 0 || test.flagged && len(found) != 1 {
				t.Fatalf("%d findings, want one: %t", len(found), test.flagged)
			}
			if test.flagged && (found[0].Pos.Line <= 1000 || found[0].Pos.Line > 1000+test.reports) {
				t.Errorf("line %d is flagged, want one of the first step", found[0].Pos.Line)
			}
		})
	}
}
