package syntax

import (
	"fmt"
	"regexp"
	"strings"
)

// maxDepth bounds how deep expressions, modules and proofs may be nested.
const maxDepth = 5000

// Parse reads the text of a file: its outermost module. What comes before and
// after it is skipped. The error is Errors; the module is nil with it.
func Parse(file string, text []byte) (*Module, error) {
	return parseAt(file, text, findHeader(text))
}

// ParseModule reads the module of that name in a text that has several, each from the
// beginning of a line. The module is nil where there is none. The error is Errors.
func ParseModule(file string, text []byte, name string) (*Module, error) {
	header := regexp.MustCompile(`(?m)^-{4,} *MODULE +` + regexp.QuoteMeta(name) + ` *-{4,}`).FindIndex(text)
	if header == nil {
		return nil, nil
	}
	return parseAt(file, text, header[0])
}

func parseAt(file string, text []byte, header int) (*Module, error) {
	p := &parser{file: file, src: text, toks: lexModule(text, header)}
	var m *Module
	p.try(func() { m = p.module() }, nil)
	if err := p.err(); err != nil {
		return nil, err
	}
	return m, nil
}

// ParseExpr reads a text that is one expression. The error is Errors.
func ParseExpr(file string, text []byte) (Expr, error) {
	p := &parser{file: file, src: text, toks: lexAll(text)}
	var e Expr
	p.try(func() {
		e = p.expr()
		if !p.at(kindEnd) {
			p.fail("an operator or the end of the expression")
		}
	}, nil)
	if err := p.err(); err != nil {
		return nil, err
	}
	return e, nil
}

// parser reads tokens from left to right, once. An error unwinds to the unit that
// it is in; the parser continues behind it.
type parser struct {
	file string
	src  []byte
	toks []token
	i    int // the next token

	// bullet is the innermost bulleted list's first bullet, nil outside of lists.
	// What is not right of it is not seen: it ends the item.
	bullet *token
	last   *Operator // the operator that was read last

	depth int   // levels of nesting around the next token
	below int   // levels of the deepest tree in the operand that is being read
	steps []int // levels of the proofs that are open, -1 where not known yet
	errs  Errors
}

// bailout unwinds from an error to try.
type bailout struct{}

// try calls parse. Where it fails, recover is called, if there is one.
func (p *parser) try(parse, onError func()) {
	bullet, depth, steps := p.bullet, p.depth, len(p.steps)
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case bailout:
			p.bullet, p.depth, p.below, p.steps = bullet, depth, 0, p.steps[:steps]
			if onError != nil {
				onError()
			}
		default:
			panic(r)
		}
	}()
	parse()
}

// err returns the errors in the text's order.
func (p *parser) err() error {
	if len(p.errs) == 0 {
		return nil
	}
	return p.errs.Sorted()
}

// hidden is what is seen in the place of a token that ends the expression.
var hidden = token{kind: kindEnd}

// raw returns the next token.
func (p *parser) raw() *token { return &p.toks[p.i] }

// tok returns the next token, or hidden where it belongs no more to the expression:
// it begins a definition, or is not right of the innermost bullet.
func (p *parser) tok() *token {
	t := p.raw()
	if t.def || p.bullet != nil && t.span.From.Col <= p.bullet.span.From.Col {
		return &hidden
	}
	return t
}

// peek returns the n-th token after the next one, hidden or not.
func (p *parser) peek(n int) *token {
	return &p.toks[min(p.i+n, len(p.toks)-1)]
}

func (p *parser) at(k kind) bool { return p.tok().kind == k }

// is reports whether the next token is this symbol, keyword or operator.
func (p *parser) is(text string) bool { return p.tok().is(text) }

func (t *token) is(text string) bool {
	return (t.kind == kindSymbol || t.kind == kindOp) && t.text == text
}

// isAny reports whether the next token is a symbol or keyword of the set.
func (t *token) isAny(words map[string]bool) bool { return t.kind == kindSymbol && words[t.text] }

// take consumes the next token.
func (p *parser) take() *token {
	t := p.raw()
	if t.kind != kindEnd {
		p.i++
	}
	return t
}

// accept consumes the next token if it is text.
func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.i++
	return true
}

// expect consumes the next token, which must be text.
func (p *parser) expect(text string) *token {
	if !p.is(text) {
		p.fail(quoted(text))
	}
	return p.take()
}

// ident consumes an identifier.
func (p *parser) ident(what string) Ident {
	if !p.at(kindIdent) {
		p.fail(what)
	}
	t := p.take()
	return Ident{t.span, t.text}
}

// word consumes an identifier or a reserved word, where both may occur: as the name
// of a field or of a module.
func (p *parser) word(what string) Ident {
	if t := p.tok(); t.kind == kindSymbol && keywords[t.text] || t.kind == kindOp && isLetter(t.text[0]) {
		p.i++
		return Ident{t.span, t.text}
	}
	return p.ident(what)
}

// from returns where the next token begins, to returns the span from there to the
// last token consumed.
func (p *parser) from() Pos        { return p.raw().span.From }
func (p *parser) to(from Pos) Span { return Span{from, p.toks[max(p.i-1, 0)].span.To} }

// enter counts a level of nesting; leave ends it.
func (p *parser) enter() {
	p.depth++
	p.checkDepth()
}

func (p *parser) leave() { p.depth-- }

func (p *parser) checkDepth() {
	if p.depth+p.below > maxDepth {
		p.failAt(p.raw().span, fmt.Sprintf("found more than %d levels of nesting, which is more than are supported", maxDepth))
	}
}

// fail reports the next token and what was expected in its place.
func (p *parser) fail(expected string) {
	t := p.raw()
	if t.kind == kindIllegal {
		p.failAt(t.span, t.text)
	}
	p.failAt(t.span, "found "+p.describe(t)+", expected "+expected)
}

// failAt reports an error and unwinds.
func (p *parser) failAt(at Span, msg string) {
	p.report(at, msg)
	panic(bailout{})
}

// report adds an error, one for each place.
func (p *parser) report(at Span, msg string) {
	if n := len(p.errs); n > 0 && p.errs[n-1].From == at.From {
		return
	}
	p.errs = append(p.errs, &Error{File: p.file, Span: at, Msg: msg})
}

// describe names a token for a message.
func (p *parser) describe(t *token) string {
	if t.kind == kindEnd {
		return "the end of the text"
	}
	text := string(p.src[t.from:t.to])
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "…"
	}
	text = quoted(text)
	if t.kind == kindString {
		text = "the string " + string(p.src[t.from:min(t.to, t.from+40)])
	}
	switch b := p.bullet; {
	case t.def:
		return "the definition that begins with " + text
	case b != nil && t.span.From.Col <= b.span.From.Col:
		return fmt.Sprintf("%s, which is not right of the %s in line %d, column %d", text, quoted(b.text), b.span.From.Line, b.span.From.Col)
	}
	return text
}

// quoted puts a piece of a text in quotes, as it is: "\in".
func quoted(s string) string { return `"` + s + `"` }
