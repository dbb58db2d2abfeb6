package export_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/specs"
	"tracecheck/tlaplus/export"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// States tell values outside their types, where a trace has them, as other values.
func TestValuesOutsideTheirTypes(t *testing.T) {
	values := []string{`7`, `true`, `"what"`, `""`, `["x"]`, `{"x":1}`, `{"c9":"Sync"}`, `["tcp/80",5]`, `["tcp/080"]`, `["tcp"]`, `null`}
	bases := map[string][]string{
		"kcpstorage": {
			`{"kind":"meta","object":{"constants":{"clusters":["c1","c2"]}}}`,
			`{"kind":"namespace","op":"update","id":"ns","object":{"clusters":{"c1":"Sync"}}}`,
			`{"kind":"pvc","op":"update","id":"p","object":{"namespace":"ns","clusters":{"c1":"Sync"}}}`,
			`{"kind":"syncer","op":"update","id":"c1","object":{"namespace":"ns","pvc_state":"Sync"}}`,
		},
		"portallocator": {
			`{"kind":"meta","object":{}}`,
			`{"kind":"endpoint","op":"create","id":"w","object":{"spec":[{"name":"a","protocol":"tcp","mode":"ingress","published_port":80}],"ports":[{"name":"a","protocol":"tcp","mode":"ingress","published_port":80}]}}`,
			`{"kind":"allocator","op":"update","object":{"allocated":["tcp/80"]}}`,
		},
		"updatecluster": {
			`{"kind":"meta","object":{}}`,
			`{"kind":"cluster","op":"create","object":{"request":null,"complete":true,"last_submitted":0,"conf_ok":true}}`,
			`{"kind":"request","op":"create","id":"r1","object":{"rank":1,"status":"submitted","queued":false}}`,
		},
		"swarmkit": {
			`{"kind":"meta","object":{}}`,
			`{"kind":"node","op":"create","id":"n1","object":{"state":"up"}}`,
			`{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}`,
			`{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}`,
		},
	}
	for _, last := range []struct{ spec, line string }{
		{"kcpstorage", `{"kind":"namespace","op":"update","id":"ns","object":{"clusters":%s}}`},
		{"kcpstorage", `{"kind":"pvc","op":"update","id":"p","object":{"clusters":%s}}`},
		{"kcpstorage", `{"kind":"syncer","op":"update","id":"c1","object":{"namespace":"ns","pvc_state":%s}}`},
		{"portallocator", `{"kind":"allocator","op":"update","object":{"allocated":%s}}`},
		{"portallocator", `{"kind":"endpoint","op":"update","id":"w","object":{"ports":%s}}`},
		{"updatecluster", `{"kind":"cluster","op":"update","object":{"request":%s}}`},
		{"updatecluster", `{"kind":"cluster","op":"update","object":{"last_submitted":%s}}`},
		{"updatecluster", `{"kind":"request","op":"update","id":"r1","object":{"queued":%s}}`},
		{"swarmkit", `{"kind":"task","op":"update","id":"t1","object":{"node":%s}}`},
		{"swarmkit", `{"kind":"task","op":"update","id":"t1","object":{"service":%s}}`},
	} {
		for _, v := range values {
			lines := append(slices.Clone(bases[last.spec]), fmt.Sprintf(last.line, v))
			r, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{last.spec}, KeepGoing: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := validatorstest.Source(t, lines)(t.Context(), r.Push); err != nil {
				t.Fatal(err)
			}
			want := rulesOf(r.Finish())
			if got := rulesOf(judgeITF(t, exported(t, lines, export.Options{Spec: last.spec}), validators.Options{KeepGoing: true})); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", lines[len(lines)-1], got, want)
			}
		}
	}
}

// rulesOf are the rules that are broken, with the lines.
func rulesOf(r *validators.Result) (list []string) {
	for _, v := range r.Violations {
		list = append(list, fmt.Sprint(v.Line, v.Kind, v.Rule))
	}
	slices.Sort(list)
	return list
}

// A constant of a trace is an integer in any form. TLC reads digits only.
func TestConstantsForTLC(t *testing.T) {
	b, err := export.Export(t.Context(), validatorstest.Source(t, []string{
		`{"kind":"meta","object":{"constants":{"max_terminated":1e1}}}`,
		`{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}`,
	}), export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var module, cfg strings.Builder
	if err := b.WriteModule(&module, &cfg, "Trace_test"); err != nil || !strings.Contains(cfg.String(), "maxTerminated = 10\n") {
		t.Errorf("%v, want maxTerminated = 10:\n%s", err, cfg.String())
	}
}
