package syntax

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what the cases in testdata expect")

// divider is between a case's text and what is expected of it.
const divider = "\n%%%%\n"

// TestCases parses each text of testdata/cases and compares its tree, or its errors,
// with what follows the divider. A text without "MODULE" is an expression.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, want, _ := strings.Cut(string(data), divider)
			got := outcome(text)
			if *update {
				if err := os.WriteFile(file, []byte(text+divider+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("%s\nis\n%s\nexpected\n%s", text, got, want)
			}
		})
	}
}

// outcome is the tree of a text, or its errors.
func outcome(text string) string {
	var n any
	var err error
	if strings.Contains(text, "MODULE") {
		n, err = Parse("M.tla", []byte(text))
	} else {
		n, err = ParseExpr("M.tla", []byte(text))
	}
	if err != nil {
		return err.Error() + "\n"
	}
	return dump(n) + "\n"
}
