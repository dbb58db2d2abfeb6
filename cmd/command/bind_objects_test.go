package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The commands for after the fact work with a bind file about traces.
func TestObjectsAfterTheFact(t *testing.T) {
	t.Chdir("../..")
	const bind, log = "testdata/tracespecs/lock-requests.yaml", "testdata/tracespecs/lock-requests.jsonl"
	for _, c := range []struct {
		command string
		status  int
		want    []string
	}{
		{"state --at 4", 0, []string{"3 requests", "carl", "processing"}},
		{"diff --from 2 --to 4", 0, []string{"request bert  created at line 4", `status  "waiting"  ->  "processing"`}},
		{"coverage", 0, []string{"2  Ask", "1  Acquire", "1  Release"}},
		{"explain", 1, []string{log + ":6", "Acquire", "holder' = c"}},
		{"report", 1, []string{"# Violation of `Lock`: `Next`", log + ":6", "Acquire"}},
	} {
		status, stdout, stderr := tryRun(t.Context(), strings.NewReader(""), append(strings.Fields(c.command), "--bind", bind, log)...)
		for _, want := range c.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s does not print %q:\n%s", c.command, want, stdout)
			}
		}
		if status != c.status {
			t.Errorf("%s: exit status %d, want %d; %s", c.command, status, c.status, stderr)
		}
	}
	for command, lines := range map[string]int{"slice": 7, "shrink": 3} { // with the meta line
		_, short, stderr := tryRun(t.Context(), strings.NewReader(""), command, "--bind", bind, log)
		if n := strings.Count(short, "\n"); n != lines {
			t.Errorf("%s: %d lines, want %d: %s\n%s", command, n, lines, stderr, short)
		}
		file := filepath.Join(t.TempDir(), command+".jsonl")
		if err := os.WriteFile(file, []byte(short), 0o600); err != nil {
			t.Fatal(err)
		}
		status, stdout, _ := tryRun(t.Context(), strings.NewReader(""), "validate", "--bind", bind, file)
		if status != 1 || !strings.Contains(stdout, "[transition Next]") {
			t.Errorf("what %s makes: exit status %d, want the same violation\n%s", command, status, stdout)
		}
	}
}
