package syntax

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// material returns the folder of TLA+ modules of others that the tests read, which
// TRACECHECK_TLA names.
func material(t testing.TB) string {
	dir := os.Getenv("TRACECHECK_TLA")
	if dir == "" {
		t.Skip("needs TRACECHECK_TLA, a folder of TLA+ modules")
	}
	return dir
}

// TestModules parses every module of the material, prints it and parses it again.
func TestModules(t *testing.T) {
	n := 0
	err := filepath.WalkDir(material(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tla") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		if _, err := Parse(path, text); err != nil {
			t.Errorf("%v", err)
			return nil
		}
		checkRoundTrip(t, string(text))
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d modules: %v", n, err)
	}
	t.Logf("%d modules", n)
}
