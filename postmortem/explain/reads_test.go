package explain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/postmortem/explain"
	"tracecheck/validators"
)

// read are the objects that clauses read, each with the lines of its events.
func read(a *explain.Account) (list []string) {
	for _, r := range a.Read {
		text := r.Kind + " " + r.ID + ":"
		for _, ev := range r.Events {
			text += fmt.Sprint(" ", ev.Line)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// A clause's values name node n1: its events are listed, not those of n2 or of other services.
// How many tasks the service has is a count: what changed it was the creation of t1 and t2,
// not that of t9, which is of another service.
func TestReadObjects(t *testing.T) {
	for name, c := range map[string]struct {
		trace string
		want  []string
	}{
		"named": {`
{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}
{"kind":"node","op":"snapshot","id":"n2","object":{"state":"up"}}
{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}
{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}
{"kind":"task","op":"update","id":"t1","object":{"state":"pending"}}
{"kind":"task","op":"update","id":"t1","object":{"state":"assigned","node":"n1"}}
{"kind":"service","op":"create","id":"db","object":{"replicas":0,"remove":false}}
{"kind":"node","op":"update","id":"n1","object":{"state":"down"}}
{"kind":"node","op":"update","id":"n2","object":{"state":"down"}}
{"kind":"task","op":"update","id":"t1","object":{"state":"running"}}`, []string{"node n1: 1 8"}},
		"changed": {`
{"kind":"service","op":"create","id":"web","object":{"replicas":2,"remove":false}}
{"kind":"service","op":"create","id":"db","object":{"replicas":1,"remove":false}}
{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}
{"kind":"task","op":"create","id":"t9","object":{"service":"db","slot":1,"node":"","state":"new","desired_state":"running"}}
{"kind":"task","op":"create","id":"t2","object":{"service":"web","slot":2,"node":"","state":"new","desired_state":"running"}}
{"kind":"service","op":"delete","id":"web"}`, []string{"task t1: 3", "task t2: 5"}},
		"again": {`
{"kind":"service","op":"create","id":"web","object":{"replicas":2,"remove":false}}
{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}
{"kind":"meta","object":{"format":1}}
{"kind":"service","op":"snapshot","id":"web","object":{"replicas":2,"remove":false}}
{"kind":"task","op":"create","id":"t2","object":{"service":"web","slot":2,"node":"","state":"new","desired_state":"running"}}
{"kind":"service","op":"delete","id":"web"}`, []string{"task t2: 5"}},
	} {
		accounts := explained(t, c.trace, explain.Options{})
		if len(accounts) != 1 || len(accounts[0].Violations) == 0 {
			t.Fatalf("%s: %d steps", name, len(accounts))
		}
		if got := read(&accounts[0]); !slices.Equal(got, c.want) {
			t.Errorf("%s: read %q, want %q (causes %v)", name, got, c.want, accounts[0].Violations[0].Message)
		}
	}
}

// What a broken invariant names is what its clause read.
func TestReadByInvariant(t *testing.T) {
	accounts := explained(t, `
{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}
{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}
{"kind":"service","op":"delete","id":"web"}`, explain.Options{Judge: validators.Options{}})
	for _, r := range accounts[0].Read {
		if r.ID == "t1" && slices.Contains(r.Clauses, "Inv") {
			return
		}
	}
	t.Errorf("read %q, want task t1 by Inv: %s", read(&accounts[0]), strings.Join(func() (all []string) {
		for _, v := range accounts[0].Violations {
			all = append(all, v.Message)
		}
		return all
	}(), "; "))
}
