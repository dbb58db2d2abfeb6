package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
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
	src, n := newSource(text), 0
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
		cut := src.cut(at)
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

// source finds pieces of a text by their places.
type source struct {
	text  []byte
	lines []int // offsets of the lines
}

// newSource returns a source of a text, which must not change.
func newSource(text []byte) *source {
	s := &source{text, []int{0}}
	at := start
	for i := range text {
		line := at.Line
		at.pass(text, i)
		if at.Line > line {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// cut returns the text of a span, "" of one that is not of this text.
func (s *source) cut(at Span) string {
	from, to := s.offset(at.From), s.offset(at.To)
	if from > to || to >= len(s.text) {
		return ""
	}
	_, n := utf8.DecodeRune(s.text[to:])
	return string(s.text[from : to+n])
}

// offset returns the offset of a place, or of the text's end.
func (s *source) offset(at Pos) int {
	if at.Line < 1 || at.Line > len(s.lines) {
		return len(s.text)
	}
	pos, i := Pos{at.Line, 1}, s.lines[at.Line-1]
	for i < len(s.text) && pos.before(at) {
		pos.pass(s.text, i)
		i++
	}
	for i < len(s.text) && !utf8.RuneStart(s.text[i]) {
		i++ // the rest of the character before
	}
	return i
}
