package swarmkit

import (
	"fmt"
	"slices"
	"testing"

	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// Every allowance explains a step of some case, and in another is what came
// near to explaining one that is flagged, by a clause that it failed.
func TestCasesReachEveryAllowance(t *testing.T) {
	explains, fails := map[string]bool{}, map[string]bool{}
	for _, c := range validatorstest.JudgeCases(t, []*validators.Spec{Spec}, "testdata") {
		for _, name := range c.By {
			explains[name] = true
		}
		for _, v := range c.Violations {
			for _, near := range v.Nearest {
				fails[near.Action] = fails[near.Action] || len(near.Failed) > 0
			}
		}
	}
	for _, a := range allowances {
		if !explains[a.Name] {
			t.Errorf("%s explains no step of any case", a.Name)
		}
		// That a node appears, or a service is deleted, has no guard that could fail.
		if !fails[a.Name] && a != nodeAppears && a != serviceDelete {
			t.Errorf("%s fails in no case", a.Name)
		}
	}
}

// The documentation says of each allowance what it relaxes and where the
// behaviour comes from, and no name is given twice.
func TestAllowancesAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range Spec.Allows() {
		if a.Doc == "" || a.Relaxes == "" || a.Source == "" || len(a.Clauses) == 0 || seen[a.Name] {
			t.Errorf("%+v", a)
		}
		seen[a.Name] = true
	}
}

// judgeMoby judges lines under the profile moby, past every violation.
func judgeMoby(t *testing.T, steps validators.Steps, lines []string) *validators.Result {
	t.Helper()
	return validatorstest.Judge(t, validators.Options{
		Specs: []*validators.Spec{Spec}, Profile: swarm.Moby, Steps: steps, KeepGoing: true,
	}, lines...)
}

// crowd is a node and n running tasks of a service that is deleted.
func crowd(n int) []string {
	lines := []string{`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`}
	for i := range n {
		lines = append(lines, fmt.Sprintf(
			`{"kind":"task","op":"snapshot","id":"t%d","object":{"service":"web","slot":%d,"node":"n1","state":"running","desired_state":"running"}}`, i, i+1))
	}
	return lines
}

func condemned(tx, from, to int) []string {
	var lines []string
	for i := from; i < to; i++ {
		lines = append(lines, fmt.Sprintf(`{"tx":%d,"kind":"task","op":"update","id":"t%d","object":{"desired_state":"remove"}}`, tx, i))
	}
	return lines
}

// A batch is committed at 200 changes: only then may tasks be left out, and the
// next transaction takes the rest.
func TestBatchesOf200(t *testing.T) {
	whole := slices.Concat(crowd(250), condemned(1, 0, 200), condemned(2, 200, 250))
	if r := judgeMoby(t, validators.Batched, whole); len(r.Violations) > 0 {
		t.Errorf("%+v", r.Violations[0])
	}
	for _, bad := range [][]string{
		slices.Concat(crowd(250), condemned(1, 0, 199), condemned(2, 199, 250)),
		slices.Concat(crowd(250), condemned(1, 0, 200), condemned(2, 200, 249)),
	} {
		if r := judgeMoby(t, validators.Batched, bad); len(r.Violations) != 1 {
			t.Errorf("%d violations, want one", len(r.Violations))
		}
	}
}

// Where steps are atomic, a step is one action of the text or one allowance.
func TestAtomicUnderMoby(t *testing.T) {
	lines := append(crowd(2), condemned(1, 0, 2)...)
	if r := judgeMoby(t, validators.Atomic, lines); len(r.Violations) > 0 {
		t.Errorf("%+v", r.Violations[0])
	}
	lines = append(lines,
		`{"tx":2,"kind":"task","op":"update","id":"t0","object":{"state":"shutdown"}}`,
		`{"tx":2,"kind":"task","op":"update","id":"t1","object":{"state":"shutdown"}}`)
	if r := judgeMoby(t, validators.Batched, lines); len(r.Violations) > 0 {
		t.Errorf("%+v", r.Violations[0])
	}
	if r := judgeMoby(t, validators.Atomic, lines); len(r.Violations) != 1 {
		t.Errorf("%d violations, want one: two tasks end in one step", len(r.Violations))
	}
}

// What the history keeps is pruned by its windows.
func TestHistoryIsBounded(t *testing.T) {
	m, err := newMachine(validators.Config{Steps: validators.Batched, Profile: swarm.Moby})
	if err != nil {
		t.Fatal(err)
	}
	var d trace.Decoder
	for i := range 2000 {
		replicas := i % 3
		line := fmt.Sprintf(`{"time":"2026-11-20T10:%02d:%02dZ","kind":"service","op":"update","id":"web","object":{"replicas":%d,"remove":false}}`, i/60, i%60, replicas)
		if i == 0 {
			line = `{"kind":"service","op":"create","id":"web","object":{"replicas":0,"remove":false}}`
		}
		var ev trace.Event
		if err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		if found, _, err := m.Step(&trace.Step{Events: []trace.Event{ev}}); err != nil || len(found) > 0 {
			t.Fatal(found, err)
		}
	}
	if n := len(m.(*machine).history.versions); n > fewSteps+1 {
		t.Errorf("%d versions of the service are kept", n)
	}
}
