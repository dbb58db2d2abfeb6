package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpans cuts every expression out of modules by its span: what is cut must parse
// to the same tree.
func TestSpans(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(material(t), "examples", "models", "*", "*.tla"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d modules: %v", len(files), err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		n += checkSpans(t, file, text, m)
	}
	t.Logf("%d expressions of %d modules", n, len(files))
}

// checkSpans compares what the spans of a module's expressions cut out, but of operators
// that are arguments, which are no expressions by themselves. It returns how many.
func checkSpans(t *testing.T, file string, text []byte, m *Module) int {
	src, n := NewSource(text), 0
	eachExpr(m, func(e Expr) {
		switch e := e.(type) {
		case *Lambda:
			return
		case *Op:
			if operators[e.Name.Name] != nil && len(e.Args) == 0 {
				return
			}
		}
		n++
		at := e.Place()
		cut := src.Cut(at)
		// Blanks keep the columns of the lines below.
		again, err := ParseExpr(file, []byte(strings.Repeat(" ", at.From.Col-1)+cut))
		if err != nil {
			t.Errorf("%s:%d:%d: cut %q: %v", file, at.From.Line, at.From.Col, cut, err)
		} else if got, want := dump(again), dump(e); got != want {
			t.Errorf("%s:%d:%d: cut %q is\n%s\nnot\n%s", file, at.From.Line, at.From.Col, cut, got, want)
		}
	})
	return n
}
