package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocs runs the commands that docs/map.md shows, and compares what they print;
// a line … stands for any lines. Its YAML is that of the examples.
func TestDocs(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("docs/map.md")
	if err != nil {
		t.Fatal(err)
	}
	rules := ""
	files, err := filepath.Glob("testdata/map/*/rules.yaml")
	if err != nil || len(files) != 2 {
		t.Fatalf("rules %v: %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rules += string(data)
	}
	ran := 0
	for _, block := range regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		switch language, body := block[1], block[2]; language {
		case "yaml":
			if !strings.Contains(rules, body) {
				t.Errorf("this stands in no example:\n%s", body)
			}
		case "console":
			for _, shown := range strings.Split("\n"+body, "\n$ ")[1:] {
				command, want, _ := strings.Cut(shown, "\n")
				if got := pipeline(t, command); !matches(got, strings.TrimSuffix(want, "\n")) {
					t.Errorf("$ %s\ngot\n%s\nwant\n%s", command, got, want)
				}
				ran++
			}
		}
	}
	if ran < 6 {
		t.Errorf("only %d commands were run", ran)
	}
}

// pipeline runs commands joined by |, and returns what a terminal shows: the
// last one's output, and what it says beside that.
func pipeline(t *testing.T, line string) string {
	out, errs := "", ""
	for _, command := range strings.Split(line, " | ") {
		words := strings.Fields(command)
		if words[0] != "tracecheck" {
			t.Fatalf("%s: no command of this program", command)
		}
		_, out, errs = tryRun(t.Context(), strings.NewReader(out), words[1:]...)
	}
	return out + errs
}

func matches(got, want string) bool {
	parts := strings.Split("\n"+want+"\n", "\n…\n")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, `\n(.*\n)?`) + `$`).MatchString("\n" + strings.TrimSuffix(got, "\n") + "\n")
}
