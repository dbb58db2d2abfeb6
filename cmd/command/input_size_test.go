package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/internal/console"
	"tracecheck/internal/garbage"
	"tracecheck/specs"
)

// TestLargeInput: memory is prepared for large files and for streams, not for small files.
func TestLargeInput(t *testing.T) {
	const small = "testdata/traces/legal.jsonl"
	half, packed := filepath.Join(t.TempDir(), "half.jsonl"), filepath.Join(t.TempDir(), "half.jsonl.gz")
	for _, name := range []string{half, packed} {
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, garbage.LargeInput/2)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		want bool
	}{
		{"validate " + small, false},
		{"validate " + half, false},
		{"validate " + small + " missing.jsonl", false},
		{"validate " + half + " " + half, true},
		{"validate " + packed, true},
		{"validate -", true},
		{"validate " + os.DevNull, true},
		{"validate --kafka 127.0.0.1:1", true},
		{"monitor --spec none", true},
	} {
		got := "not asked"
		run(t.Context(), console.Environment{
			Specs: specs.All(), Args: strings.Fields("tracecheck " + c.args), Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
			Getenv: func(string) string { return "" }, Collect: func(_, large bool) { got = fmt.Sprint(large) },
		})
		if want := fmt.Sprint(c.want); got != want {
			t.Errorf("%s: large is %s, want %s", c.args, got, want)
		}
	}
}
