package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scriptLines are the lines of the scripts whose names match.
func scriptLines(t *testing.T, pattern string) []string {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join("testdata/script", pattern))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, script := range scripts {
		data, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(string(data), "\n")...)
	}
	return lines
}

// The commands of docs/share.md and docs/tla.md are those of scripts, which hold
// them to what the text states, and the lines that these documents show stand in
// what the scripts compare with.
func TestDocumentsAreScripts(t *testing.T) {
	run := scriptLines(t, "*.txtar")
	for path, least := range map[string]int{"../../docs/share.md": 4, "../../docs/tla.md": 4} {
		commands := 0
		for _, b := range blocks(t, path) {
			for i, line := range b.text {
				is := func(l string) bool { return l == line }
				if strings.HasPrefix(line, "tracecheck ") {
					commands++
					is = func(l string) bool { return strings.HasPrefix(l, "status ") && strings.HasSuffix(l, " "+line) }
				} else if strings.HasPrefix(line, "java ") {
					continue // what export prints, as a script states
				}
				if !slices.ContainsFunc(run, is) {
					t.Errorf("%s:%d: no script has %s", path, b.line+i, line)
				}
			}
		}
		if commands < least {
			t.Errorf("%s has %d commands, want %d", path, commands, least)
		}
	}
}
