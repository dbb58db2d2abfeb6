package tracespec

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestTLC judges the trace specs of testdata/tlc: each file has the modules, T.cfg and the
// log, and before them what TLC says of T, which is what is expected:
//
//	accepted
//	rejected             no path consumes the log
//	violated RULE        an invariant or property; TLC stops at the first, as with AnyPath
//	error                TLC cannot evaluate it, or does not accept the text or the cfg
//	refused              TLC has an answer, but what it takes is not supported here
//
// With "every path" behind it, it is expected without AnyPath, too.
func TestTLC(t *testing.T) {
	files, err := filepath.Glob("testdata/tlc/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range a.Files {
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			first, _, _ := strings.Cut(string(a.Comment), "\n")
			want, every := strings.CutSuffix(first, ", every path")
			for _, any := range []bool{true, false} {
				if got := answer(t, dir, any); got != want && (any || every) {
					t.Errorf("with any path: %v: %s; TLC: %s", any, got, want)
				}
			}
		})
	}
}

func answer(t *testing.T, dir string, any bool) string {
	r, err := Judge(t.Context(), Options{Module: filepath.Join(dir, "T.tla"), AnyPath: any})
	var usage *UsageError
	switch {
	case errors.As(err, &usage) && strings.Contains(err.Error(), "not judged"):
		return "refused"
	case errors.As(err, &usage):
		return "error"
	case err != nil:
		t.Fatal(err)
	case r.Unusable != "":
		return "error"
	case r.Accepted:
		return "accepted"
	case r.Kind == Transition:
		return "rejected"
	}
	return "violated " + r.Rule
}
