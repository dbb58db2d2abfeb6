package command

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/console"
	"tracecheck/specs"
)

var (
	codeOf = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\\]\\([^)]*\\)|<!--.*?-->") // is no prose
	wordOf = regexp.MustCompile(`[\pL\d]`)
	// private words have another meaning than a reader expects, or none.
	private = regexp.MustCompile(`(?i)\b(told|stands|anew|whoever|homes|wary|aside|what is no event)\b`)
	// sentence ends with a mark, and another begins.
	sentence = regexp.MustCompile(`[.!?:;][*)]* +[*(\[-]*\pL`)
)

// prose returns the sentences of the text, and its words in a row.
func prose(text string) (list []string) {
	text = codeOf.ReplaceAllString(text, "CODE")
	var block []string
	end := func() {
		part := strings.Join(block, " ")
		for {
			at := sentence.FindStringIndex(part)
			if at == nil {
				break
			}
			list, part = append(list, part[:at[0]+1]), part[at[0]+1:]
		}
		list, block = append(list, part), nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, text, ok := strings.Cut(line, "  "); ok && strings.HasPrefix(line, "--") { // a flag
			end()
			line = strings.TrimSpace(text)
		}
		if line == "" || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "#") || regexp.MustCompile(`^\d+\. `).MatchString(line) {
			end()
		}
		if strings.HasPrefix(line, "|") { // each cell
			for cell := range strings.SplitSeq(line, " | ") {
				end()
				block = []string{cell}
			}
			end()
			continue
		}
		block = append(block, line)
	}
	end()
	return list
}

func checkProse(t *testing.T, where, text string, most int) {
	if word := private.FindString(codeOf.ReplaceAllString(text, "")); word != "" {
		t.Errorf("%s has %q: write what it means", where, word)
	}
	for _, s := range prose(text) {
		words := slices.DeleteFunc(strings.Fields(s), func(w string) bool { return !wordOf.MatchString(w) })
		if len(words) > most && !strings.HasPrefix(strings.TrimSpace(s), "Exit status") {
			t.Errorf("%s: a sentence of %d words: %s", where, len(words), s)
		}
	}
}

// What the commands say of themselves is short. CONTRIBUTING.md has the style.
func TestPlainHelp(t *testing.T) {
	for _, name := range commandNames(newApp(console.Environment{Specs: specs.All()})) {
		status, text, stderr := tryRun(t.Context(), nil, "help", name)
		if status != 0 {
			t.Errorf("help %s: exit status %d: %s", name, status, stderr)
		}
		examples := regexp.MustCompile(`(?m)^   \S.*$`)
		checkProse(t, "help "+name, examples.ReplaceAllString(text, ""), 20)
	}
}

// The pages have no sentence of more words than can be read in one go.
func TestPlainPages(t *testing.T) {
	for _, page := range allPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		checkProse(t, page, string(text), 20)
	}
}

// allPages are the files of docs, and those at the top.
func allPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Glob("../../*.md")
	if err != nil || len(pages) < 20 || len(top) < 5 {
		t.Fatalf("%d pages, %d at the top: %v", len(pages), len(top), err)
	}
	return append(pages, top...)
}
