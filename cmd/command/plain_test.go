package command

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"tracecheck/internal/console"
	"tracecheck/internal/prose"
	"tracecheck/specs"
)

// What the commands say of themselves is short. CONTRIBUTING.md has the style.
func TestPlainHelp(t *testing.T) {
	for _, name := range commandNames(newApp(console.Environment{Specs: specs.All()})) {
		status, text, stderr := tryRun(t.Context(), nil, "help", name)
		if status != 0 {
			t.Errorf("help %s: exit status %d: %s", name, status, stderr)
		}
		examples := regexp.MustCompile(`(?m)^   \S.*$`)
		prose.Check(t, "help "+name, examples.ReplaceAllString(text, ""))
	}
}

// The pages have no sentence of more words than can be read in one go.
func TestPlainPages(t *testing.T) {
	for _, page := range allPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		prose.Check(t, page, string(text))
	}
}

// allPages are the files of docs, and those at the top.
func allPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Glob("../../*.md")
	if err != nil || len(pages) < 20 || len(top) < 5 {
		t.Fatalf("%d pages, %d at the top: %v", len(pages), len(top), err)
	}
	return append(pages, top...)
}
