package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"tracecheck/tlaplus/syntax"
)

// maxDepth bounds how deep sets may be nested.
const maxDepth = 1000

// Parse reads the text of a model file, or the section "---- CONFIG M ----" of a file
// M.tla. The error is syntax.Errors; the Config is nil with it.
func Parse(file string, text []byte) (*Config, error) {
	if module, is := strings.CutSuffix(filepath.Base(file), ".tla"); is {
		if text, is = sectionIn(text, module); !is {
			at := syntax.Pos{Line: 1, Col: 1}
			return nil, syntax.Errors{{File: file, Span: syntax.Span{From: at, To: at}, Msg: fmt.Sprintf("the file has no section \"---- CONFIG %s ----\"", module)}}
		}
	}
	p := &parser{file: file, cfg: &Config{File: file}}
	var err error
	p.toks, err = syntax.Tokens(file, text)
	if errs, ok := err.(syntax.Errors); ok {
		p.errs = errs
	}
	p.sections()
	if len(p.errs) > 0 {
		return nil, p.errs.Sorted()
	}
	return p.cfg, nil
}

// sectionIn is the text with all blank but the section of the module; ok is false where there
// is none.
func sectionIn(text []byte, module string) (section []byte, ok bool) {
	lines, within := strings.SplitAfter(string(text), "\n"), false
	header := regexp.MustCompile(`^-{4,}\s*CONFIG\s+` + regexp.QuoteMeta(module) + `\s*-{4,}\s*$`)
	for i, line := range lines {
		switch {
		case within && strings.HasPrefix(line, "===="):
			return []byte(strings.Join(lines[:i], "")), true
		case !within:
			within, lines[i] = header.MatchString(line), "\n"
		}
	}
	return []byte(strings.Join(lines, "")), within
}

type parser struct {
	file string
	toks []syntax.Token
	i    int
	cfg  *Config
	errs syntax.Errors
}

// section reads what follows a keyword.
type section func(p *parser, keyword syntax.Token) bool

// sectionOf returns the section that a keyword begins, nil for another word.
func sectionOf(word string) section {
	switch word {
	case "SPECIFICATION":
		return one(func(c *Config) **syntax.Ident { return &c.Specification })
	case "INIT":
		return one(func(c *Config) **syntax.Ident { return &c.Init })
	case "NEXT":
		return one(func(c *Config) **syntax.Ident { return &c.Next })
	case "VIEW":
		return one(func(c *Config) **syntax.Ident { return &c.View })
	case "SYMMETRY":
		return one(func(c *Config) **syntax.Ident { return &c.Symmetry })
	case "ALIAS":
		return one(func(c *Config) **syntax.Ident { return &c.Alias })
	case "_PERIODIC":
		return one(func(c *Config) **syntax.Ident { return &c.Periodic })
	case "_RL_REWARD":
		return one(func(c *Config) **syntax.Ident { return &c.Reward })
	case "INVARIANT", "INVARIANTS":
		return many(func(c *Config) *[]syntax.Ident { return &c.Invariants })
	case "PROPERTY", "PROPERTIES":
		return many(func(c *Config) *[]syntax.Ident { return &c.Properties })
	case "CONSTRAINT", "CONSTRAINTS":
		return many(func(c *Config) *[]syntax.Ident { return &c.Constraints })
	case "ACTION_CONSTRAINT", "ACTION_CONSTRAINTS":
		return many(func(c *Config) *[]syntax.Ident { return &c.ActionConstraints })
	case "POSTCONDITION", "POSTCONDITIONS":
		return many(func(c *Config) *[]syntax.Ident { return &c.Postconditions })
	case "_POSSIBLE":
		return many(func(c *Config) *[]syntax.Ident { return &c.Possible })
	case "CONSTANT", "CONSTANTS":
		return (*parser).constants
	case "CHECK_DEADLOCK":
		return (*parser).deadlock
	}
	return nil
}

// sections reads the file. After an error it continues with the next keyword.
func (p *parser) sections() {
	for p.i < len(p.toks) {
		t := p.toks[p.i]
		read := sectionOf(t.Text)
		if read == nil {
			p.fail("a keyword, such as CONSTANTS, SPECIFICATION, INIT, NEXT or INVARIANT")
			p.skip()
			continue
		}
		p.i++
		if !read(p, t) {
			p.skip()
		}
	}
}

// skip moves to the next keyword.
func (p *parser) skip() {
	for p.i < len(p.toks) && !p.atKeyword() {
		p.i++
	}
}

func (p *parser) atKeyword() bool {
	return p.i < len(p.toks) && p.toks[p.i].Kind == syntax.WordToken && sectionOf(p.toks[p.i].Text) != nil
}

// is reports whether the next token is this symbol.
func (p *parser) is(text string) bool {
	return p.i < len(p.toks) && p.toks[p.i].Kind == syntax.SymbolToken && p.toks[p.i].Text == text
}

// accept consumes the next token if it is this symbol.
func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.i++
		return true
	}
	return false
}

// expect consumes the next token, which must be this symbol.
func (p *parser) expect(text string) bool {
	return p.accept(text) || p.fail(`"`+text+`"`)
}

// fail reports the next token and what was expected in its place. It returns false.
func (p *parser) fail(expected string) bool {
	at, found := syntax.Span{From: syntax.Pos{Line: 1, Col: 1}, To: syntax.Pos{Line: 1, Col: 1}}, "the end of the file"
	switch {
	case p.i < len(p.toks):
		t := p.toks[p.i]
		at, found = t.Span, `"`+t.Text+`"`
	case len(p.toks) > 0:
		at = p.toks[len(p.toks)-1].Span
	}
	p.errs = append(p.errs, &syntax.Error{File: p.file, Span: at, Msg: "found " + found + ", expected " + expected})
	return false
}

// name reads a name; a keyword is none.
func (p *parser) name(what string) (syntax.Ident, bool) {
	if p.i >= len(p.toks) || p.toks[p.i].Kind != syntax.WordToken || p.atKeyword() {
		return syntax.Ident{}, p.fail(what)
	}
	t := p.toks[p.i]
	p.i++
	return syntax.Ident{Span: t.Span, Name: t.Text}, true
}

// one reads a section with one name.
func one(of func(*Config) **syntax.Ident) section {
	return func(p *parser, keyword syntax.Token) bool {
		name, ok := p.name("a name after " + keyword.Text)
		if !ok {
			return false
		}
		if field := of(p.cfg); *field == nil {
			*field = &name
		} else {
			p.again(keyword, (*field).From)
		}
		return true
	}
}

// again reports a section that may occur only once.
func (p *parser) again(keyword syntax.Token, before syntax.Pos) {
	p.errs = append(p.errs, &syntax.Error{File: p.file, Span: keyword.Span,
		Msg: fmt.Sprintf("found %s again, expected it once: line %d has it, too", keyword.Text, before.Line)})
}

// many reads a section with any number of names.
func many(of func(*Config) *[]syntax.Ident) section {
	return func(p *parser, keyword syntax.Token) bool {
		for p.i < len(p.toks) && !p.atKeyword() {
			name, ok := p.name("a name after " + keyword.Text + ", or a keyword")
			if !ok {
				return false
			}
			*of(p.cfg) = append(*of(p.cfg), name)
		}
		return true
	}
}

func (p *parser) deadlock(keyword syntax.Token) bool {
	if p.i >= len(p.toks) || p.toks[p.i].Text != "TRUE" && p.toks[p.i].Text != "FALSE" {
		return p.fail("TRUE or FALSE")
	}
	t := p.toks[p.i]
	p.i++
	if p.cfg.CheckDeadlock != nil {
		p.again(keyword, p.cfg.CheckDeadlock.From)
		return true
	}
	p.cfg.CheckDeadlock = &Deadlock{t.Span, t.Text == "TRUE"}
	return true
}
