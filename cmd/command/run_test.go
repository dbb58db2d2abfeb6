package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"tracecheck/internal/console"
	"tracecheck/specs"
)

func tryRun(ctx context.Context, stdin io.Reader, args ...string) (status int, stdout, stderr string) {
	var out bytes.Buffer
	var errs output // also of the processes that the command starts
	status = run(ctx, console.Environment{
		Specs: specs.All(), Args: append([]string{"tracecheck"}, args...), Stdin: stdin, Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" },
	})
	return status, out.String(), errs.String()
}

// An input that fails in the middle is no pass, and what it gave is reported.
func TestInputFails(t *testing.T) {
	legal, err := os.ReadFile("testdata/traces/legal.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	stdin := io.MultiReader(bytes.NewReader(legal), iotest.ErrReader(errors.New("the disk is on fire")))
	status, stdout, stderr := tryRun(t.Context(), stdin, "validate", "-o", "json", "-")
	if status != statusUsage {
		t.Errorf("exit status %d, want %d", status, statusUsage)
	}
	if want := `{"version":1,"verdict":"unusable",`; !strings.HasPrefix(stdout, want) || !strings.Contains(stdout, `"partial":true,"events":11,"steps":9,`) {
		t.Errorf("stdout is %s", stdout)
	}
	if !strings.Contains(stderr, "the disk is on fire") {
		t.Errorf("stderr is %s", stderr)
	}
}

// A run that is interrupted before it begins judges nothing.
func TestInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, stdout, _ := tryRun(ctx, nil, "validate", "testdata/traces/skip.jsonl")
	if status != 3 || !strings.HasPrefix(stdout, "UNUSABLE (PARTIAL)") {
		t.Errorf("exit status %d, stdout %s", status, stdout)
	}
	for _, command := range []string{"explain", "state", "diff", "slice", "shrink", "report", "anonymize"} {
		if status, _, stderr := tryRun(ctx, nil, command, "testdata/traces/skip.jsonl"); status != 2 || stderr != "tracecheck: interrupted before the end\n" {
			t.Errorf("%s: exit status %d, stderr %s", command, status, stderr)
		}
	}
}
