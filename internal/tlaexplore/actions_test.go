package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestActions: the numbers of states of small modules, each about one way to write an
// action, or one part of a cfg, which is then beside the module. What TLC says of a module
// follows its end.
func TestActions(t *testing.T) {
	files, err := filepath.Glob("testdata/actions/*.tla")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	cfg := filepath.Join(t.TempDir(), "M.cfg")
	if err := os.WriteFile(cfg, []byte("INIT Init\nNEXT Next\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := string(text[bytes.LastIndex(text, []byte("\n====\n"))+6:])
			got, cfg := "error", cfg
			if own := strings.TrimSuffix(file, ".tla") + ".cfg"; exists(own) {
				cfg = own
			}
			c, err := explore(file, cfg, 1000)
			if err == nil {
				got = fmt.Sprintf("distinct %d, generated %d, depth %d", c.Distinct, c.Generated, c.Depth)
				for _, name := range c.Violated {
					got += ", violates " + name
				}
			}
			if got != strings.TrimSpace(want) {
				t.Errorf("%s (%v), TLC: %s", got, err, want)
			}
		})
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
