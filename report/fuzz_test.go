package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// marker is in all that a fuzzed trace names.
const marker = "zq7x"

// fuzzed judges a trace of a few lines in which everything that can be named is
// named so, and which breaks a rule if the names allow it. What is not a line of a
// trace ends it.
func fuzzed(t testing.TB, name, value, file, last string) *Document {
	t.Helper()
	text := func(s string) json.RawMessage {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	type object map[string]any
	id, stream := text(marker+name), text(name+marker)
	line := func(kind, op string, id json.RawMessage, fields object) object {
		return object{"stream": stream, "kind": kind, "op": op, "id": id, "actor": text(value), "action": text(marker + value), "object": fields}
	}
	lines := []object{
		{"stream": stream, "kind": "meta", "object": object{"spec": []string{"swarmkit"}}},
		line("node", "snapshot", id, object{"state": "up"}),
		line("service", "create", id, object{"replicas": 1, "remove": false, "name": text(value), marker + value: text(value)}),
		line("task", "create", id, object{"service": id, "slot": 1, "node": "", "state": "new", "desired_state": "running"}),
		line("task", "update", id, object{"state": "running", "node": id, "err": text(value + marker), "message": text(marker)}),
	}
	runner, err := validators.NewRunner(validators.Options{Specs: specs.All(), KeepGoing: true})
	if err != nil {
		t.Fatal(err)
	}
	var decoder trace.Decoder
	var events []trace.Event
	take := func(raw []byte) {
		var ev trace.Event
		if err := decoder.Decode(raw, trace.Pos{File: file, Line: len(events) + 1}, &ev); err != nil {
			unfit, ok := errors.AsType[*trace.Error](err)
			if !ok {
				t.Fatalf("%s: %v", raw, err)
			}
			runner.Fail(unfit)
			return
		}
		events = append(events, ev)
		_ = runner.Push([]trace.Event{ev}) // an error is in the result
	}
	for _, l := range lines {
		raw, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		take(raw)
	}
	if last != "" {
		take([]byte(last))
	}
	d := &Document{Specs: specs.All(), Notes: []string{name}, Version: "v1", Result: runner.Finish()}
	d.Timeline = NewTimeline(d)
	for i := range events {
		d.Timeline.Add(&events[i])
	}
	return d
}

// FuzzWriters holds what is written to the parsers of others, whatever a trace
// states.
func FuzzWriters(f *testing.F) {
	for _, s := range []string{
		"plain", "", "<script>alert(1)</script>", `"'><img src=x onerror=alert(1)>`, "</script><!--", "]]>", "&amp;&#0;&lt;", "%0A::error::x", "a\n::error::b", "\r\n",
		"\x00\x1b[31m\x7f", "\u009b\u202e\u2066\u2028\ufffe\uffff", "\U000e0001\U0001f600", "\xff\xfe", "javascript:alert(1)", "{{.}} ${x} %s %!d", `\"`, "`", strings.Repeat("W", 300),
	} {
		f.Add(s, s, "dir/"+s, s)
	}
	f.Add("n", "v", "/f.jsonl", "")
	if d := fuzzed(f, "n", "v", "f.jsonl", "{"); len(d.Result.Violations) == 0 || d.Result.Verdict != validators.Unusable || fuzzed(f, "n", "v", "f", "").Result.Verdict != validators.Violated {
		f.Fatal("the trace breaks no rule, or can be judged to its end")
	}
	parts := partsOf(f)
	f.Fuzz(func(t *testing.T, name, value, file, last string) {
		if len(name)+len(value)+len(file)+len(last) > 10_000 {
			return
		}
		d := fuzzed(t, name, value, file, last)
		checkPage(t, written(t, HTML, d), parts)
		checkSARIF(t, written(t, SARIF, d), d.Result)
		checkJUnit(t, written(t, JUnit, d), d.Result)
		for line := range strings.Lines(string(written(t, GitHub, d))) {
			if command, _, _ := strings.Cut(line, " "); !slices.Contains([]string{"::error", "::warning", "::notice"}, command) {
				t.Errorf("GitHub: %q", line)
			}
		}
		var b bytes.Buffer
		if err := errors.Join(JSON(&b, d.Result), Text(&b, d.Result, TextOptions{Notes: d.Notes})); err != nil {
			t.Error(err)
		}
		checkShown(t, "JSON and text", b.Bytes())
	})
}

// checkShown: nothing steers a terminal.
func checkShown(t *testing.T, what string, text []byte) {
	t.Helper()
	for _, r := range string(text) {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			t.Errorf("%s has %U", what, r)
			return
		}
	}
}

// part is an element's tag, or that with the name of an attribute.
type part struct{ tag, attribute string }

// partsOf are those of the pages of other documents.
func partsOf(f *testing.F) map[part]bool {
	all := map[part]bool{}
	d := documents()
	d["judged"], d["ended"] = fuzzed(f, "n", "v", "f.jsonl", ""), fuzzed(f, "n", "v", "f.jsonl", "{")
	for _, d := range d {
		var b bytes.Buffer
		if err := HTML(&b, d); err != nil {
			f.Fatal(err)
		}
		root, err := html.Parse(&b)
		if err != nil {
			f.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			all[part{n.Data, ""}] = true
			for _, a := range n.Attr {
				all[part{n.Data, a.Key}] = true
			}
		}
	}
	return all
}

// checkPage: no element, attribute, comment or script is a trace's.
func checkPage(t *testing.T, page []byte, parts map[part]bool) {
	t.Helper()
	checkShown(t, "HTML", page)
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	scripts := 0
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("HTML: the comment %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !parts[part{n.Data, ""}] {
			t.Errorf("HTML: the element %s", n.Data)
		}
		for _, a := range n.Attr {
			if !parts[part{n.Data, a.Key}] || strings.Contains(a.Val, marker) || a.Key == "href" && a.Val != "data:," && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("HTML: the attribute %s=%q of %s", a.Key, a.Val, n.Data)
			}
		}
		if n.Data != "script" {
			continue
		}
		if scripts++; scripts == 1 && !json.Valid([]byte(n.FirstChild.Data)) || scripts > 1 && n.FirstChild.Data != timelineScript {
			t.Errorf("HTML: the script %q", n.FirstChild.Data)
		}
	}
	if scripts != 0 && scripts != 2 {
		t.Errorf("HTML: %d scripts", scripts)
	}
}

// checkSARIF: each result is of a rule that is there, and of a place that is one.
func checkSARIF(t *testing.T, text []byte, r *validators.Result) {
	t.Helper()
	checkShown(t, "SARIF", text)
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Invocations []struct {
				ExitCode int
				Notices  []struct{ Message struct{ Text string } } `json:"toolExecutionNotifications"`
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Message   struct{ Text string }
				Locations []struct {
					Physical struct {
						Artifact struct{ URI string } `json:"artifactLocation"`
						Region   struct{ StartLine, EndLine int }
					} `json:"physicalLocation"`
				}
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatalf("SARIF: %v", err)
	}
	if len(log.Runs) != 1 || len(log.Runs[0].Results) != len(r.Violations) || log.Runs[0].Invocations[0].ExitCode != r.Verdict.ExitStatus() {
		t.Fatalf("SARIF: %s", text)
	}
	run := log.Runs[0]
	for i, result := range run.Results {
		at := result.Locations[0].Physical
		if run.Tool.Driver.Rules[result.RuleIndex].ID != result.RuleID || result.Message.Text == "" {
			t.Errorf("SARIF: the result %+v", result)
		}
		if at.Region.StartLine != r.Violations[i].Line || at.Region.StartLine < 1 || at.Region.EndLine != 0 && at.Region.EndLine < at.Region.StartLine {
			t.Errorf("SARIF: the lines %+v", at.Region)
		}
		u, err := url.Parse(at.Artifact.URI)
		if err != nil || at.Artifact.URI != u.String() || u.Scheme != "" && u.Scheme != "file" || u.RawQuery != "" || u.Fragment != "" {
			t.Errorf("SARIF: the address %q: %v", at.Artifact.URI, err)
		}
	}
}

// checkJUnit: it is XML of known elements, whose counts are right.
func checkJUnit(t *testing.T, text []byte, r *validators.Result) {
	t.Helper()
	checkShown(t, "JUnit", text)
	count := map[string]int{}
	failed := map[[2]string]bool{}
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("JUnit: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			count[token.Name.Local]++
			if !slices.Contains([]string{"testsuites", "testsuite", "testcase", "failure", "error"}, token.Name.Local) {
				t.Errorf("JUnit: the element %s", token.Name.Local)
			}
			for _, a := range token.Attr {
				if strings.Contains(a.Name.Local, marker) {
					t.Errorf("JUnit: the attribute %s", a.Name.Local)
				}
			}
		case xml.Comment, xml.Directive:
			t.Errorf("JUnit: %v", token)
		}
	}
	for i := range r.Violations {
		v := &r.Violations[i]
		failed[[2]string{v.Stream + "\x00" + v.Spec, v.Rule}] = true
	}
	if count["testsuites"] != 1 || count["failure"] != len(failed) || (count["error"] > 0) != (r.Verdict == validators.Unusable) {
		t.Errorf("JUnit: %v, of %d rules that are broken", count, len(failed))
	}
}
