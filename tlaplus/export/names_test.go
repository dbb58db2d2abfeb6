package export_test

import (
	"strings"
	"testing"

	"tracecheck/validators"
)

// ports is a document in which endpoints that the map has publish port 80.
func ports(endpoints string) string {
	const port = `[{"mode":"ingress","name":"web","protocol":"tcp","published_port":80}]`
	return `{"vars":["allocated","endpoints"],"states":[{"allocated":{"#set":[{"#tup":["tcp",80]}]},"endpoints":` +
		strings.ReplaceAll(endpoints, "P", `{"spec":`+port+`,"ports":`+port+`}`) + `},{"allocated":[],"endpoints":{}}]}`
}

// What would make two objects of a behaviour one is refused, with its place.
func TestNamesAreKeptApart(t *testing.T) {
	const (
		half  = " is not text: it has half of a surrogate pair"
		tasks = `{"states":[{"nodes":{"n":"up"},"services":{},"tasks":{"#set":[T]}},{"nodes":{"n":"up"},"services":{},"tasks":[]}]}`
		task  = `{"id":"t","service":"s","status":{"state":"new"},"desired_state":"running","node":"n","slot":1}`
	)
	for _, c := range []struct{ doc, want string }{
		{ports(`{"#map":[["a",P],["b",P]]}`), ""}, // both are seen, and break the invariant
		{ports(`{"#map":[["a",P],["a",P]]}`), `state 1: endpoints: the key "a" occurs twice`},
		{ports(`{"#map":[[{"#bigint":"1"},P],[{"#bigint":"01"},P]]}`), "state 1: endpoints: the key 1 occurs twice"},
		{ports(`{"#map":[[{"#set":["a","b"]},P],[{"#set":["b","a"]},P]]}`), `state 1: endpoints: the key {"a","b"} occurs twice`},
		{ports(`{"a":P,"\u0061":P}`), `state 1: endpoints: "a" occurs twice`},
		{ports(`{"#map":[[1,P],["1",P]]}`), "state 1: endpoint 1 occurs twice"},
		{ports(`{"#map":[["a\ud800",P],["a\ud801",P]]}`), `state 1: endpoints: "a\ud800"` + half},
		{ports(`{"a":P,"\udc00":P}`), `state 1: endpoints: "\udc00"` + half},
		{ports("{\"a\":P,\n\"\xff\":P}"), "the ITF document is not valid UTF-8: line 2, byte 2 is 0xff"},
		{`{"states":[{"allocated":[],"endpoints":{},"allocated":[]}]}`, `state 1: "allocated" occurs twice`},
		{`{"states":[{"allocated":[],"endpoints":{}}],"states":[]}`, `the ITF document: "states" occurs twice`},
		{`{"#meta":{"instance":"\ud800"},"states":[{"ns":{},"pvc":{},"pvc_state":{}}]}`, `the ITF document: #meta: {"instance":"\ud800"}` + half},
		{`{"states":[{"#meta":{"recreated":["task \ud800"]},"ns":{},"pvc":{},"pvc_state":{}}]}`, `state 1: #meta: {"recreated":["task \ud800"]}` + half},
		{`{"states":[{"ns":{"c":"nil"},"pvc":{"c":"nil"},"pvc_state":{"#map":[["c","nil"],["c","Sync"]]}}]}`, `state 1: pvc_state: the key "c" occurs twice`},
		{strings.Replace(tasks, "T", task+","+strings.Replace(task, "new", "running", 1), 1), "state 1: task t occurs twice"},
		{strings.Replace(tasks, "T", task+","+task, 1), ""}, // a set has it once
	} {
		r := judgeITF(t, []byte(c.doc), validators.Options{})
		switch {
		case c.want == "" && (r.Verdict == validators.Unusable || r.Reason != ""):
			t.Errorf("%s: %s, %s", c.doc, r.Verdict, r.Reason)
		case c.want != "" && (r.Verdict != validators.Unusable || r.Reason != "-: "+c.want):
			t.Errorf("%s:\n%s, %s, want %s", c.doc, r.Verdict, r.Reason, c.want)
		}
	}
	if r := judgeITF(t, []byte(ports(`{"#map":[["a",P],["b",P]]}`)), validators.Options{}); r.Verdict != validators.Violated {
		t.Errorf("two endpoints publish one port: %s", r.Verdict)
	}
}
