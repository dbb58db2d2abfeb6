package web

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"tracecheck/monitor/board"
	"tracecheck/trace"
	"tracecheck/validators"
)

// evil is what no page may have unescaped.
const evil = `"'><script>alert(1)</script><img src=x onerror=alert(2)></td></table>`

// names are streams' names that a user may choose.
func names() []string {
	return []string{evil, "", "../../etc/passwd?a=b&c=d#e", "*", "a/b/c", "%2e%2f%zz", "\u202egnp.exe\x00\x1b[31m\xff", strings.Repeat("W", 500), "{{.}} ${x} %s"}
}

// hostile is a monitor whose every text is out to do harm.
func hostile(t testing.TB, now time.Time) *fakeBoard {
	t.Helper()
	b := troubled(t, 20, now)
	o := &b.overview
	o.Source, o.Version = evil, evil
	o.Parts[0].Name, o.Parts[0].Position, o.Parts[0].Unit, o.Parts[0].State, o.Parts[0].Reason = evil, evil, evil, board.Failed, evil+strings.Repeat("x", 500)
	o.Parts[0].Fallback = evil
	o.Parts[1].Name, o.Parts[1].State = strings.Repeat("part", 100), evil
	o.Alerts[0].Name, o.Alerts[0].LastError = evil, evil
	o.Totals.ByRule[0] = board.RuleCount{Spec: evil, Rule: evil, Count: 1}
	for i, name := range names() {
		s := &b.streams[11+i]
		s.Stream.Stream, s.Part, s.Unit, s.Unusable, s.Time, s.Specs = name, evil, evil, evil, evil, []string{evil}
		s.Desired = []validators.StreamState{{Spec: evil, SinceFile: evil, SinceLine: 1, SinceTime: evil}}
		s.Open = 30
		s.Liveness = []validators.Liveness{{Spec: evil, Rule: evil, Status: evil, SinceFile: evil, SinceLine: 1, SinceTime: evil, Open: 30,
			Waiting: []validators.Waiting{{Kind: evil, ID: strings.Repeat("id", 200), Part: evil, Action: evil, SinceFile: evil, SinceLine: 1, SinceTime: evil, Reason: evil}}}}
	}
	v := b.violations[0].Violation
	v.ID, v.Stream, v.Rule, v.Spec, v.Kind, v.Message, v.File = evil, evil, evil, evil, evil, evil+strings.Repeat("m", 500), evil
	v.Time, v.Sequence = evil, []string{evil}
	v.Nearest = []validators.Near{{Action: evil, Actor: evil, Failed: []string{evil}, Values: []string{evil + "!"}, Held: []string{evil}}}
	v.Changes = []validators.Change{{Kind: evil, ID: strings.Repeat("c", 500), Before: []byte(`{"` + strings.Repeat("f", 300) + `":1}`), After: []byte(`{"a":"<script>"}`)}}
	raw := `{"kind":"task","op":"create","id":"<script>alert(3)</script>","actor":"<b>","object":{"service":"</script>","slot":1,"state":"<img src=x>"}}`
	v.Events = []validators.Event{{File: evil, Line: v.Line, Raw: []byte(raw)}}
	b.violations = append(b.violations, board.Violation{Violation: v, Part: evil, Found: now, Timeline: []board.Line{
		{Pos: trace.Pos{File: evil, Line: 1}, Raw: "this is no event"}, {Pos: trace.Pos{File: evil, Line: 2}, Raw: raw}, {Pos: trace.Pos{File: evil, Line: v.Line}, Raw: raw},
	}})
	return b
}

// pagesOf are the addresses of a board's pages, by what they are.
func pagesOf(b *fakeBoard) map[string]string {
	pages := map[string]string{"overview": "", "streams": "streams", "violations": "violations", "nothing": "streams?find=no+such+stream&page=7", "refused": "streams?only=" + url.QueryEscape(evil), "missing": "violation?id=" + url.QueryEscape(evil)}
	if len(b.violations) > 0 {
		pages["violation"] = "violation?id=" + url.QueryEscape(b.violations[len(b.violations)-1].ID)
	}
	for i := range b.streams {
		if s := &b.streams[i]; len(s.Liveness) > 0 {
			pages["stream"] = "stream?name=" + url.QueryEscape(s.Stream.Stream)
			if len(s.Stream.Stream) > 400 {
				pages["long"] = pages["stream"]
			}
		}
	}
	return pages
}
