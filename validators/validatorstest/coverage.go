package validatorstest

import (
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/validators"
)

// Case is a case file, and what a run of it as it stands has found.
type Case struct {
	Name       string
	Batched    bool
	By         []string // the actions that its expectations name
	Violations []validators.Violation
}

// JudgeCases judges every *.txt file of the folder, without variations: for
// tests that ask what the cases reach, taken together.
func JudgeCases(t *testing.T, specs []*validators.Spec, dir string) []Case {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	var cases []Case
	for _, path := range paths {
		read := readCase(t, path)
		c := Case{
			Name:       strings.TrimSuffix(filepath.Base(path), ".txt"),
			Batched:    strings.Contains(read.lines[0].text, "batched"),
			Violations: read.judge(t, specs, read.lines).result.Violations,
		}
		for _, l := range read.lines {
			if l.by != "" && l.by != "nothing" {
				c.By = append(c.By, strings.Split(l.by, ", ")...)
			}
		}
		cases = append(cases, c)
	}
	return cases
}
