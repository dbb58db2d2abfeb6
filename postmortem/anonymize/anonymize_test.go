package anonymize_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/postmortem/anonymize"
	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// words are those of the specs, as the command has them.
func words() []string {
	var all []string
	for _, s := range specs.All() {
		all = append(all, s.Name)
		for _, a := range s.Actions {
			all = append(all, a.Name, a.Actor)
		}
	}
	return all
}

// rewritten is the lines, anonymized; blank where they are.
func rewritten(t *testing.T, lines []string, opts anonymize.Options) []string {
	t.Helper()
	opts.Words = words()
	a, err := anonymize.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	var d trace.Decoder
	out := make([]string, len(lines))
	for i, line := range lines {
		if line == "" {
			continue
		}
		var ev trace.Event
		if err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		b, err := a.Append(nil, &ev)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = string(b)
	}
	return out
}

// judged is the result of the lines, without its messages.
func judged(t *testing.T, lines []string, opts validators.Options) string {
	t.Helper()
	opts.Specs, opts.KeepGoing = specs.All(), true
	res := validatorstest.Judge(t, opts, lines...)
	b := &strings.Builder{}
	fmt.Fprintln(b, res.Verdict, res.Events, res.Steps, res.Streams, res.Duplicates, res.Gaps, res.Specs, res.Allowances)
	for i := range res.Violations {
		v := &res.Violations[i]
		fmt.Fprintln(b, v.Spec, v.Kind, v.Rule, v.Line, v.FirstLine, v.LastLine)
		for _, n := range v.Nearest {
			fmt.Fprintln(b, "  ", n.Action, n.Failed, n.Held)
		}
	}
	for _, s := range res.Desired {
		fmt.Fprintln(b, s.Spec, s.InDesiredState, s.SinceLine)
	}
	for _, l := range res.Liveness {
		fmt.Fprintln(b, l.Spec, l.Rule, l.Status, l.SinceLine, l.Open, l.Satisfied)
	}
	return b.String()
}

// traces are the case files of all specs and the recordings, with the options
// that they ask for.
func traces(t *testing.T, use func(name string, lines []string, opts validators.Options)) {
	t.Helper()
	validatorstest.EachCase(t, "../../specs", use)
	recordings, err := filepath.Glob("../../testdata/traces/*.jsonl*")
	if err != nil || len(recordings) == 0 {
		t.Fatalf("no recordings (%v)", err)
	}
	for _, path := range recordings {
		lines := read(t, path)
		use(path, lines, validators.Options{})
		if exhaustive.Asked() {
			use(path+" by the text", lines, validators.Options{Profile: validators.ProfileSpec})
		}
	}
}

func read(t *testing.T, path string) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(string(validatorstest.ReadTrace(t, path))), "\n")
}

// Whatever is renamed, the verdict stays, and all else that is reported.
func TestVerdictStays(t *testing.T) {
	traces(t, func(name string, lines []string, opts validators.Options) {
		want := judged(t, lines, opts)
		for _, how := range []anonymize.Options{{}, {Shift: -31 * 24 * time.Hour, Keep: []string{"node", "service"}}} {
			if got := judged(t, rewritten(t, lines, how), opts); got != want {
				t.Errorf("%s, %+v: %s", name, how, difference(got, want))
			}
		}
	})
}

func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("got\n\t%s\nwant\n\t%s", g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// formatWords are names of things that are also words of the format.
var formatWords = map[string]bool{
	"node.role==worker": true, "none": true, "any": true, "udp": true,
	"preparing": true, "starting": true, "accepted": true, "shutdown": true, "complete": true, // messages
}

// No id, name, image, label or message of a recording is left, anywhere.
func TestNothingLeaks(t *testing.T) {
	recordings, err := filepath.Glob("../../testdata/traces/*.jsonl*")
	if err != nil || len(recordings) == 0 {
		t.Fatalf("no recordings (%v)", err)
	}
	for _, path := range recordings {
		lines := read(t, path)
		secrets := map[string]bool{}
		for _, line := range lines {
			var ev struct {
				ID     string
				Object map[string]any
			}
			if err := json.Unmarshal([]byte(line), &ev); err != nil {
				t.Fatal(err)
			}
			secrets[ev.ID] = true
			for _, field := range []string{"name", "image", "message", "err", "update_message", "service", "node", "labels", "constraints", "request"} {
				gather(ev.Object[field], secrets)
			}
			for _, field := range []string{"spec", "ports", "spec_ports"} {
				ports, _ := ev.Object[field].([]any)
				for _, p := range ports {
					if p, ok := p.(map[string]any); ok {
						gather(p["name"], secrets)
					}
				}
			}
		}
		out := strings.Join(rewritten(t, lines, anonymize.Options{}), "\n")
		for s := range secrets {
			if s != "" && !formatWords[s] && strings.Contains(out, `"`+s+`"`) {
				t.Errorf("%s: %q is still there", path, s)
			}
		}
		if len(secrets) < 5 {
			t.Errorf("%s: %d names, want more to look for", path, len(secrets))
		}
	}
}

// gather adds all strings of a value, and the keys of its maps.
func gather(v any, into map[string]bool) {
	switch v := v.(type) {
	case string:
		into[v] = true
	case []any:
		for _, e := range v {
			gather(e, into)
		}
	case map[string]any:
		for k, e := range v {
			into[k] = true
			gather(e, into)
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name      string
		opts      anonymize.Options
		in, wants []string
	}{
		{"one name, wherever it is", anonymize.Options{}, []string{
			`{"kind":"node","op":"snapshot","id":"berlin-7","object":{"state":"up","labels":{"rack":"b"}}}`,
			`{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false,"name":"shop","image":"reg.example/shop:1@sha256:00","constraints":["node.labels.rack == b","node.hostname!=berlin-7","node.id==berlin-7","odd"]}}`,
			`{"kind":"task","op":"create","id":"web","object":{"service":"web","slot":"global","node":"berlin-7","state":"new","desired_state":"gone","err":"no such image reg.example/shop:1"}}`,
			`{"kind":"endpoint","op":"create","id":"web","object":{"spec":[{"name":"shop","protocol":"dccp","mode":"host","published_port":80}],"ports":5}}`,
		}, []string{
			`{"kind":"node","op":"snapshot","id":"node1","object":{"state":"up","labels":{"label1":"value1"}}}`,
			`{"kind":"service","op":"create","id":"service1","object":{"replicas":1,"remove":false,"name":"name1","image":"image1","constraints":["node.labels.label1==value1","node.hostname!=value2","node.id==node1","word1"]}}`,
			`{"kind":"task","op":"create","id":"task1","object":{"service":"service1","slot":"global","node":"node1","state":"new","desired_state":"word2"}}`,
			`{"kind":"endpoint","op":"create","id":"service1","object":{"spec":[{"name":"port1","protocol":"protocol1","mode":"host","published_port":80}],"ports":5}}`,
		}},
		{"values of other shapes", anonymize.Options{}, []string{
			`{"kind":"task","op":"update","id":"a","object":{"state":{"is":["secret",1,null]},"slot":1e0,"node":null,"service":7}}`,
			`{"kind":"allocator","op":"update","object":{"allocated":["tcp/80","dccp/81","tcp/x","odd",5]}}`,
			`{"kind":"pvc","op":"update","id":"p","object":{"clusters":{"eu":"Sync","us":null,"ap":"secret"},"namespace":""}}`,
		}, []string{
			`{"kind":"task","op":"update","id":"task1","object":{"state":{"word1":["word2",1,null]},"slot":1e0,"node":null,"service":7}}`,
			`{"kind":"allocator","op":"update","object":{"allocated":["tcp/80","protocol1/81","tcp/word3","word4",5]}}`,
			`{"kind":"pvc","op":"update","id":"pvc1","object":{"clusters":{"cluster1":"Sync","cluster2":null,"cluster3":"word2"},"namespace":""}}`,
		}},
		{"the envelope", anonymize.Options{}, []string{
			`{"kind":"meta","host":"berlin-7","object":{"format":1,"spec":["kcpstorage"],"constants":{"clusters":["eu","us"],"protocols":["tcp","dccp"]},"from":"berlin-7"}}`,
			`{"stream":"prod","seq":1,"tx":"secret","time":"2026-11-20T10:00:00.5+01:00","kind":"syncer","op":"update","id":"us","actor":"me","action":"Syncer","note":"secret","object":{"namespace":"team","pvc_state":"Empty"}}`,
			`{"stream":"prod","seq":2,"tx":"secret","kind":"syncer","op":"update","id":"eu","object":null}`,
			`{"stream":"prod","seq":3,"tx":"secret","kind":"syncer","op":"update","id":"eu"}`,
			`{"stream":"prod","seq":4,"tx":"next","kind":"syncer","op":"update","id":"eu"}`,
			`{"seq":2,"stream":"prod","tx":"secret","kind":"syncer","op":"update","id":"eu","object":null}`, // again
			`{"stream":"prod","seq":5,"tx":12,"kind":"syncer","op":"update","id":"eu"}`,
		}, []string{
			`{"kind":"meta","object":{"format":1,"spec":["kcpstorage"],"constants":{"clusters":["cluster1","cluster2"],"protocols":["tcp","protocol1"]}}}`,
			`{"stream":"stream1","seq":1,"tx":"tx1","time":"2026-11-20T09:00:00.5Z","kind":"syncer","op":"update","id":"cluster2","actor":"word1","action":"Syncer","object":{"namespace":"namespace1","pvc_state":"Empty"}}`,
			`{"stream":"stream1","seq":2,"tx":"tx1","kind":"syncer","op":"update","id":"cluster1","object":null}`,
			`{"stream":"stream1","seq":3,"tx":"tx1","kind":"syncer","op":"update","id":"cluster1"}`,
			`{"stream":"stream1","seq":4,"tx":"tx2","kind":"syncer","op":"update","id":"cluster1"}`,
			`{"seq":2,"stream":"stream1","tx":"tx1","kind":"syncer","op":"update","id":"cluster1","object":null}`,
			`{"stream":"stream1","seq":5,"tx":12,"kind":"syncer","op":"update","id":"cluster1"}`,
		}},
		{"kept", anonymize.Options{Keep: []string{"name", "tx"}, Shift: -90 * time.Minute}, []string{
			`{"kind":"service","op":"create","id":"web","tx":"a","time":"2026-11-20T10:00:00Z","object":{"name":"the \"shop\""}}`,
		}, []string{
			`{"kind":"service","op":"create","id":"service1","tx":"a","time":"2026-11-20T08:30:00Z","object":{"name":"the \"shop\""}}`,
		}},
	} {
		for i, got := range rewritten(t, c.in, c.opts) {
			if got != c.wants[i] {
				t.Errorf("%s, line %d: got\n\t%s\nwant\n\t%s", c.name, i+1, got, c.wants[i])
			}
		}
	}
}

func TestRefused(t *testing.T) {
	if _, err := anonymize.New(anonymize.Options{Keep: []string{"names"}}); err == nil || !strings.Contains(err.Error(), `"names"`) {
		t.Errorf("an unknown sort: %v", err)
	}
	a, err := anonymize.New(anonymize.Options{Shift: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	var d trace.Decoder
	var ev trace.Event
	if err := d.Decode([]byte(`{"kind":"node","op":"delete","id":"n","time":"9999-12-31T23:59:59Z"}`), trace.Pos{Line: 3}, &ev); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Append(nil, &ev); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a time after the year 9999: %v", err)
	}
}
