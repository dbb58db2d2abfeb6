package twophase

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"tracecheck/internal/pages"
)

// The code of docs/writing-a-spec.md is that of this folder, and its commands print
// what is below them.
func TestDocumented(t *testing.T) {
	sources := map[string]string{}
	for language, files := range map[string][]string{
		"go":   {"twophase.go", "twophase_test.go", "cmd/twophase/main.go"},
		"tla":  {"TwoPhase.tla"},
		"json": {"testdata/commit.jsonl", "testdata/early.jsonl"},
	} {
		for _, name := range files {
			sources[language] += read(t, name)
		}
	}
	blocks := 0
	for i, block := range strings.Split(read(t, "../../docs/writing-a-spec.md"), "```") {
		if i%2 == 0 {
			continue
		}
		blocks++
		language, text, _ := strings.Cut(block, "\n")
		if language == "console" {
			runAll(t, text)
		} else if !strings.Contains(sources[language], text) {
			t.Errorf("this is nowhere in the example:\n%s", text)
		}
	}
	if blocks < 10 {
		t.Errorf("the page has %d blocks", blocks)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func runAll(t *testing.T, text string) {
	t.Helper()
	for _, part := range strings.Split("\n"+strings.TrimSpace(text), "\n$ ")[1:] {
		command, output, _ := strings.Cut(part, "\n")
		words := strings.Fields(command)
		got, _ := exec.Command(words[0], words[1:]...).CombinedOutput() // a violation is no failure here
		if miss := pages.Miss(output, string(got)); miss != "" {
			t.Errorf("$ %s\nhas no line %q where the page has it:\n%s", command, miss, got)
		}
	}
}
