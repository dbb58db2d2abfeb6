package incident

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// gathered reads a trace, and counts how often.
func gathered(t *testing.T, text string, o Options) (*Incident, int) {
	t.Helper()
	readings := 0
	o.Judge.Specs, o.Files = specs.All(), "t"
	in, err := Gather(t.Context(), func(_ context.Context, do func([]trace.Event) error) error {
		readings++
		n := 0
		for line := range strings.Lines(strings.TrimSpace(text)) {
			n++
			var d trace.Decoder
			events := make([]trace.Event, 1)
			if err := d.Decode([]byte(strings.TrimSpace(line)), trace.Pos{File: "t", Line: n}, &events[0]); err != nil {
				return err
			}
			if err := do(events); err != nil {
				return err
			}
		}
		return nil
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	return in, readings
}

const deleted = `
{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}
{"kind":"service","op":"delete","id":"web"}
{"kind":"service","op":"create","id":"db","object":{"replicas":1,"remove":false}}
{"kind":"service","op":"delete","id":"db"}`

// The trace is read to judge it, to find the step, to find its causes, and for the slice. The
// minimal trace is made of the slice.
func TestReadsFewTimes(t *testing.T) {
	in, readings := gathered(t, deleted, Options{})
	if readings != 4 || !in.Violated() || in.slice == nil || in.shrunk == nil {
		t.Errorf("%d readings, %+v", readings, in)
	}
	if in, readings := gathered(t, deleted[:strings.Index(deleted, "\n{\"kind\":\"service\",\"op\":\"delete")], Options{}); readings != 1 || in.Violated() {
		t.Errorf("of a trace that conforms: %d readings, %+v", readings, in)
	}
}

// With --line, the document is about that step.
func TestLine(t *testing.T) {
	in, _ := gathered(t, deleted, Options{Line: trace.Pos{File: "t", Line: 4}, Judge: validators.Options{KeepGoing: true}})
	text := in.Markdown("", "")
	for _, want := range []string{"service db is deleted", "--line 4", "--around 4", "- **Other violations of the trace:** `1`\n  - `t:2 transition Next`"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Whatever the names of the trace are: a fence ends where it should, and there is no HTML
// beside that of folds.
func TestHostileNames(t *testing.T) {
	in, _ := gathered(t, strings.ReplaceAll(deleted, "web", "</details><script>```@x\\u202e|"), Options{})
	text := in.Markdown("", "")
	fence := ""
	for _, line := range strings.Split(text, "\n") {
		switch ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]; {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && line == fence:
			fence = ""
		case fence == "" && strings.Contains(line, "<") && !strings.HasPrefix(line, "<details><summary>") && line != "</details>":
			t.Errorf("HTML in %q", line)
		}
	}
	if fence != "" || strings.ContainsRune(text, '\u202e') {
		t.Errorf("an open fence %q, or a control character in\n%s", fence, text)
	}
}

// What is longer than a screen is not in the document: a command makes it.
func TestLongTracesAreCommands(t *testing.T) {
	in, _ := gathered(t, deleted, Options{})
	for range mostLinesInline {
		in.shrunk.Lines = append(in.shrunk.Lines, "{}")
	}
	if text := in.Markdown("", ""); !strings.Contains(text, "It has 4") || !strings.Contains(text, "```sh\ntracecheck shrink -o shrunk.jsonl t\n```") {
		t.Errorf("no command for the minimal trace in\n%s", text)
	}
	in.shrunk, in.noShrunk = nil, "because"
	if text := in.Markdown("", ""); !strings.Contains(text, "There is none: because.") {
		t.Errorf("no reason in\n%s", text)
	}
}

func TestWriteToStdout(t *testing.T) {
	in, _ := gathered(t, deleted, Options{})
	var b bytes.Buffer
	if err := in.Write(&b, "-"); err != nil || b.String() != in.Markdown("", "") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
