package eval

import (
	"strings"

	"tracecheck/tlaplus/syntax"
)

// text is the expression as it is written, on one line.
func (p *Program) text(x *expr) string { return p.Text(x.scope.mod.syn.File, x.syn.Place()) }

// Text is a piece of a file, on one line.
func (p *Program) Text(file string, at syntax.Span) string {
	if p.extension != nil && p.extension.File == file {
		if text, ok := p.extension.Texts[at]; ok {
			return text
		}
	}
	lines := p.texts[file]
	var words []string
	for n := at.From.Line; n <= at.To.Line && n <= len(lines); n++ {
		chars := []rune(lines[n-1])
		from, to := 0, len(chars)
		if n == at.From.Line {
			from = min(at.From.Col-1, len(chars))
		}
		if n == at.To.Line {
			to = min(at.To.Col, len(chars))
		}
		line := string(chars[from:max(from, to)])
		if i := strings.Index(line, `\*`); i >= 0 {
			line = line[:i]
		}
		words = append(words, strings.Fields(line)...)
	}
	return strings.Join(words, " ")
}

// Doc is the comment at the beginning of the root module.
func (s *Spec) Doc() string {
	lines := s.texts[s.root.syn.File]
	first := s.root.syn.From.Line // an index: of the line below the module's name
	last := first
	switch {
	case first >= len(lines):
	case strings.HasPrefix(strings.TrimSpace(lines[first]), "(*"):
		for last < len(lines) && !strings.HasSuffix(strings.TrimSpace(lines[last]), "*)") {
			last++
		}
		last = min(last+1, len(lines))
	default:
		for last < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[last]), `\*`) {
			last++
		}
	}
	text := comment(lines[min(first, last):last])
	if strings.Contains(text, "Copyright") { // of the licence
		return ""
	}
	return text
}

// Definition is a definition of the root module: its text, its place and the comment
// above it.
func (s *Spec) Definition(name string) (text, place, doc string) {
	d, ok := s.aliased(s.root.scope.lookup(name)).(*definition)
	if !ok || d.expr == nil {
		return "", "", ""
	}
	file := d.scope.mod.syn.File
	return s.Text(file, d.expr.Place()), d.scope.place(d.expr).String(), s.above(file, d.syn.Place().From.Line)
}

// above is the comment that ends on the line before, without its marks.
func (p *Program) above(file string, line int) string {
	lines := p.texts[file]
	first := line - 1 // an index: of the line itself
	if first < 1 || first > len(lines) {
		return ""
	}
	if strings.HasSuffix(strings.TrimSpace(lines[first-1]), "*)") {
		for first--; first > 0 && !strings.HasPrefix(strings.TrimSpace(lines[first]), "(*"); first-- {
		}
	} else {
		for first > 0 && strings.HasPrefix(strings.TrimSpace(lines[first-1]), `\*`) {
			first--
		}
	}
	return comment(lines[first : line-1])
}

// comment is what the lines of a comment say.
func comment(lines []string) string {
	var words []string
	for _, text := range lines {
		text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "(*"), "*)")
		words = append(words, strings.Fields(strings.TrimSpace(strings.Trim(strings.TrimPrefix(text, `\*`), "*- \t")))...)
	}
	return strings.Join(words, " ")
}
