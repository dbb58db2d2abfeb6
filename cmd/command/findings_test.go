package command

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Each command of docs/findings.md is one of a script of its own, which holds it
// to what the text states of it.
func TestFindingsAreScripts(t *testing.T) {
	text, err := os.ReadFile("../../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	run := scriptLines(t, "findings_*.txtar")
	commands := 0
	for line := range strings.Lines(string(text)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "go run ./cmd/")
		if !ok {
			continue
		}
		commands++
		if !slices.ContainsFunc(run, func(l string) bool { return strings.HasPrefix(l, "status ") && strings.HasSuffix(l, " "+command) }) {
			t.Errorf("no script runs %s", command)
		}
	}
	if commands < 9 {
		t.Errorf("docs/findings.md has %d commands, want one for each of nine faults", commands)
	}
}
