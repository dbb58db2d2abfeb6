package syntax

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// lexer makes tokens of a text.
type lexer struct {
	src  []byte
	text string // src, of which the texts of tokens are pieces
	i    int    // offset of the next byte
	pos  Pos    // its place
	toks []token
	open []int // indexes of the brackets that are open
}

func newLexer(src []byte) *lexer {
	return &lexer{src: src, text: string(src), pos: start, toks: make([]token, 0, len(src)/3+8)}
}

// lexModule makes tokens of the module of a text whose "---- MODULE" is at an offset, up to
// its "====", and an end.
func lexModule(src []byte, header int) []token {
	l := newLexer(src)
	l.skipTo(header)
	depth := 0
	for l.next() {
		switch l.toks[len(l.toks)-1].kind {
		case kindModule:
			depth++
		case kindClose:
			depth--
		}
		if depth == 0 {
			break
		}
	}
	return l.finish()
}

// lexAll makes tokens of a whole text.
func lexAll(src []byte) []token {
	l := newLexer(src)
	for l.next() {
	}
	return l.finish()
}

func (l *lexer) finish() []token {
	l.toks = append(l.toks, token{kind: kindEnd, span: Span{l.pos, l.pos}, from: l.i, to: l.i})
	markDefinitions(l.toks)
	return l.toks
}

// findHeader returns the offset of the first "---- MODULE", or the text's length.
func findHeader(src []byte) int {
	for i := 0; ; {
		n := bytes.Index(src[i:], []byte("----"))
		if n < 0 {
			return len(src)
		}
		i += n
		if headerLen(src[i:]) > 0 {
			return i
		}
		for i < len(src) && src[i] == '-' {
			i++
		}
	}
}

// headerLen returns the length of the "---- MODULE" that src begins with, or 0.
func headerLen(src []byte) int {
	i := 0
	for i < len(src) && src[i] == '-' {
		i++
	}
	if i < 4 {
		return 0
	}
	for i < len(src) && src[i] == ' ' {
		i++
	}
	if !bytes.HasPrefix(src[i:], []byte("MODULE")) {
		return 0
	}
	return i + len("MODULE")
}

// skipTo moves to an offset, counting lines and columns.
func (l *lexer) skipTo(end int) {
	for ; l.i < end; l.i++ {
		l.pos.pass(l.src, l.i)
	}
}

// skipBlank skips blanks and comments. A comment that does not end is a token.
func (l *lexer) skipBlank() {
	for l.i < len(l.src) {
		switch rest := l.src[l.i:]; {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r' || rest[0] == '\f':
			l.skipTo(l.i + 1)
		case bytes.HasPrefix(rest, []byte(`\*`)):
			n := bytes.IndexAny(rest, "\r\n")
			if n < 0 {
				n = len(rest)
			}
			l.skipTo(l.i + n)
		case bytes.HasPrefix(rest, []byte("(*")):
			n, ended := commentLen(rest)
			if !ended {
				l.illegal(2, `this comment does not end: expected "*)"`)
				n -= 2
			}
			l.skipTo(l.i + n)
		default:
			return
		}
	}
}

// commentLen returns the length of the comment that src begins with, and whether it
// ends.
func commentLen(src []byte) (int, bool) {
	depth := 0
	for i := 0; i+1 < len(src); i++ {
		switch {
		case src[i] == '(' && src[i+1] == '*':
			depth++
			i++
		case src[i] == '*' && src[i+1] == ')':
			depth--
			i++
			if depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(src), false
}

// add appends a token of n bytes.
func (l *lexer) add(k kind, n int, text string) *token {
	t := token{kind: k, text: text, from: l.i, to: l.i + n}
	t.span.From = l.pos
	l.skipTo(l.i + n)
	t.span.To = Pos{l.pos.Line, max(l.pos.Col-1, t.span.From.Col)}
	l.toks = append(l.toks, t)
	return &l.toks[len(l.toks)-1]
}

func (l *lexer) illegal(n int, format string, args ...any) {
	l.add(kindIllegal, n, fmt.Sprintf(format, args...))
}

// next appends the next token, if there is one.
func (l *lexer) next() bool {
	before := len(l.toks)
	l.skipBlank()
	if len(l.toks) > before {
		return true // a comment that does not end
	}
	if l.i >= len(l.src) {
		return false
	}
	rest := l.src[l.i:]
	switch c := rest[0]; {
	case isWord(c):
		l.word(rest)
	case c == '"':
		l.str(rest)
	case c == '\\':
		l.backslash(rest)
	case c == '-' && runOf(rest, '-') >= 4:
		if n := headerLen(rest); n > 0 {
			l.add(kindModule, n, "MODULE")
		} else {
			l.add(kindRule, runOf(rest, '-'), "----")
		}
	case c == '=' && runOf(rest, '=') >= 4:
		l.add(kindClose, runOf(rest, '='), "====")
	case c == '<' && stepLen(rest) > 0:
		n := stepLen(rest)
		l.add(kindStep, n, l.text[l.i:l.i+n])
	case c == '!' && bytes.HasPrefix(rest, []byte("!!!")):
		l.symbol("!") // A!!!(x, y) is the operator !! of A
	default:
		l.longest(rest)
	}
	return true
}

// longest appends the longest symbol or operator that rest begins with.
func (l *lexer) longest(rest []byte) {
	for _, s := range longest()[rest[0]] {
		if len(s) <= len(rest) && string(rest[:len(s)]) == s {
			l.symbol(s)
			return
		}
	}
	r, n := utf8.DecodeRune(rest)
	switch {
	case string(rest[:n]) == "ℕ" || string(rest[:n]) == "ℤ" || string(rest[:n]) == "ℝ":
		l.add(kindIdent, n, map[rune]string{'ℕ': "Nat", 'ℤ': "Int", 'ℝ': "Real"}[r])
	case r == utf8.RuneError && n <= 1:
		l.illegal(1, "found the byte 0x%02x, which is not UTF-8", rest[0])
	default:
		l.illegal(n, "found %q, which is not a character of TLA+ outside of strings and comments", r)
	}
}

// symbol appends a symbol or an operator.
func (l *lexer) symbol(s string) {
	if text, ok := symbols[s]; ok {
		t := l.add(kindSymbol, len(s), text)
		l.bracket(len(l.toks)-1, t.text)
		return
	}
	op := operators[s]
	t := l.add(kindOp, len(s), op.Name)
	t.op = op
	t.bullet = s == `/\` || s == `\/` || s == "∧" || s == "∨"
}

// closing has the opening bracket of each closing one.
var closing = map[string]string{")": "(", "]": "[", "]_": "[", "}": "{", ">>": "<<", ">>_": "<<"}

// bracket notes which brackets belong together.
func (l *lexer) bracket(i int, text string) {
	switch text {
	case "(", "[", "{", "<<":
		l.open = append(l.open, i)
	case ")", "]", "]_", "}", ">>", ">>_":
		if n := len(l.open) - 1; n >= 0 && l.toks[l.open[n]].text == closing[text] {
			l.toks[l.open[n]].match = i
			l.toks[i].match = l.open[n]
			l.open = l.open[:n]
		}
	}
}

func runOf(src []byte, c byte) int {
	n := 0
	for n < len(src) && src[n] == c {
		n++
	}
	return n
}

// str appends a string.
func (l *lexer) str(rest []byte) {
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '"':
			l.add(kindString, i+1, b.String())
			return
		case '\n', '\r':
			l.illegal(i, `this string does not end on its line: expected "\""`)
			return
		case '\\':
			if i+1 < len(rest) && rest[i+1] != '\n' && rest[i+1] != '\r' {
				i++
				b.WriteString(unescape(rest[i]))
			}
		default:
			b.WriteByte(c)
		}
	}
	l.illegal(len(rest), `this string does not end: expected "\""`)
}

// unescape returns what a backslash with the character c represents.
func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case 'f':
		return "\f"
	case '"', '\\':
		return string(c)
	}
	return `\` + string([]byte{c})
}
