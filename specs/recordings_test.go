package specs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// recordings lists the recordings of real swarms in the folder.
func recordings(t *testing.T, dir string) []string {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"*.jsonl", "*.jsonl.gz"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return filepath.Base(p) == "mixed.jsonl" })
	if len(paths) == 0 {
		t.Fatalf("no recordings in %s", dir)
	}
	return paths
}

// Recordings of healthy swarms conform, step by step and by both specs. jobbug
// shows a fault of the engine: its enforcer rejects job tasks that are complete.
func TestRecordings(t *testing.T) {
	for _, path := range recordings(t, "../testdata/traces") {
		name := filepath.Base(path)
		result := judgeLines(t, readLines(t, validatorstest.ReadTrace(t, path)))
		if strings.HasPrefix(name, "jobbug") {
			if len(result.Violations) != 1 || result.Violations[0].Line != 31 || result.Violations[0].Kind != validators.OfTransition {
				t.Errorf("%s: got %+v, want a transition at line 31 alone", name, result.Violations)
			}
			continue
		}
		if result.Verdict != validators.Conforming {
			t.Errorf("%s: %s %s %+v", name, result.Verdict, result.Reason, result.Violations)
		}
		if !slices.Equal(result.Specs, []string{"swarmkit", "portallocator"}) && !slices.Equal(result.Specs, []string{"swarmkit"}) {
			t.Errorf("%s: judged by %v", name, result.Specs)
		}
		if len(result.Allowances) == 0 {
			t.Errorf("%s: no allowance was needed", name)
		}
	}
}

// A run that is attached in the middle of a recording has no false alarm either.
func TestRecordingsAttached(t *testing.T) {
	for _, path := range recordings(t, "../testdata/traces") {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "jobbug") {
			continue
		}
		lines := readLines(t, validatorstest.ReadTrace(t, path))
		for _, part := range []int{2, 3, 4} {
			from := len(lines) / part
			for from < len(lines) && lines[from].Tx != nil && lines[from].Tx == lines[from-1].Tx {
				from++
			}
			rest := slices.Concat(lines[:1], lines[from:])
			if result := judgeWith(t, rest, validators.Options{Attach: true}); result.Verdict != validators.Conforming {
				t.Errorf("%s from line %d: %s %s %+v", name, from+1, result.Verdict, result.Reason, result.Violations)
			}
		}
	}
}
