package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"tracecheck/postmortem/explain"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
	"tracecheck/validators"
)

// after is a stream after some lines.
func after(t *testing.T, lines ...string) *replay.Stream {
	t.Helper()
	var s replay.Stream
	for i, line := range lines {
		var d trace.Decoder
		var ev trace.Event
		if err := d.Decode([]byte(line), trace.Pos{File: "a\tb", Line: i + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		s.Apply(&ev)
	}
	return &s
}

// What a trace has in its names and values must not steer the reader's terminal,
// nor be wider than it.
func TestReplayedIsClean(t *testing.T) {
	const evil = `"\u001b[2J\u202egnihton\n\u009b1m"`
	lines := []string{
		`{"kind":"task","op":"create","id":` + evil + `,"object":{"state":` + evil + `,` + evil + `:1,"message":"` + strings.Repeat("long ", 99) + `"}}`,
		`{"kind":"task","op":"update","id":` + evil + `,"object":{"state":"x","err":` + evil + `}}`,
		`{"kind":"cluster","op":"create","object":{"complete":true}}`,
	}
	from, to := after(t, lines[0]), after(t, lines...)
	event := validators.Event{File: "a\tb", Line: 1, Raw: json.RawMessage(lines[0])}
	account := explain.Account{
		Stream: "\x1b[2J", First: explain.Place{File: "a\tb", Line: 1}, Last: explain.Place{File: "a\tb", Line: 2},
		Violations: []validators.Violation{{Stream: "\x1b[2J", Spec: "s", Kind: validators.OfTransition, Rule: "Next", File: "a\tb", Line: 1, Message: "\x1b[2J"}},
		Events:     []validators.Event{event}, Total: 2,
		Judged: []explain.Judgement{{Spec: "s", By: []string{"\x1b"}, Parts: []explain.Part{
			{What: "\x1b[2J", Attempts: []validators.Attempt{{Action: "A\x1b", Actor: "b\x1b", Clauses: []validators.Tried{{Text: "\x1b", Values: "\x1b" + strings.Repeat("long", 99)}}}}},
			{What: "\x1b[2J", Whole: true, Attempts: []validators.Attempt{{Action: "A\x1b", Clauses: []validators.Tried{{Text: "\x1b", Holds: true}}}}},
		}, Causes: []explain.Causes{{Action: "A\x1b", States: 1, Guards: []explain.Guard{
			{Clause: "\x1b", Turned: true, Held: "\x1b", Since: "\x1b", Events: []validators.Event{event}, Total: 3},
		}}}}},
		Objects: []explain.History{{Kind: "task", ID: "\x1b[2J", Before: []validators.Event{event}, After: []validators.Event{event}}},
	}
	conforms := account
	conforms.Violations = nil
	opts := TextOptions{Width: 80}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"state": func(b *bytes.Buffer) error { return State(b, []*replay.Stream{to}, nil, opts) },
		"diff": func(b *bytes.Buffer) error {
			return Diff(b, []StateDiff{{From: from, To: to, Changes: replay.Diff(from, to)}, {To: to, Changes: replay.Diff(nil, to)}}, opts)
		},
		"explain": func(b *bytes.Buffer) error { return Explain(b, []explain.Account{account, conforms}, opts) },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if line != clean(line) {
				t.Errorf("%s prints %q", name, line)
			}
			if utf8.RuneCountInString(line) > 80 && strings.Contains(line, "  ") && !strings.Contains(line, "where") {
				t.Errorf("%s prints a line of %d columns: %q", name, utf8.RuneCountInString(line), line)
			}
		}
	}
}

// The table has the columns that some object has, in a set order, and a dash for
// what an object lacks.
func TestStateTable(t *testing.T) {
	s := after(t,
		`{"seq":4,"kind":"task","op":"create","id":"t2","object":{"state":"new","service":"web","rack":7}}`,
		`{"seq":5,"time":"2026-11-20T10:00:00Z","kind":"task","op":"create","id":"t1","object":{"slot":"global","state":"a b","node":null}}`,
		`{"seq":6,"kind":"cluster","op":"create","object":{"complete":true,"request":""}}`)
	var out bytes.Buffer
	if err := State(&out, []*replay.Stream{s}, nil, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	want := `The default stream after a b:3, seq 6, 2026-11-20T10:00:00Z

  2 tasks
    id  since   service  slot    state
    t1  line 2  -        global  a b
    t2  line 1  web      -       new

  1 cluster
    id  since   request  complete
    -   line 3  ""       true
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// A full disk must not pass for a printed state.
func TestReplayedWriteFails(t *testing.T) {
	full := fullDisk{}
	for name, err := range map[string]error{
		"state":   State(full, nil, nil, TextOptions{}),
		"diff":    Diff(full, nil, TextOptions{}),
		"json":    DiffJSON(full, nil),
		"explain": Explain(full, []explain.Account{{}}, TextOptions{}),
		"ejson":   ExplainJSON(full, nil),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
