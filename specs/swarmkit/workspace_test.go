package swarmkit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/specs/swarmkit"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// TestProfilesSideBySide: streams of both profiles are judged in one room to work
// in, and what is said of each is what is said of it alone.
func TestProfilesSideBySide(t *testing.T) {
	moby := []string{
		`{"stream":"moby","kind":"meta","object":{"profile":"moby","steps":"batched"}}`,
		`{"stream":"moby","tx":1,"kind":"task","op":"create","id":"m1","object":{"service":"s","slot":1,"node":null,"state":"new","desired_state":"running"}}`,
		`{"stream":"moby","tx":1,"kind":"task","op":"create","id":"m2","object":{"service":"s","slot":2,"node":null,"state":"new","desired_state":"running"}}`,
		`{"stream":"moby","tx":2,"kind":"task","op":"update","id":"m1","object":{"state":"pending"}}`,
		`{"stream":"moby","tx":2,"kind":"task","op":"update","id":"m2","object":{"state":"pending"}}`,
		`{"stream":"moby","kind":"node","op":"reject","id":"n1"}`,
	}
	spec := []string{
		`{"stream":"spec","kind":"meta","object":{"steps":"batched"}}`,
		`{"stream":"spec","kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		`{"stream":"spec","kind":"service","op":"snapshot","id":"web","object":{"replicas":2,"remove":false}}`,
		`{"stream":"spec","kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"assigned","desired_state":"running"}}`,
		`{"stream":"spec","kind":"task","op":"snapshot","id":"t2","object":{"service":"web","slot":2,"node":"n1","state":"assigned","desired_state":"running"}}`,
		`{"stream":"spec","tx":1,"kind":"task","op":"update","id":"t1","object":{"state":"accepted"}}`,
		`{"stream":"spec","tx":1,"kind":"task","op":"update","id":"t2","object":{"state":"preparing"}}`,
		`{"stream":"spec","kind":"node","op":"reject","id":"n1"}`,
	}
	judge := func(lines ...string) string {
		var of []string
		validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{swarmkit.Spec}, KeepGoing: true,
			OnStep: func(step *trace.Step, _ string, explanation []string, found []validators.Finding) {
				if step.Events[0].Stream == "spec" {
					of = append(of, fmt.Sprintf("%s: %q, %d findings", step.Events[0].ID, explanation, len(found)))
				}
			}}, lines...)
		return strings.Join(of, "\n")
	}
	alone := judge(spec...)
	if want := `t1: ["ProgressTask" "ProgressTask" "ProgressTask"], 0 findings`; !strings.HasPrefix(alone, want) {
		t.Errorf("judged alone:\n%s\nwant\n%s", alone, want)
	}
	if got := judge(slices.Concat(moby, spec)...); got != alone {
		t.Errorf("judged beside another:\n%s\nwant\n%s", got, alone)
	}
}
