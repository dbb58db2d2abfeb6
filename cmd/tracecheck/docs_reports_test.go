package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The examples of these texts are run as they stand. A block of code that begins
// with "$ tracecheck" has commands, each with lines of its output, in order: "…"
// stands for any number of others, and "$ echo $?" shows the exit status.
func TestDocumentedExamples(t *testing.T) {
	texts := map[string]string{}
	for _, name := range []string{"coverage.md", "reports.md"} {
		text, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join(root, "testdata"), "testdata"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for name, text := range texts {
		examples := 0
		for i, block := range strings.Split(text, "```") {
			if lead, body, _ := strings.Cut(block, "\n"); i%2 == 1 && lead == "" && strings.HasPrefix(body, "$ tracecheck ") {
				examples++
				runExample(t, name, body)
			}
		}
		if examples == 0 {
			t.Errorf("%s has no example", name)
		}
	}
}

func runExample(t *testing.T, name, body string) {
	t.Helper()
	status := 0
	for _, part := range strings.Split("\n"+strings.TrimSpace(body), "\n$ ")[1:] {
		command, output, _ := strings.Cut(part, "\n")
		got := ""
		switch args := strings.Fields(command); {
		case command == "echo $?":
			got = strconv.Itoa(status) + "\n"
		case args[0] == "tracecheck":
			var stdin io.Reader = strings.NewReader("")
			if n := len(args); n > 2 && args[n-2] == "<" {
				data, err := os.ReadFile(args[n-1])
				if err != nil {
					t.Fatal(err)
				}
				stdin, args = bytes.NewReader(data), args[:n-2]
			}
			var stderr string
			if status, got, stderr = tryRun(t.Context(), stdin, args[1:]...); stderr != "" {
				t.Errorf("%s: $ %s\nsays on stderr %s", name, command, stderr)
			}
		default:
			t.Fatalf("%s: what is %q?", name, command)
		}
		if miss := notAsDocumented(output, got); miss != "" {
			t.Errorf("%s: $ %s\nhas no line %q where the text has it:\n%s", name, command, miss, got)
		}
	}
}

// notAsDocumented is the first line that the output does not have in its place,
// "" if it is as documented.
func notAsDocumented(documented, got string) string {
	lines := strings.Split(strings.TrimRight(got, "\n"), "\n")
	any := false
	for _, want := range strings.Split(documented, "\n") {
		if want == "…" {
			any = true
			continue
		}
		for any && len(lines) > 0 && lines[0] != want {
			lines = lines[1:]
		}
		if len(lines) == 0 || lines[0] != want {
			return want
		}
		lines, any = lines[1:], false
	}
	if len(lines) > 0 && !any {
		return "(the end)"
	}
	return ""
}
