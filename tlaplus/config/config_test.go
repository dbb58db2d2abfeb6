package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMaterial reads every model file of the folder that TRACECHECK_TLA names.
func TestMaterial(t *testing.T) {
	dir := os.Getenv("TRACECHECK_TLA")
	if dir == "" {
		t.Skip("needs TRACECHECK_TLA, a folder of TLA+ modules with their model files")
	}
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".cfg") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		if _, err := Parse(path, text); err != nil {
			t.Errorf("%v", err)
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files: %v", n, err)
	}
}
