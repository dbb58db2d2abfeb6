package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/ingest/mapping/ready"
)

// The YAML that docs/map.md shows is that of its examples.
func TestMapShowsItsExamples(t *testing.T) {
	files, err := filepath.Glob("../../testdata/map/*/rules.yaml")
	if err != nil || len(files) != 2 {
		t.Fatalf("rules %v: %v", files, err)
	}
	rules := ""
	for _, name := range ready.Names() {
		text, _ := ready.Text(name)
		rules += text
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rules += string(data)
	}
	text, err := os.ReadFile("../../docs/map.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for i, block := range strings.Split(string(text), "```") {
		if body, ok := strings.CutPrefix(block, "yaml\n"); ok && i%2 == 1 {
			shown++
			if !strings.Contains(rules, body) {
				t.Errorf("this stands in no example:\n%s", body)
			}
		}
	}
	if shown == 0 {
		t.Error("there is none")
	}
}
