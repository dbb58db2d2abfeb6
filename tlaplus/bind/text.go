package bind

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"tracecheck/internal/yamldoc"
	"tracecheck/tlaplus/syntax"
)

// expr reads an expression. nil where the node has none, which is noted.
func (p *parser) expr(n *yaml.Node, what string) *expr {
	if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" {
		quote := ""
		if n.Style&yaml.FlowStyle != 0 {
			quote = ": write a set, a record or a sequence in quotes"
		}
		p.Fault(n, "%s is a TLA+ expression, not %s%s", what, yamldoc.Shape(n), quote)
		return nil
	}
	syn, err := syntax.ParseExpr(p.File, placed(p.f.text, n))
	if err != nil {
		var list syntax.Errors
		if errors.As(err, &list) {
			p.bad = append(p.bad, list...)
		}
		return nil
	}
	return &expr{n.Value, syn}
}

// placed is the scalar's text at its place in the file, so that its errors have the
// file's lines and columns. Of a text that YAML has folded or unescaped, the columns
// are those of what it came to.
func placed(text []byte, n *yaml.Node) []byte {
	line, col := n.Line, n.Column
	value := n.Value
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		line++
		lines := bytes.Split(text, []byte("\n"))
		if col = 1; line <= len(lines) {
			col = 1 + len(lines[line-1]) - len(bytes.TrimLeft(lines[line-1], " "))
		}
		value = strings.ReplaceAll(strings.TrimRight(value, "\n"), "\n", "\n"+strings.Repeat(" ", col-1))
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		col++
	}
	return []byte(strings.Repeat("\n", line-1) + strings.Repeat(" ", col-1) + value)
}

// underlined is the line of a text that a span begins in, and marks under the span.
func underlined(text []byte, at syntax.Span) string {
	lines := strings.Split(string(text), "\n")
	if at.From.Line < 1 || at.From.Line > len(lines) {
		return ""
	}
	line := strings.TrimRight(lines[at.From.Line-1], "\r")
	n := utf8.RuneCountInString(line)
	from, to := min(at.From.Col, n+1), at.To.Col
	if at.To.Line != at.From.Line || to > n {
		to = n
	}
	return "\n  " + line + "\n  " + strings.Repeat(" ", from-1) + strings.Repeat("^", max(1, to-from+1))
}
