package command

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced block of a document, with its first line's number.
type block struct {
	line int
	text []string
}

func blocks(t *testing.T, path string) (list []block) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "```") {
			if inside = !inside; inside {
				list = append(list, block{line: i + 2})
			}
			continue
		}
		if inside {
			b := &list[len(list)-1]
			b.text = append(b.text, line)
		}
	}
	return list
}

// The commands of docs/post-mortem.md print what exists below them: line by line,
// where "…" is any lines, and at a line's end for the rest of it.
func TestPostMortemPrintsThat(t *testing.T) {
	t.Chdir("../..")
	commands, shown := 0, 0
	output, last := "", ""
	for _, b := range blocks(t, "docs/post-mortem.md") {
		if command, ok := strings.CutPrefix(b.text[0], "go run ./cmd/tracecheck "); ok && len(b.text) == 1 {
			commands++
			status, stdout, stderr := tryRun(t.Context(), strings.NewReader(""), strings.Fields(command)...)
			if stderr != "" || status > 1 {
				t.Errorf("line %d: exit status %d, %s", b.line, status, stderr)
			}
			output, last = stdout, command
			continue
		}
		shown++
		prints(t, b, last, output)
	}
	if commands < 5 || shown < 4 {
		t.Errorf("%d commands and %d outputs, want 5 and 4 at least", commands, shown)
	}
}

// prints reports where a command does not print what a block shows.
func prints(t *testing.T, b block, command, output string) {
	t.Helper()
	rest := strings.Split(output, "\n")
	anywhere := false
	for i, want := range b.text {
		if want == "…" {
			anywhere = true
			continue
		}
		start, open := strings.CutSuffix(want, "…")
		fits := func(line string) bool { return line == want || open && strings.HasPrefix(line, start) }
		for anywhere && len(rest) > 0 && !fits(rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 || !fits(rest[0]) {
			t.Errorf("line %d: %s does not print\n%s\nthere, but\n%s", b.line+i, command, want, strings.Join(rest[:min(3, len(rest))], "\n"))
			break
		}
		rest, anywhere = rest[1:], false
	}
}

// The code of docs/library.md, and what it prints, is that of an example that is
// run.
func TestLibraryIsTheExample(t *testing.T) {
	example, err := os.ReadFile("../../validators/tracetest/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	printed := regexp.MustCompile(`(?m)^\t//( |$)`).ReplaceAllString(string(example), "")
	shown := blocks(t, "../../docs/library.md")
	if len(shown) != 2 {
		t.Errorf("%d blocks, want 2", len(shown))
	}
	for _, b := range shown {
		text := strings.Join(b.text, "\n") + "\n"
		if !strings.Contains(string(example), text) && !strings.Contains(printed, text) {
			t.Errorf("line %d: the block is no part of the example", b.line)
		}
	}
}
