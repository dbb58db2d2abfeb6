package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/ingest/input"
	"tracecheck/specs"
	"tracecheck/validators"
)

// longTrace has a violation in its middle: a service is removed that was created just
// before. Its other lines conform.
func longTrace(lines int) []byte {
	var b bytes.Buffer
	line := func(n int, op, id, object string) {
		fmt.Fprintf(&b, `{"stream":"s%d","seq":%d,"kind":"service","op":%q,"id":%q,"object":%s}`+"\n", n%2, n/2, op, id, object)
	}
	for n := range lines {
		switch {
		case n == lines/2:
			line(n, "create", "bad", `{"name":"bad","replicas":1,"remove":false}`)
		case n == lines/2+2:
			fmt.Fprintf(&b, `{"stream":"s%d","seq":%d,"kind":"service","op":"delete","id":"bad"}`+"\n", n%2, n/2)
		default:
			line(n, "create", fmt.Sprint("w", n), `{"name":"x","replicas":0,"remove":false}`)
		}
	}
	return b.Bytes()
}

// judged judges the input with so much memory for its lines.
func judgedWith(t *testing.T, stdin []byte, file string, keep int) (*judging, *validators.Result) {
	runner, err := validators.NewRunner(validators.Options{Specs: specs.All()})
	if err != nil {
		t.Fatal(err)
	}
	in := &input.Input{Names: []string{file}, Limits: ingest.Options{Stdin: bytes.NewReader(stdin)}, Log: zap.NewNop()}
	j := &judging{in: in, runner: runner, keep: true, keepBytes: keep}
	result, _, err := j.judge(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return j, result
}

// A violation of the last step, which nothing ends but the trace, has its past.
func TestPastOfTheLastStep(t *testing.T) {
	text := `{"tx":1,"kind":"service","op":"create","id":"bad","object":{"replicas":1,"remove":false}}
{"tx":2,"kind":"service","op":"delete","id":"bad"}
{"tx":2,"kind":"service","op":"create","id":"good","object":{"replicas":0,"remove":false}}
`
	j, result := judgedWith(t, []byte(text), "-", 4<<20)
	if why := j.history(t.Context(), result.Violations); why != "" || len(result.Violations) != 1 {
		t.Fatalf("%d violations; %s", len(result.Violations), why)
	}
	if got := result.Violations[0].History; len(got) != 1 || got[0].Line != 1 {
		t.Errorf("the history is %+v, want line 1", got)
	}
}

// What came before a violation is the same from standard input as from a file, also
// where most of the input is forgotten, and it states how far it reaches.
func TestPastOfStandardInput(t *testing.T) {
	for _, lines := range []int{40, 60_000} {
		text := longTrace(lines)
		file := filepath.Join(t.TempDir(), "long.jsonl")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		j, fromFile := judgedWith(t, nil, file, 4<<20)
		if why := j.history(t.Context(), fromFile.Violations); why != "" {
			t.Errorf("%d lines of a file: %s", lines, why)
		}
		j, fromStdin := judgedWith(t, text, "-", 4<<20)
		why := j.history(t.Context(), fromStdin.Violations)
		if _, whole := j.kept.Reach(); whole != (lines < 1000) || whole != (why == "") {
			t.Errorf("%d lines: all are kept: %v; it states %q", lines, whole, why)
		}
		if len(fromFile.Violations) != 1 || len(fromStdin.Violations) != 1 {
			t.Fatalf("%d lines: %d and %d violations", lines, len(fromFile.Violations), len(fromStdin.Violations))
		}
		a, b := fromFile.Violations[0].History, fromStdin.Violations[0].History
		if len(a) != 1 || len(b) != 1 || a[0].Line != lines/2+1 || b[0].Line != a[0].Line || string(a[0].Raw) != string(b[0].Raw) || !strings.Contains(string(a[0].Raw), `"create"`) {
			t.Errorf("%d lines: the file has the history %+v, standard input %+v", lines, a, b)
		}
	}
}

// Commands that go through the trace more than once take standard input as they take a
// file, as long as its lines can be kept.
func TestRepeatedStandardInput(t *testing.T) {
	const file = "../../testdata/traces/scale.jsonl"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"explain", "explain --line 40", "explain --output json --keep-going", "slice --profile spec", "shrink --profile spec", "state --at 40", "coverage", "anonymize",
		"converge --service api", "export itf --spec swarmkit"} {
		status, want, _ := tryRun(t.Context(), nil, append(strings.Fields(args), file)...)
		again, got, stderr := tryRun(t.Context(), bytes.NewReader(text), append(strings.Fields(args), "-")...)
		if name := strings.ReplaceAll(want, file, "-"); status == 2 || again != status || got != name {
			t.Errorf("%s: exit status %d, of standard input %d, which shows\n%s\n%s\nwant\n%s", args, status, again, got, stderr, name)
		}
	}
}
