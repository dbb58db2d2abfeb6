package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"tracecheck/postmortem/coverage"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Every result can be written, states its verdict and its violations, and loads
// nothing.
func TestHTML(t *testing.T) {
	outside := regexp.MustCompile(`(?i)(src|href)\s*=\s*["']?\s*(https?:)?//|url\(\s*["']?https?:|@import`)
	for name, d := range documents() {
		text := string(written(t, HTML, d))
		if !strings.Contains(text, strings.ToUpper(string(d.Result.Verdict))) {
			t.Errorf("%s: no verdict", name)
		}
		if n, want := strings.Count(text, `<section class="violation"`), min(len(bySteps(d.Result.Violations)), fullyShown); n != want {
			t.Errorf("%s: %d violations shown, want %d", name, n, want)
		}
		if strings.Contains(text, "ZgotmplZ") || strings.Contains(text, "<no value>") || !strings.HasSuffix(text, "</html>\n") {
			t.Errorf("%s: the page is not whole", name)
		}
		if found := outside.FindString(text); found != "" {
			t.Errorf("%s: the page refers to the outside: %s", name, found)
		}
	}
}

// script must not be in a page unescaped.
const script = `<script>alert(1)</script>`

// dangerous is a document in which everything that a trace can name is a script.
func dangerous(t *testing.T) *Document {
	t.Helper()
	quoted, _ := json.Marshal(script + `"'</style><!--` + "\u2028")
	raw := json.RawMessage(fmt.Sprintf(`{"stream":%[1]s,"kind":"task","op":"update","id":%[1]s,"actor":%[1]s,"action":%[1]s,"object":{"state":%[1]s,"service":%[1]s}}`, quoted))
	event := validators.Event{File: script, Line: 2, Raw: raw}
	d := &Document{Notes: []string{script}, Version: script, Result: &validators.Result{
		Verdict: validators.Violated, Reason: script, Specs: []string{script},
		Violations: []validators.Violation{{
			Stream: script, Spec: script, Kind: script, Rule: script, File: script, Line: 2, FirstLine: 2, LastLine: 2, Message: script, Time: script,
			Nearest:  []validators.Near{{Action: script, Actor: script, Failed: []string{script}, Values: []string{script + "!"}, Held: []string{script}}},
			Changes:  []validators.Change{{Kind: script, ID: script, Before: raw, After: json.RawMessage(fmt.Sprintf(`{%s:%s}`, quoted, quoted))}},
			Events:   []validators.Event{event},
			Sequence: []string{script}, History: []validators.Event{event},
		}},
		Desired:    []validators.StreamState{{Stream: script, Spec: script, SinceFile: script, SinceTime: script}},
		Liveness:   []validators.Liveness{{Stream: script, Spec: script, Rule: script, Status: validators.AtRisk, SinceFile: script, SinceLine: 1, Open: 2, Waiting: []validators.Waiting{{Kind: script, ID: script, Part: script, Action: script, Reason: script}, {Action: script, Reason: script}}}},
		Allowances: []validators.Use{{Spec: script, Name: script, Count: 1}},
		Coverage:   []validators.Coverage{{Spec: script, Actions: []validators.ActionCount{{Action: script, Count: 1}}, Clauses: []validators.ClauseCount{{ActionClause: validators.ActionClause{Action: script, Clause: script}}}}},
	}}
	d.Timeline = NewTimeline(d)
	var decoder trace.Decoder
	var ev trace.Event
	if err := decoder.Decode(raw, trace.Pos{File: script, Line: 2}, &ev); err != nil {
		t.Fatal(err)
	}
	d.Timeline.Add(&ev)
	return d
}

// What a trace states is text: none of it becomes an element, an attribute or a
// part of a script.
func TestHTMLEscapes(t *testing.T) {
	d := dangerous(t)
	if d.Timeline.data(d.Result) == nil {
		t.Fatal("there is no timeline")
	}
	pages := map[string][]byte{"result": written(t, HTML, d)}
	var b bytes.Buffer
	r := &coverage.Report{Against: &coverage.Change{File: script, Gained: []coverage.Changed{{Spec: script, Item: coverage.Item{Name: script}}}}}
	r.Add(script, d.Result)
	if err := CoverageHTML(&b, r); err != nil {
		t.Fatal(err)
	}
	pages["coverage"] = b.Bytes()
	own := map[string]int{"result": 2, "coverage": 0} // the timeline's data and its script
	for name, page := range pages {
		if bytes.Contains(page, []byte(script)) || bytes.Contains(page, []byte("</style><!--")) || bytes.Contains(page, []byte("\u2028")) {
			t.Errorf("%s: the page has a trace's text unescaped", name)
		}
		if n := bytes.Count(bytes.ToLower(page), []byte("<script")); n != own[name] {
			t.Errorf("%s: %d scripts, want %d", name, n, own[name])
		}
	}
}

func TestCoverageReport(t *testing.T) {
	r := &coverage.Report{}
	r.Add("a.jsonl", &validators.Result{Verdict: validators.Conforming, Steps: 40, Coverage: []validators.Coverage{{
		Spec:        "tiny",
		Actions:     []validators.ActionCount{{Action: "Grow", Count: 1234}, {Action: "Shrink"}},
		Transitions: []validators.TransitionCount{{Transition: validators.Transition{By: "user", From: "null", To: "new"}, Count: 3}},
		Clauses:     []validators.ClauseCount{{ActionClause: validators.ActionClause{Action: "Grow", Clause: "x < 3"}, Count: 1}, {ActionClause: validators.ActionClause{Action: "Grow", Clause: "x' = x + 1"}}},
		Branches:    []validators.BranchCount{{RuleBranch: validators.RuleBranch{Rule: "Inv", Branch: "x = 3"}}},
	}}})
	r.Add("b.jsonl", &validators.Result{Verdict: validators.Unusable, Reason: "b.jsonl:3: gap", Steps: 2})
	r.Check(coverage.Minimum{coverage.Actions: 80})
	r.Against = &coverage.Change{File: "old.json", Gained: []coverage.Changed{{Spec: "tiny", Item: coverage.Item{Measure: coverage.Clauses, Of: "Grow", Name: "x < 3"}}}}
	golden(t, "coverage", func(w io.Writer) error { return Coverage(w, r, TextOptions{}) })
	golden(t, "coverage_json", func(w io.Writer) error { return CoverageJSON(w, r) })
	var b bytes.Buffer
	if err := CoverageHTML(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tiny actions: 1 of 2 is 50 %, and --min requires 80 %", "b.jsonl:3: gap", "1,234", "never", "Newly exercised", "width:50.00%"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
