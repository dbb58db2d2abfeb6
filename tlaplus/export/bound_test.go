package export

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/ingest"
	"tracecheck/tlaplus/bind"
	"tracecheck/trace"
)

// The lock's module with lines that do not name their actions: what a line says decides
// which path it was.
const unnamed = `module: %s
constants: {Clients: '{"anna", "bert"}'}
observe:
  holder: e.holder
  'Len(queue)': e.waiting
`

func exportBound(t *testing.T, log string) (string, int) {
	t.Helper()
	module, err := filepath.Abs("../../testdata/tracespecs/Lock.tla")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "bind.yaml")
	if err := os.WriteFile(file, []byte(strings.Replace(unnamed, "%s", module, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := bind.Load(file, bind.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	behaviour, first, err := ExportBound(context.Background(), func(ctx context.Context, do func([]trace.Event) error) error {
		r, err := ingest.Open([]string{name}, ingest.Options{Lines: func() ingest.LineDecoder { return b.Decoder() }})
		if err != nil {
			return err
		}
		defer r.Close()
		block, err := r.Next(ctx)
		if err != nil {
			return err
		}
		defer block.Release()
		return do(block.Events)
	}, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := behaviour.WriteITF(&out); err != nil {
		t.Fatal(err)
	}
	line := 0
	if first != nil {
		line = first.Line
	}
	return strings.ReplaceAll(out.String(), name, "log"), line
}

func TestBoundPath(t *testing.T) {
	got, first := exportBound(t, `{"waiting":1}`+"\n"+`{"waiting":2}`+"\n"+`{"holder":"bert"}`+"\n"+`{"holder":"free"}`+"\n")
	if first != 0 {
		t.Errorf("line %d breaks a rule", first)
	}
	const want = `"vars":["holder","queue"],
"states":[
{"#meta":{"index":0},"holder":"free","queue":[]},
{"#meta":{"index":1,"file":"log","line":1,"action":"Ask"},"holder":"free","queue":["bert"]},
{"#meta":{"index":2,"file":"log","line":2,"action":"Ask"},"holder":"free","queue":["bert","anna"]},
{"#meta":{"index":3,"file":"log","line":3,"action":"Acquire"},"holder":"bert","queue":["anna"]},
{"#meta":{"index":4,"file":"log","line":4,"action":"Release"},"holder":"free","queue":["anna"]}
]}
`
	if !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s", got)
	}
}

// After a violation, the states begin with what its line gives.
func TestBoundViolation(t *testing.T) {
	got, first := exportBound(t, `{"holder":"bert"}`+"\n"+`{"holder":"free"}`+"\n")
	if first != 1 {
		t.Errorf("line %d breaks a rule, want 1", first)
	}
	for _, want := range []string{
		`{"#meta":{"index":1,"file":"log","line":1},"holder":"bert","queue":[]},`,
		`{"#meta":{"index":2,"file":"log","line":2,"action":"Release"},"holder":"free","queue":[]}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
}
