package command

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracecheck/internal/pages"
)

// The examples of these texts are run as they are. A block of code that begins
// with "$ tracecheck" has commands, each with what it prints: "…" is any
// lines, and "$ echo $?" shows the exit status.
func TestDocumentedExamples(t *testing.T) {
	var texts []string
	for _, name := range []string{"map.md", "coverage.md", "reports.md"} {
		text, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, name, string(text))
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // some write files
	if err := os.Symlink(filepath.Join(root, "testdata"), "testdata"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for pair := range slices.Chunk(texts, 2) {
		name, examples := pair[0], 0
		for i, block := range strings.Split(pair[1], "```") {
			if _, body, _ := strings.Cut(block, "\n"); i%2 == 1 && strings.HasPrefix(body, "$ tracecheck ") {
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
		got := strconv.Itoa(status)
		if command != "echo $?" {
			status, got = pipeline(t, command)
		}
		if miss := pages.Miss(output, got); miss != "" {
			t.Errorf("%s: $ %s\nhas no line %q where the text has it:\n%s", name, command, miss, got)
		}
	}
}

// pipeline runs commands joined by |, and returns what a terminal shows: the
// last one's output, and what it states beside that. The first may read a file
// by <.
func pipeline(t *testing.T, line string) (status int, shown string) {
	t.Helper()
	out, errs := "", ""
	for _, command := range strings.Split(line, " | ") {
		words := strings.Fields(command)
		if words[0] != "tracecheck" {
			t.Fatalf("%s: no command of this program", command)
		}
		if n := len(words); n > 2 && words[n-2] == "<" {
			data, err := os.ReadFile(words[n-1])
			if err != nil {
				t.Fatal(err)
			}
			out, words = string(data), words[:n-2]
		}
		status, out, errs = tryRun(t.Context(), strings.NewReader(out), words[1:]...)
	}
	return status, out + errs
}
