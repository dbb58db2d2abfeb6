package specs_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// A meta line that continues with constants that come to the same changes nothing of
// what is found, wherever it is: the machines keep their states, and what waits
// has waited for as long.
func TestConstantsThatComeToTheSame(t *testing.T) {
	for i, path := range []string{"../testdata/traces/jobs.jsonl.gz", "../testdata/traces/settled28.jsonl.gz", "../testdata/traces/ports28.jsonl.gz"} {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		lines := bytes.Split(bytes.TrimSpace(validatorstest.ReadTrace(t, path)), []byte{'\n'})
		metas := [][]byte{
			lines[0], bytes.Replace(lines[0], []byte(`"constants":{`), []byte(`"constants":{"protocols":["tcp","udp","sctp"],`), 1),
		}
		for name, opts := range map[string]validators.Options{
			"moby":        {Coverage: true},
			"by the text": {Profile: validators.ProfileSpec, KeepGoing: true, Coverage: true},
			"deadline":    {Deadline: 5 * time.Second, KeepGoing: true},
		} {
			var events, changed []trace.Event
			for n, line := range lines {
				var d trace.Decoder
				var ev trace.Event
				if err := d.Decode(line, trace.Pos{File: "t", Line: n + 1}, &ev); err != nil {
					t.Fatal(err)
				}
				if ev.HasSeq && r.IntN(20) == 0 && (n == 0 || events[n-1].Tx != ev.Tx) {
					var meta trace.Event
					if err := new(trace.Decoder).Decode(metas[r.IntN(2)], trace.Pos{File: "t", Line: n}, &meta); err != nil {
						t.Fatal(err)
					}
					changed = append(changed, meta)
				}
				events, changed = append(events, ev), append(changed, ev)
			}
			judge := func(events []trace.Event) string {
				opts.Specs = specs.All()
				run, err := validators.NewRunner(opts)
				if err != nil {
					t.Fatal(err)
				}
				if err := run.Push(events); err != nil {
					t.Fatal(err)
				}
				result := run.Finish()
				result.Events = 0
				text, err := json.MarshalIndent(result, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			got, want := strings.Split(judge(changed), "\n"), strings.Split(judge(events), "\n")
			for k := range want {
				if k >= len(got) || got[k] != want[k] {
					t.Errorf("%s, %s, with %d meta lines: line %d is\n%s\nwant\n%s", filepath.Base(path), name, len(changed)-len(events), k, got[min(k, len(got)-1)], want[k])
					break
				}
			}
			if len(changed) < len(events)+5 {
				t.Errorf("%s: only %d meta lines", path, len(changed)-len(events))
			}
		}
	}
}

// Constants take effect from the meta line on, with the state that there is.
func TestConstantsChange(t *testing.T) {
	swarm := func(first, second string) string {
		return `{"kind":"meta","object":{"spec":["swarmkit"]` + first + `}}
{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}
{"kind":"service","op":"snapshot","id":"web","object":{"replicas":1,"remove":false}}
{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"failed","desired_state":"shutdown"}}
{"kind":"task","op":"snapshot","id":"t2","object":{"service":"web","slot":1,"node":"n1","state":"running","desired_state":"running"}}
{"seq":1,"kind":"service","op":"create","id":"other","object":{"replicas":0,"remove":false}}
{"kind":"meta","object":{"spec":["swarmkit"]` + second + `}}
{"seq":2,"kind":"task","op":"update","id":"t1","object":{"desired_state":"remove"}}`
	}
	ports := func(first, second string) string {
		return `{"kind":"meta","object":{"spec":["portallocator"]` + first + `}}
{"seq":1,"kind":"endpoint","op":"create","id":"a","object":{"spec":[{"name":"x","protocol":"udp","mode":"ingress","published_port":0}],"ports":[{"name":"x","protocol":"udp","mode":"ingress","published_port":30000}]}}
{"kind":"meta","object":{"spec":["portallocator"]` + second + `}}
{"seq":2,"kind":"endpoint","op":"create","id":"b","object":{"spec":[{"name":"x","protocol":"udp","mode":"ingress","published_port":0}],"ports":[{"name":"x","protocol":"udp","mode":"ingress","published_port":30001}]}}`
	}
	kcp := func(first, second string) string {
		return `{"kind":"meta","object":{"spec":["kcpstorage"]` + first + `}}
{"seq":1,"kind":"namespace","op":"update","id":"n","object":{"clusters":{"a":"Sync"}}}
{"kind":"meta","object":{"spec":["kcpstorage"]` + second + `}}
{"seq":2,"kind":"namespace","op":"update","id":"m","object":{"clusters":{"c":"Sync"}}}`
	}
	constant := func(text string) string { return `,"constants":{` + text + `}` }
	for _, c := range []struct {
		name, trace string
		verdict     validators.Verdict
		reason      string
	}{
		{"the limit stays", swarm(constant(`"max_terminated":1`), constant(`"max_terminated":1`)), validators.Violated, ""},
		{"the limit falls", swarm(constant(`"max_terminated":1`), constant(`"max_terminated":0`)), validators.Conforming, ""},
		{"the limit rises", swarm(constant(`"max_terminated":0`), constant(`"max_terminated":1`)), validators.Violated, ""},
		{"the limit is none", swarm(constant(`"max_terminated":1`), constant(`"max_terminated":-1`)), validators.Unusable, "max_terminated must be an integer from 0"},
		{"the ports stay", ports("", ""), validators.Conforming, ""},
		{"fewer ports", ports("", constant(`"dynamic_ports":[30000,30000]`)), validators.Violated, ""},
		{"more ports", ports(constant(`"dynamic_ports":[30000,30000]`), constant(`"dynamic_ports":[30000,30001]`)), validators.Conforming, ""},
		{"more protocols", ports(constant(`"protocols":["udp"]`), constant(`"protocols":["udp","tcp"]`)), validators.Conforming, ""},
		{"protocols in another order", ports(constant(`"protocols":["tcp","udp"]`), constant(`"protocols":["udp","tcp"]`)), validators.Unusable, "the constants of portallocator cannot change to these while the default stream continues"},
		{"the clusters stay", kcp(constant(`"clusters":["a","b"]`), constant(`"clusters":["a","b"]`)), validators.Violated, ""},
		{"more clusters", kcp(constant(`"clusters":["a","b"]`), constant(`"clusters":["a","b","c"]`)), validators.Conforming, ""},
		{"clusters in another order", kcp(constant(`"clusters":["a","b"]`), constant(`"clusters":["b","a"]`)), validators.Unusable, "the constants of kcpstorage cannot change to these while the default stream continues"},
	} {
		f := file{"t", bytes.Split([]byte(c.trace), []byte{'\n'})}
		r := judgeFiles(t, validators.Options{}, f)
		if r.Verdict != c.verdict || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%s: %s %s %+v, want %s %s", c.name, r.Verdict, r.Reason, r.Violations, c.verdict, c.reason)
		}
	}
}
