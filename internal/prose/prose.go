// Package prose holds texts to the style of CONTRIBUTING.md: short sentences, and words in
// their usual meaning. Only tests use it.
package prose

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Most is how many words a sentence has at most.
const Most = 20

var (
	codeOf = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\\]\\([^)]*\\)|<!--.*?-->") // is not prose
	wordOf = regexp.MustCompile(`[\pL\d]`)
	// private words have another meaning than a reader expects, or none.
	private = regexp.MustCompile(`(?i)\b(told|stands|anew|afresh|whoever|homes|wary|aside|in vain|what is no event)\b`)
	// isNo is "is no set", where "is not a set" is usual.
	isNo = regexp.MustCompile(`(?i)(\S+) (is|are) no (\S+)`)
	// sentence ends with a mark, and another begins.
	sentence = regexp.MustCompile(`[.!?:;][*)]* +[*(\[-]*\pL`)
	numbered = regexp.MustCompile(`^\d+\. `)
)

// Check fails the test for each sentence of more than Most words, and as Words does.
func Check(t testing.TB, where, text string) {
	t.Helper()
	Words(t, where, text)
	for _, m := range isNo.FindAllStringSubmatch(codeOf.ReplaceAllString(text, "CODE"), -1) {
		if !strings.HasSuffix(strings.ToLower(m[1]), "there") && m[3] != "longer" && m[3] != "more" && m[3] != "such" {
			t.Errorf("%s has %q: write that it is not one", where, m[0])
		}
	}
	for _, s := range sentences(text) {
		words := slices.DeleteFunc(strings.Fields(s), func(w string) bool { return !wordOf.MatchString(w) })
		if len(words) > Most && !strings.HasPrefix(strings.TrimSpace(s), "Exit status") {
			t.Errorf("%s: a sentence of %d words: %s", where, len(words), s)
		}
	}
}

// Words fails the test if the text has a word that is not used.
func Words(t testing.TB, where, text string) {
	t.Helper()
	if word := private.FindString(codeOf.ReplaceAllString(text, "")); word != "" {
		t.Errorf("%s has %q: write what it means", where, word)
	}
}

// sentences returns the sentences of a text in Markdown. A cell of a table is one, too.
func sentences(text string) (list []string) {
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
		if line == "" || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "#") || numbered.MatchString(line) {
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
