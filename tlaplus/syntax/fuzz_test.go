package syntax

import (
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// FuzzParse parses any text. What parses and is printed must parse to the same tree;
// every error has a place in the text.
func FuzzParse(f *testing.F) {
	cases, err := filepath.Glob(filepath.Join("testdata", "cases", "*.txt"))
	if err != nil || len(cases) == 0 {
		f.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, file := range cases {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.Split(string(text), divider)[0])
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.Contains(text, "MODULE") {
			text = "---- MODULE F ----\nE ==\n" + text + "\n===="
		}
		checkRoundTrip(t, text)
	})
}

// FuzzTokens parses random sequences of tokens.
func FuzzTokens(f *testing.F) {
	vocabulary := []string{"\n", "\n  ", "\n    ", "x", "y", "f", "1", `"s"`, "@", "_", "!", "!!", ".", ",", ":", "::", "(", ")",
		"[", "]", "]_", "{", "}", "<<", ">>", ">>_", "==", "->", "<-", "|->", `\A`, `\E`, `\EE`, "WF_", "SF_", "----", "<1>", "<1>a", "<*>2."}
	for w := range keywords {
		vocabulary = append(vocabulary, w)
	}
	sort.Strings(vocabulary)
	for _, op := range Operators {
		if len(op.Name) < 4 || isLetter(op.Name[0]) {
			vocabulary = append(vocabulary, op.Name)
		}
	}
	f.Add([]byte("some bytes, each a token"))
	f.Fuzz(func(t *testing.T, picks []byte) {
		var b strings.Builder
		b.WriteString("---- MODULE F ----\nE ==\n")
		for _, p := range picks {
			b.WriteString(vocabulary[int(p)%len(vocabulary)] + " ")
		}
		b.WriteString("\n====")
		checkRoundTrip(t, b.String())
	})
}

func checkRoundTrip(t *testing.T, text string) {
	m, err := Parse("Fuzz.tla", []byte(text))
	if err != nil {
		var errs Errors
		if !errors.As(err, &errs) || len(errs) == 0 {
			t.Fatalf("%T %v, expected Errors", err, err)
		}
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
		for _, e := range errs {
			if e.From.Line < 1 || e.From.Line > lines || e.From.Col < 1 || e.To.before(e.From) {
				t.Errorf("no place in %d lines: %+v", lines, e)
			}
		}
		return
	}
	printed := printModule(m)
	again, err := Parse("Fuzz.tla", []byte(printed))
	if err != nil {
		if strings.Contains(err.Error(), "levels of nesting") {
			return // it is printed with more parentheses than it had
		}
		t.Fatalf("printed:\n%s\n%v", printed, err)
	}
	if got, want := dump(bare(again)), dump(bare(m)); got != want {
		t.Fatalf("printed:\n%s\nis\n%s\nnot\n%s", printed, got, want)
	}
}
