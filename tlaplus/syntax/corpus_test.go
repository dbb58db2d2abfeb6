package syntax

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// corpusTest is a test of SANY's syntax corpus.
type corpusTest struct {
	name  string
	text  string
	tree  string // the expected tree
	error bool   // the text must not parse
}

// corpus reads SANY's syntax corpus: in each file, a title between lines of "=", the
// text, a line of "-", the tree.
func corpus(t *testing.T) []corpusTest {
	title := regexp.MustCompile(`(?ms)^=+\|\|\|\n(.*?)\n=+\|\|\|\n(.*?)^-+\|\|\|\n?(.*?)(\z|^=+\|\|\|)`)
	var tests []corpusTest
	err := filepath.WalkDir(filepath.Join(material(t), "examples", "sany", "syntax"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".txt") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for text := string(data); ; {
			m := title.FindStringSubmatchIndex(text)
			if m == nil {
				return nil
			}
			head := text[m[2]:m[3]]
			tests = append(tests, corpusTest{
				name:  strings.TrimSpace(strings.Split(head, "\n")[0]),
				text:  text[m[4]:m[5]],
				tree:  strings.TrimSpace(text[m[6]:m[7]]),
				error: strings.Contains(head, ":error"),
			})
			text = text[m[7]:]
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// TestCorpus parses each text of SANY's corpus and compares the tree with the one that
// is expected there, but for proofs.
func TestCorpus(t *testing.T) {
	tests := corpus(t)
	passed := 0
	for _, test := range tests {
		ok := t.Run(test.name, func(t *testing.T) {
			m, err := Parse("Test.tla", []byte(test.text))
			switch {
			case test.error && err == nil:
				t.Errorf("parses, but must not:\n%s", test.text)
			case !test.error && err != nil:
				t.Errorf("%v\n%s", err, test.text)
			case err == nil:
				want := parseTree(test.tree).normal().String()
				if got := moduleTree(m, true).String(); got != want {
					t.Errorf("the tree is\n%s\nexpected\n%s\ntext:\n%s", got, want, test.text)
				}
			}
		})
		if ok {
			passed++
		}
	}
	t.Logf("%d of %d as expected", passed, len(tests))
	if len(tests) == 0 {
		t.Error("no tests")
	}
}
