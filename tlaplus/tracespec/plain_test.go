package tracespec

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// TestPlain: the result is that of evaluating everything in each state.
func TestPlain(t *testing.T) {
	const dir = "../../testdata/tracespecs/"
	var cases []Options
	for _, config := range []string{"invariant", "steps", "finally"} {
		for _, log := range []string{"lock", "lock-overtaken"} {
			for _, any := range []bool{false, true} {
				cases = append(cases, Options{Module: dir + "LockProperty.tla", Config: dir + config + ".cfg", Env: map[string]string{"JSON": dir + log + ".ndjson"}, AnyPath: any})
			}
		}
	}
	if material := os.Getenv("TRACECHECK_TLA"); material != "" {
		raft := filepath.Join(material, "traces/etcd-raft")
		cases = append(cases, Options{Module: filepath.Join(raft, "Traceetcdraft.tla"), Env: map[string]string{"JSON": filepath.Join(raft, "logs/first1000.ndjson")}})
	}
	for _, o := range cases {
		got, err := Judge(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Plain = true
		want, err := Judge(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		got.is, want.is = nil, nil // functions are not comparable
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nin full: %+v", o.Config, got, want)
		}
	}
}
