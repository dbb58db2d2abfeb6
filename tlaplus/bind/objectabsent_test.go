package bind_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tracecheck/tlaplus/bind"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// What the lines of a batched step delete and create has not been there on the way, also where
// it is an element of a set: here, of jobs that can only be removed before they run.
func TestObjectsRecreated(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Jobs.tla": `---- MODULE Jobs ----
CONSTANT Ids
VARIABLE jobs
Init == jobs = {}
Add(i) == (\A j \in jobs : j.id # i) /\ \E of \in Ids : jobs' = jobs \union {[id |-> i, after |-> of, state |-> "new"]}
Move(j, from, to) == j.state = from /\ jobs' = (jobs \ {j}) \union {[j EXCEPT !.state = to]}
Run(j) == Move(j, "new", "running")
Finish(j) == Move(j, "running", "done")
Remove(j) == j.state = "new" /\ jobs' = jobs \ {j}
Next == (\E i \in Ids : Add(i)) \/ \E j \in jobs : Run(j) \/ Finish(j) \/ Remove(j)
====
`,
		"bind.yaml": `module: Jobs.tla
objects: {task: {after: '""', state: '"new"'}}
init: snapshots
constants: {Ids: shown.task}
observe:
  jobs: '{[id |-> j, after |-> objects.task[j].after, state |-> objects.task[j].state] : j \in DOMAIN objects.task}'
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := load(t, filepath.Join(dir, "bind.yaml"), bind.Options{})
	line := func(op, id, after, state string) string {
		return fmt.Sprintf(`{"kind":"task","op":%q,"id":%q,"tx":%q,"object":{"after":%q,"state":%q}}`, op, id, op[:1], after, state)
	}
	for _, c := range []struct {
		was, is string
		after   string // of both jobs
		want    validators.Verdict
	}{
		{"new", "done", "b", validators.Conforming},
		{"new", "done", "a", validators.Conforming}, // the other job has the id, too
		{"running", "done", "b", validators.Violated},
		{"running", "new", "b", validators.Violated},
	} {
		lines := []string{meta("batched"), line("snapshot", "a", c.after, c.was), line("snapshot", "b", c.after, "running"),
			`{"kind":"task","op":"delete","id":"a","tx":"c"}`, line("create", "a", c.after, c.is)}
		r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, lines...)
		if r.Verdict != c.want {
			t.Errorf("%+v: %s %s %+v", c, r.Verdict, r.Reason, r.Violations)
		}
	}
	plain := []string{meta("batched"), line("snapshot", "a", "b", "running"), line("snapshot", "b", "b", "running"), line("update", "a", "b", "done")}
	if r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, plain...); r.Verdict != validators.Conforming {
		t.Errorf("an update: %s %s %+v", r.Verdict, r.Reason, r.Violations)
	}
}
